import { align, commitAlignment } from './slab.ts';

/**
 * How large the next slab is, and its segment. A store at rest begins with a small one, so that a few rows do not take
 * the disk that a load does. Each that is filled is followed by one that is larger, up to the full size.
 */
export interface SlabSizes {
  /** Bytes of the smallest. */
  readonly first: number;
  readonly full: number;
  /** The size for a slab that has room for a record of so many bytes, larger than the full one if it has to be. */
  forRecord(bytes: number): number;
  /** The size that follows one which was filled. */
  after(bytes: number): number;
  /** One was filled. */
  grow(): void;
  /** Nothing is being written: the next one is small. */
  rest(): void;
}

/** A slab of this size holds 256 small requests, one at a time. */
export const firstSlabBytes = 1 << 20;
/** Three steps from the smallest to the largest: a load reaches it after 5 MiB. */
const growth = 4;

/** @param full bytes of the largest, a multiple of `commitAlignment` */
export function slabSizes(full: number, smallest: number = firstSlabBytes): SlabSizes {
  const first = Math.min(full, smallest);
  const after = (bytes: number) => Math.min(full, growth * bytes);
  let next = first;
  return {
    first,
    full,
    after,
    forRecord(bytes) {
      while (next < Math.min(full, bytes)) next = after(next);
      return Math.max(next, align(bytes, commitAlignment));
    },
    grow() {
      next = after(next);
    },
    rest() {
      next = first;
    },
  };
}

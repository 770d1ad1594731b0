import { type HeadSlab, headSlab } from './head.ts';
import type { Slab } from './slab.ts';

/** The slabs with rows that are not in parts yet. */
export interface Heads {
  /** Oldest first; the list is replaced, never changed, so a snapshot is a reference to it. */
  all(): readonly HeadSlab[];
  /** The head of the slab that records are applied to: the newest one, or one that is new. */
  of(slab: Slab): HeadSlab;
  /** Undefined for a slab of which no record was applied. */
  find(slab: Slab): HeadSlab | undefined;
  /** Its rows are in parts. */
  remove(head: HeadSlab): void;
  /** Memory of all slabs. */
  readonly bytes: number;
}

/** @param recovered what a start found, oldest first */
export function openHeads(recovered: readonly HeadSlab[]): Heads {
  let heads = recovered;
  return {
    all: () => heads,
    of(slab) {
      const last = heads.at(-1);
      if (last?.slab === slab) return last;
      const made = headSlab(slab);
      heads = [...heads, made];
      return made;
    },
    find: (slab) => heads.find((head) => head.slab === slab),
    remove(head) {
      heads = heads.filter((other) => other !== head);
    },
    get bytes() {
      return heads.reduce((sum, { slab }) => sum + slab.bytes.length, 0);
    },
  };
}

import { bucketOf } from './time-buckets.ts';

/** Buckets as seen from a base: bucket number `bucket + indexOf(offset)` holds the time at an offset. */
export interface BucketGrid {
  readonly bucket: bigint;
  indexOf(offset: number): number;
  /** The offset at which the bucket after that one begins. */
  endOf(index: number): number;
}

/** The end of the range of offsets. */
const offsetLimit = 2 ** 52;

/** Buckets of `width` ns, as seen from a time in ns since the Unix epoch. */
export function bucketGrid(base: bigint, width: bigint): BucketGrid {
  const bucket = bucketOf(base, width);
  const rest = base - bucket * width;
  if (width < offsetLimit) {
    // Everything is a whole number below 2^53, and the remainder of such doubles is exact.
    const [step, start] = [Number(width), Number(rest)];
    return {
      bucket,
      indexOf: (offset) => (offset + start - ((offset + start) % step)) / step,
      endOf: (index) => (index + 1) * step - start,
    };
  }
  // At most one border lies within reach.
  const left = width - rest;
  const border = left < BigInt(offsetLimit) ? Number(left) : offsetLimit;
  return {
    bucket,
    indexOf: (offset) => (offset < border ? 0 : 1),
    endOf: (index) => (index === 0 ? border : offsetLimit),
  };
}

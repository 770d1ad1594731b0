import { bucketStart, checkBuckets } from '../../../query/plan/time-buckets.ts';

/** Numbers of buckets, counted from the first that came; all of them have to be apart as doubles. */
export class RelativeBuckets {
  readonly #width: bigint;
  /** The number of the bucket that the others count from; undefined before the first. */
  #origin: bigint | undefined;
  /** The outermost that came. */
  #smallest = 0n;
  #largest = 0n;

  /** @param width ns */
  constructor(width: bigint) {
    this.#width = width;
  }

  get origin(): bigint | undefined {
    return this.#origin;
  }

  /** Throws where the buckets that came are too many. */
  relative(bucket: bigint): number {
    if (this.#origin === undefined) {
      this.#origin = bucket;
      this.#smallest = bucket;
      this.#largest = bucket;
    }
    if (bucket < this.#smallest || bucket > this.#largest) {
      if (bucket < this.#smallest) this.#smallest = bucket;
      else this.#largest = bucket;
      const width = this.#width;
      const [from, to] = [bucketStart(this.#smallest, width), bucketStart(this.#largest, width)];
      checkBuckets({ width, interpolation: 'None' }, from, to);
    }
    return Number(bucket - this.#origin);
  }
}

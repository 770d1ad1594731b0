import type { TagSet } from '../../domain/tags.ts';

/** Buckets of an exponential histogram: how many values are in each, from the index `offset` on. */
export interface ScaledBuckets {
  offset: number;
  readonly counts: number[];
}

/** The most buckets, or quantiles, of a point. */
export const maxBuckets = 4096;

/**
 * A data point as it is read, of any kind of metric. There is one for a whole request, which each point fills anew. Counts
 * are 64-bit integers there and doubles here.
 */
export class OtlpPoint {
  /** Nanoseconds since the Unix epoch, without a sign: the lower and the upper 32 bits. */
  low = 0;
  high = 0;
  /** It has no value: the series ends there. */
  isEnd = false;
  /** The attributes, or what is wrong with them. */
  tags: TagSet | string = '';
  /** How many 64-bit integers of it a double does not hold. */
  rounded = 0;
  /** What else is wrong with it. */
  flaw: string | undefined;
  /** Of a gauge or a sum. */
  value: number | undefined;
  count = 0;
  sum: number | undefined;
  min: number | undefined;
  max: number | undefined;
  /** Of a histogram: upper bounds, and one count more than these. */
  readonly bounds: number[] = [];
  readonly counts: number[] = [];
  scale = 0;
  zeroCount = 0;
  zeroThreshold = 0;
  readonly positive: ScaledBuckets = { offset: 0, counts: [] };
  readonly negative: ScaledBuckets = { offset: 0, counts: [] };
  /** Of a summary, in turn with their values. */
  readonly quantiles: number[] = [];

  /** For a gauge or a sum. */
  clearNumber(): void {
    this.low = this.high = this.rounded = 0;
    this.isEnd = false;
    this.flaw = undefined;
    this.value = undefined;
  }

  clear(): void {
    this.clearNumber();
    this.sum = this.min = this.max = undefined;
    this.count = this.scale = this.zeroCount = this.zeroThreshold = 0;
    this.positive.offset = this.negative.offset = 0;
    const { bounds, counts, positive, negative, quantiles } = this;
    for (const list of [bounds, counts, positive.counts, negative.counts, quantiles]) {
      if (list.length > 0) list.length = 0;
    }
  }

  /** A 64-bit integer of these halves; with a sign where the upper one has one. */
  integer(low: number, high: number): number {
    const upper = high * 2 ** 32;
    const value = upper + low;
    if (value - upper !== low) this.rounded++;
    return value;
  }

  /** One more of a list that may have `most`. */
  add(list: number[], value: number, most = maxBuckets): void {
    if (list.length < most) list.push(value);
    else this.flaw ??= `has more than ${maxBuckets} buckets or quantiles`;
  }
}

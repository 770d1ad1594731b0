/** A channel over all of the run, as it fits into a row of a list. */
export interface Spark {
  /** Where the first bucket begins, a multiple of the width of all, ns. */
  readonly from: bigint;
  readonly bucket: bigint;
  /** Of each bucket, NaN where it has no number. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** The last value of all. */
  readonly last: number | undefined;
  /** How far the run went when this was read, ns. */
  readonly to: bigint;
}

/** Values from a time on, in no more than a bucket. */
export interface SparkPiece {
  readonly time: bigint;
  readonly low: number;
  readonly high: number;
}

/** With twice as many, buckets are joined two by two. */
export const sparkBuckets = 64;

/** A spark that goes on to a later end. What it has of the pieces already does no harm. */
export function grownSpark(
  spark: Spark,
  pieces: readonly SparkPiece[],
  last: number | undefined,
  to: bigint,
): Spark {
  let { from, bucket } = spark;
  let [low, high] = [[...spark.low], [...spark.high]];
  for (; (to - from) / bucket >= 2 * sparkBuckets; bucket *= 2n) {
    if ((from / bucket) % 2n !== 0n) {
      from -= bucket;
      low.unshift(Number.NaN);
      high.unshift(Number.NaN);
    }
    low = joined(low, Math.min);
    high = joined(high, Math.max);
  }
  const length = Math.max(low.length, Number((to - from) / bucket) + 1);
  while (low.length < length) {
    low.push(Number.NaN);
    high.push(Number.NaN);
  }
  for (const piece of pieces) {
    const place = Math.max(0, Math.min(length - 1, Number((piece.time - from) / bucket)));
    low[place] = either(low[place]!, piece.low, Math.min);
    high[place] = either(high[place]!, piece.high, Math.max);
  }
  return { from, bucket, low, high, last: last ?? spark.last, to };
}

type Pick = (a: number, b: number) => number;

function joined(values: readonly number[], pick: Pick): number[] {
  const pairs = Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => 2 * i);
  return pairs.map((i) => either(values[i]!, values[i + 1] ?? Number.NaN, pick));
}

function either(a: number, b: number, pick: Pick): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : pick(a, b);
}

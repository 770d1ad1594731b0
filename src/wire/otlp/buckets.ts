import type { OtlpPoint } from './point.ts';

/** Gets the buckets of a point one after the other: how many values are at most `bound`, which rises. */
type OnBucket = (bound: number, atMost: number) => void;

/** What is wrong with the bounds and counts of a histogram; undefined for a good one. */
export function bucketsFlaw({ bounds, counts, count, isEnd }: OtlpPoint): string | undefined {
  for (let i = 0; i < bounds.length; i++) {
    if (Number.isNaN(bounds[i]) || bounds[i]! <= bounds[i - 1]!) return 'has bounds that do not rise';
  }
  if (isEnd || counts.length === 0) return undefined;
  if (counts.length !== bounds.length + 1) return `has ${counts.length} counts for ${bounds.length} bounds`;
  return countFlaw(count, sumOf(counts));
}

/** The same of an exponential histogram. */
export function scaledFlaw({ positive, negative, zeroCount, count, isEnd }: OtlpPoint): string | undefined {
  return isEnd ? undefined : countFlaw(count, zeroCount + sumOf(positive.counts) + sumOf(negative.counts));
}

function countFlaw(count: number, inBuckets: number): string | undefined {
  return count === inBuckets ? undefined : `has the count ${count}, and ${inBuckets} in its buckets`;
}

function sumOf(counts: readonly number[]): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** The buckets of a histogram. One without counts has none, but where it ends: then these end. */
export function eachBucket({ bounds, counts, count, isEnd }: OtlpPoint, onBucket: OnBucket): void {
  if (counts.length === 0 && (!isEnd || bounds.length === 0)) return;
  let below = 0;
  for (let i = 0; i < bounds.length; i++) {
    below += counts[i] ?? 0;
    if (bounds[i] !== Number.POSITIVE_INFINITY) onBucket(bounds[i]!, below);
  }
  onBucket(Number.POSITIVE_INFINITY, count);
}

/**
 * The buckets of an exponential histogram, as its scale makes them (opentelemetry.io/docs/specs/otel/metrics/data-model,
 * "Exponential buckets"): with `base = 2^(2^-scale)` the one of index i holds what is above base^i and at most base^(i+1).
 * The lower bound of the first one stands there too, so that it is not taken for wider than it is. Those whose bounds a
 * double does not tell apart, or that zero covers, are one.
 */
export function eachScaledBucket(point: OtlpPoint, onBucket: OnBucket): void {
  const { scale, zeroCount, zeroThreshold, positive, negative, count, isEnd } = point;
  const found: { readonly bound: number; atMost: number }[] = [];
  let below = 0;
  const put = (bound: number): void => {
    const last = found.at(-1);
    if (last !== undefined && bound <= last.bound) last.atMost = below;
    else if (Number.isFinite(bound)) found.push({ bound, atMost: below });
  };
  const powerOf = (index: number): number => 2 ** (index * 2 ** -scale);
  if (negative.counts.length > 0) {
    put(-powerOf(negative.offset + negative.counts.length));
    for (let i = negative.counts.length - 1; i >= 0; i--) {
      below += negative.counts[i]!;
      put(-powerOf(negative.offset + i));
    }
  }
  if (negative.counts.length > 0 || zeroCount > 0) {
    below += zeroCount;
    put(zeroThreshold);
  }
  if (positive.counts.length > 0) {
    put(powerOf(positive.offset));
    for (let i = 0; i < positive.counts.length; i++) {
      below += positive.counts[i]!;
      put(powerOf(positive.offset + i + 1));
    }
  }
  if (!isEnd) for (const { bound, atMost } of found) onBucket(bound, atMost);
  onBucket(Number.POSITIVE_INFINITY, count);
}

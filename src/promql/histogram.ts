import { dropLabels, type Labels, labelOf, nameLabel } from './labels.ts';
import { emptySeries, merged, type Series } from './values.ts';

interface Bucket {
  readonly bound: number;
  count: number;
}

/** `histogram_quantile`: of series that differ in `le` alone each is a bucket, which counts what is up to its bound. */
export function histogramQuantile(all: readonly Series[], quantiles: Float64Array): Series[] {
  const groups = new Map<string, { labels: Labels; buckets: { bound: number; series: Series }[] }>();
  for (const series of all) {
    const bound = boundOf(labelOf(series.labels, 'le'));
    if (bound === undefined) continue;
    const labels = dropLabels(series.labels, [nameLabel, 'le']);
    const group = groups.get(labels.key) ?? { labels, buckets: [] };
    groups.set(labels.key, group);
    group.buckets.push({ bound, series });
  }
  const results = [...groups.values()].map(({ labels, buckets }) => {
    buckets.sort((a, b) => (a.bound < b.bound ? -1 : a.bound > b.bound ? 1 : 0));
    const result = emptySeries(labels, quantiles.length);
    for (let i = 0; i < quantiles.length; i++) {
      const there = buckets.filter(({ series }) => series.present[i] === 1);
      if (there.length === 0) continue;
      result.present[i] = 1;
      const counts = there.map(({ bound, series }) => ({ bound, count: series.values[i]! }));
      result.values[i] = quantileOf(quantiles[i]!, counts);
    }
    return result;
  });
  return merged(results);
}

function boundOf(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

/** Linear between the bounds of the bucket in which it is; the lowest bucket begins at 0 where its bound is above. */
function quantileOf(q: number, given: readonly Bucket[]): number {
  if (Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  if (given.at(-1)!.bound !== Number.POSITIVE_INFINITY) return Number.NaN;
  const buckets = joined(given);
  const observations = buckets.at(-1)!.count;
  if (buckets.length < 2 || observations === 0) return Number.NaN;
  const rank = q * observations;
  let found = 0;
  while (found < buckets.length - 1 && !(buckets[found]!.count >= rank)) found++;
  if (found === buckets.length - 1) return buckets[found - 1]!.bound;
  const { bound: end, count } = buckets[found]!;
  if (found === 0) return end <= 0 ? end : end * (rank / count);
  const { bound: start, count: below } = buckets[found - 1]!;
  return start + (end - start) * ((rank - below) / (count - below));
}

/** Buckets of one bound as one, and none that counts less than one below it. */
function joined(given: readonly Bucket[]): Bucket[] {
  const buckets: Bucket[] = [];
  for (const { bound, count } of given) {
    const last = buckets.at(-1);
    if (last?.bound === bound) last.count += count;
    else buckets.push({ bound, count });
  }
  let most = Number.NEGATIVE_INFINITY;
  for (const bucket of buckets) {
    if (bucket.count > most) most = bucket.count;
    else if (bucket.count < most) bucket.count = most;
  }
  return buckets;
}

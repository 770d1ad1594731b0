import { shareOf } from '../lines/bounds.ts';
import type { Spark } from './spark.ts';

/**
 * A line through the smallest and the largest value of each bucket, first the one that is nearer to where it comes from: else what
 * falls would be a saw. What is infinite leads to the edge.
 */
export function sparkPath({ low, high }: Spark, width: number, height: number): string {
  const finite = [...low, ...high].filter(Number.isFinite);
  if (finite.length === 0) return '';
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const y = (value: number) => {
    const share = shareOf(Math.min(most, Math.max(least, value)), [least, most]);
    return most > least ? height - 1.5 - share * (height - 3) : height / 2;
  };
  const places = low.flatMap((value, i) => (Number.isNaN(value) ? [] : [i]));
  // Where buckets have several rows, none for long is a gap.
  const isDense = places.filter((i) => low[i] !== high[i]).length * 2 >= places.length;
  const widest = Math.min(widestStep(places), isDense ? densest : Number.POSITIVE_INFINITY);
  let path = '';
  let before = Number.NEGATIVE_INFINITY;
  let end = y(least);
  for (const i of places) {
    const x = (((i + 0.5) * width) / low.length).toFixed(1);
    const ends = [y(low[i]!), y(high[i]!)].sort((a, b) => Math.abs(a - end) - Math.abs(b - end));
    end = ends[1]!;
    path += `${i - before > widest ? 'M' : 'L'}${ends.map((at) => `${x} ${at.toFixed(1)}`).join('L')}`;
    before = i;
  }
  return path;
}

/** Rows that are closer than a bucket leave out no more than so many. */
const densest = 5;

/** From bucket to bucket so far at most is no gap: a channel that is written seldom does not have one in each. */
function widestStep(places: readonly number[]): number {
  const steps = places
    .slice(1)
    .map((place, i) => place - places[i]!)
    .sort((a, b) => a - b);
  return 2 * (steps[Math.floor((steps.length - 1) * 0.75)] ?? 1) - 1;
}

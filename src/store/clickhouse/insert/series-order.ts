import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { Pace } from '../../../turns/pace.ts';
import { pickValues, type SeriesValues } from './series-values.ts';

/**
 * The series with their values in the order of time and each identity (time and tag set) once: of those that stand
 * twice the later one stays, as a request wants it. They have one version each, which tells no order within them.
 */
export async function inOrder(series: readonly SeriesValues[], pace: Pace): Promise<SeriesValues[]> {
  const ordered: SeriesValues[] = [];
  /** Columns of the same rows mostly share times and tags: they have the same order. */
  let last: { readonly of: SeriesValues; readonly chosen: Uint32Array } | undefined;
  for (const one of series) {
    if (one.ascending) {
      ordered.push(one);
      continue;
    }
    const isKnown = last?.of.times === one.times && last.of.tags.indexes === one.tags.indexes;
    const chosen = isKnown ? last!.chosen : await orderOf(one, pace);
    last = { of: one, chosen };
    ordered.push(pickValues(one, chosen, one.tags.indexes === undefined));
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  return ordered;
}

async function orderOf({ times, count, tags }: SeriesValues, pace: Pace): Promise<Uint32Array> {
  const sorted = await sortRows(count, (a, b) => compareTimes(times, a, b), pace);
  return tags.indexes === undefined
    ? lastOfTimes(sorted, times)
    : lastOfIdentities(sorted, times, tags.indexes);
}

/** Whether a time stands before another one; signed, so by the high word first. */
function compareTimes(times: Uint32Array, a: number, b: number): number {
  return (times[2 * a + 1]! | 0) - (times[2 * b + 1]! | 0) || times[2 * a]! - times[2 * b]!;
}

function isSameTime(times: Uint32Array, a: number, b: number): boolean {
  return times[2 * a] === times[2 * b] && times[2 * a + 1] === times[2 * b + 1];
}

/** Rows of one time stand in the order in which they came, so the last of each is the one that stays. */
function lastOfTimes(sorted: Uint32Array, times: Uint32Array): Uint32Array {
  const kept = new Uint32Array(sorted.length);
  let found = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i + 1 < sorted.length && isSameTime(times, sorted[i]!, sorted[i + 1]!)) continue;
    kept[found++] = sorted[i]!;
  }
  return kept.slice(0, found);
}

function lastOfIdentities(sorted: Uint32Array, times: Uint32Array, tags: Uint32Array): Uint32Array {
  const kept = new Uint32Array(sorted.length);
  let found = 0;
  /** The place in `kept` of the row with a tag set at the present time. */
  const places = new Map<number, number>();
  for (let i = 0; i < sorted.length; i++) {
    const row = sorted[i]!;
    if (i > 0 && !isSameTime(times, sorted[i - 1]!, row) && places.size > 0) places.clear();
    const place = places.get(tags[row]!);
    if (place !== undefined) kept[place] = row;
    else {
      places.set(tags[row]!, found);
      kept[found++] = row;
    }
  }
  return kept.slice(0, found);
}

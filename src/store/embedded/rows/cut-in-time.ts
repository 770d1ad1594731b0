import { sliceRows } from '../../../domain/slice-rows.ts';
import { firstRowFrom, type RowGroup } from './row-group.ts';

/**
 * Cuts groups into lists that follow one another in time, until each list fits; descending, the last one comes first.
 * Every group is ordered by time; a list keeps the order of the groups. Rows of one time stay in one list, which may be
 * more than fits. What comes after a list is not cut before it is asked for.
 */
export function* cutInTime(
  groups: readonly RowGroup[],
  fits: (groups: readonly RowGroup[]) => boolean,
  descending = false,
): Generator<readonly RowGroup[]> {
  if (groups.length === 0) return;
  const offset = fits(groups) ? undefined : timeInMiddle(groups);
  if (offset === undefined) {
    yield groups;
    return;
  }
  const halves = splitAt(groups, offset);
  if (descending) halves.reverse();
  for (const half of halves) yield* cutInTime(half, fits, descending);
}

/** The rows of each group whose offset is below a bound, and the others. */
export function splitAt(groups: readonly RowGroup[], offset: number): [RowGroup[], RowGroup[]] {
  const below: RowGroup[] = [];
  const above: RowGroup[] = [];
  for (const group of groups) {
    const end = firstRowFrom(group.offsets, offset);
    if (end > 0) below.push(sliceRows(group, 0, end));
    if (end < group.count) above.push(sliceRows(group, end, group.count));
  }
  return [below, above];
}

/** How many rows are looked at to find the middle of all: at least one of each group. */
const samples = 512;

/** An offset that has rows below and above it, about as many of each; undefined where all rows are of one time. */
export function timeInMiddle(groups: readonly RowGroup[]): number | undefined {
  const weights = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  let total = 0;
  const perGroup = Math.ceil(samples / groups.length);
  for (const { count, offsets } of groups) {
    const step = Math.max(1, Math.floor(count / perGroup));
    for (let row = step >> 1; row < count; row += step) {
      weights.set(offsets[row]!, (weights.get(offsets[row]!) ?? 0) + step);
      total += step;
    }
    least = Math.min(least, offsets[0]!);
  }
  const sampled = Float64Array.from(weights.keys()).sort();
  let below = 0;
  for (const offset of sampled) {
    if (offset > least && 2 * below >= total) return offset;
    below += weights.get(offset)!;
  }
  const last = sampled.at(-1)!;
  return last > least ? last : secondOf(groups, least);
}

/** The first offset above the least one. */
function secondOf(groups: readonly RowGroup[], least: number): number | undefined {
  let second = Number.POSITIVE_INFINITY;
  for (const { offsets } of groups) {
    const row = firstRowFrom(offsets, least + 1);
    if (row < offsets.length) second = Math.min(second, offsets[row]!);
  }
  return second === Number.POSITIVE_INFINITY ? undefined : second;
}

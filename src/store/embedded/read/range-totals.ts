import { noTags } from '../../../domain/tags.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import { areEnough, type TotalsNeeded, type TotalValues } from '../../../query/states/total-rows.ts';
import { lowerBound } from '../parts/column-sets.ts';
import { runStart } from '../parts/part-index.ts';
import { groupsOfStretch, type StatisticsHead } from '../parts/run-statistics.ts';
import { windowStart } from '../rows/windows.ts';
import { readable } from '../walk/indexed-parts.ts';
import type { PartGroup } from '../walk/walk-parts.ts';
import { groupOfRange, type PartRange } from '../walk/walk-ranges.ts';

/** Places in the index, from the first to the last, exclusively. */
interface Places {
  readonly start: number;
  readonly end: number;
}

/**
 * Adds what it can of a range by its totals: first by those of stretches of 128 row groups, then by those of row groups. All
 * rows behind one of these are in one bucket. Their tags do not matter, or they count as rows without tags. Gives the groups that are left to be read, in order of time. Which totals are
 * taken depends on what is stored and asked alone, so the same question has the same answer whatever is in memory.
 */
export async function addByTotals(
  range: PartRange,
  parameters: readonly (number | undefined)[],
  aggregator: Aggregator,
): Promise<Iterable<PartGroup>> {
  const { index, run, part, reader } = range;
  const needed = aggregator.totalsNeeded();
  const buckets = needed === undefined ? [] : wholeBuckets(range, aggregator);
  // To read the totals of a run costs as much as to read a group.
  if (needed === undefined || !buckets.some(({ start, end }) => end - start > 1))
    return groupsOutside(range, []);
  const head = await readable(part, async () => reader.totals.ofStretches(index, run));
  const places = head && placesOf(range, head, parameters);
  if (places === undefined) return groupsOutside(range, []);
  const adder = createAdder(range, needed, aggregator);
  const { added, left } = addStretches(range, buckets, columnsAt(places, head!.stretches), adder);
  if (left.length === 0) return groupsOutside(range, added);
  const lists: (TotalValues | undefined)[] = [];
  for (const place of places)
    lists.push(
      place && (await readable(part, async () => reader.totals.ofGroups(index, run, head!, place.column))),
    );
  for (const places of left) added.push(...adder.addGroups(lists, places));
  return groupsOutside(
    range,
    added.sort((a, b) => a.start - b.start),
  );
}

/** The places of a range whose rows are all wanted and in one bucket, bucket by bucket. */
function wholeBuckets(range: PartRange, aggregator: Pick<Aggregator, 'bucketEnd'>): Places[] {
  const { inside, index, window } = range;
  const { minOffsets, maxOffsets } = index.groups;
  const base = windowStart(window);
  const found: Places[] = [];
  let start = range.start;
  if (minOffsets[start]! < inside.first) start++;
  while (start < range.end) {
    const bound = Math.min(inside.last + 1, aggregator.bucketEnd(base, minOffsets[start]!));
    const end = lowerBound(maxOffsets, bound, start, range.end);
    if (end > start) found.push({ start, end });
    start = Math.max(end, start + 1);
  }
  return found;
}

interface ColumnPlace {
  readonly column: number;
}

/** Where the head has the columns of parameters that the run may have; undefined where it lacks one of them. */
function placesOf(
  range: PartRange,
  head: StatisticsHead,
  parameters: readonly (number | undefined)[],
): (ColumnPlace | undefined)[] | undefined {
  const places: (ColumnPlace | undefined)[] = [];
  for (const parameter of parameters) {
    if (parameter === undefined || !range.parameters.includes(parameter)) {
      places.push(undefined);
      continue;
    }
    const column = head.parameters.indexOf(parameter);
    if (column < 0) return undefined;
    places.push({ column });
  }
  return places;
}

function columnsAt(
  places: readonly (ColumnPlace | undefined)[],
  lists: readonly TotalValues[],
): (TotalValues | undefined)[] {
  return places.map((place) => place && lists[place.column]);
}

/** Adds whole stretches; `left` is what they do not cover of the buckets. */
function addStretches(
  { index, run }: PartRange,
  buckets: readonly Places[],
  columns: readonly (TotalValues | undefined)[],
  adder: Adder,
): { added: Places[]; left: Places[] } {
  const first = runStart(index.runs, run);
  const last = index.runs.ends[run]!;
  const added: Places[] = [];
  const left: Places[] = [];
  for (const { start, end } of buckets) {
    let from = start;
    for (
      let stretch = Math.ceil((start - first) / groupsOfStretch);
      first + stretch * groupsOfStretch < end;
      stretch++
    ) {
      const places = {
        start: first + stretch * groupsOfStretch,
        end: Math.min(last, first + (stretch + 1) * groupsOfStretch),
      };
      if (places.end > end || !adder.addStretch(columns, stretch, places)) continue;
      if (from < places.start) left.push({ start: from, end: places.start });
      added.push(places);
      from = places.end;
    }
    if (from < end) left.push({ start: from, end });
  }
  return { added, left };
}

type Adder = ReturnType<typeof createAdder>;

function createAdder({ index, run, window }: PartRange, needed: TotalsNeeded, aggregator: Aggregator) {
  const { minOffsets, maxOffsets, rows } = index.groups;
  const base = windowStart(window);
  const start = runStart(index.runs, run);

  function rowsOf(places: Places): number {
    let sum = 0;
    for (let i = places.start; i < places.end; i++) sum += rows[i]!;
    return sum;
  }

  return {
    /** Whether the totals of the stretch, which has the groups at some places, were enough. */
    addStretch(columns: readonly (TotalValues | undefined)[], stretch: number, places: Places): boolean {
      if (!areEnough(needed, columns, stretch, needed.allValues ? rowsOf(places) : 0)) return false;
      aggregator.addTotals({
        base,
        tags: noTags,
        columns,
        from: stretch,
        to: stretch + 1,
        firstOffset: () => minOffsets[places.start]!,
        lastOffset: () => maxOffsets[places.end - 1]!,
      });
      return true;
    },
    /** Adds the groups at some places, all in one bucket, of which the totals are enough; gives their places. */
    addGroups(columns: readonly (TotalValues | undefined)[], places: Places): Places[] {
      const added: Places[] = [];
      for (let i = places.start; i < places.end; ) {
        let end = i;
        while (end < places.end && areEnough(needed, columns, end - start, rows[end]!)) end++;
        if (end > i) {
          aggregator.addTotals({
            base,
            tags: noTags,
            columns,
            from: i - start,
            to: end - start,
            firstOffset: (block) => minOffsets[start + block]!,
            lastOffset: (block) => maxOffsets[start + block]!,
          });
          added.push({ start: i, end });
        }
        i = end + 1;
      }
      return added;
    },
  };
}

/** The groups of a range that are not at some places, which ascend. */
function* groupsOutside(range: PartRange, places: readonly Places[]): Generator<PartGroup> {
  let next = range.start;
  for (const { start, end } of [...places, { start: range.end, end: range.end }]) {
    for (; next < start; next++) yield groupOfRange(range, next);
    next = end;
  }
}

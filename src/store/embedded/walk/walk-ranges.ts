import { lowerBound } from '../parts/column-sets.ts';
import { wantedRuns } from '../parts/find-groups.ts';
import { groupAt, type PartIndex, runParameters, runStart } from '../parts/part-index.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { Part } from '../parts/part-readers.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import type { OffsetRange } from '../rows/windows.ts';
import { hiddenRanges, type Taken } from '../tombstones/hidden-ranges.ts';
import { coversAll, isTouched, windowTombstones } from '../tombstones/stream-tombstones.ts';
import type { Tombstone, WindowTombstone } from '../tombstones/tombstone.ts';
import { type IndexedPart, reaches } from './indexed-parts.ts';
import type { Walk } from './walk.ts';
import type { PartGroup } from './walk-parts.ts';

/**
 * Row groups of one run that follow one another, two or more. No delete reaches them, and no time stands in two. Of a long
 * time there are thousands, so nothing is made for each before it is wanted.
 */
export interface PartRange {
  readonly kind: 'range';
  /** The part's place in order of LSN. */
  readonly rank: number;
  readonly part: Part;
  readonly reader: PartReader;
  readonly index: PartIndex;
  readonly run: number;
  /** Places of the groups in the index: `start` and what follows, up to `end` exclusively. */
  readonly start: number;
  readonly end: number;
  /** Of all columns that the groups may have; undefined where only their heads tell. */
  readonly parameters: Uint32Array;
  readonly window: number;
  /** The walk's times; rows outside of them are not wanted. */
  readonly inside: OffsetRange;
  /** Of the rows inside, as far as the index tells. */
  readonly first: number;
  readonly last: number;
}

/**
 * The row groups of the walk's stream in parts of one window, in ranges where they can be; nothing is read.
 *
 * @param wanted numbers of parameters; groups that surely have none of them are left out
 */
export function rangesOfParts(
  walk: Walk,
  parts: readonly IndexedPart[],
  window: number,
  inside: OffsetRange,
  wanted: ReadonlySet<number>,
): (PartRange | PartGroup)[] {
  const found: (PartRange | PartGroup)[] = [];
  for (let rank = 0; rank < parts.length; rank++) {
    const { part, reader, kept } = parts[rank]!;
    if (!reaches(part, window, inside)) continue;
    const { index } = kept;
    const { minOffsets, maxOffsets } = index.groups;
    for (const run of wantedRuns(index, walk.stream, window, wanted)) {
      const stop = index.runs.ends[run]!;
      const start = lowerBound(maxOffsets, inside.first, runStart(index.runs, run), stop);
      const end = lowerBound(minOffsets, inside.last + 1, start, stop);
      if (start === end) continue;
      if (end - start === 1) {
        addGroup(found, walk, { rank, part, reader, index, run, window, inside }, start);
        continue;
      }
      const parameters = runParameters(index.runs, run);
      addUntouched(found, walk, {
        kind: 'range',
        rank,
        part,
        reader,
        index,
        run,
        start,
        end,
        parameters,
        window,
        inside,
        first: Math.max(minOffsets[start]!, inside.first),
        last: Math.min(maxOffsets[end - 1]!, inside.last),
      });
    }
  }
  return found;
}

/** Where the groups of a range are, and what is wanted of them. */
type RangePlace = Pick<PartRange, 'rank' | 'part' | 'reader' | 'index' | 'run' | 'window' | 'inside'>;

/** Adds one group of a range with what is hidden of it, unless nothing is left. */
function addGroup(
  found: (PartRange | PartGroup)[],
  { tombstones, withEvents }: Walk,
  range: RangePlace,
  place: number,
): void {
  const group = groupOfRange(range, place);
  const { first, last, window, part } = group;
  const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), window, first, last);
  if (hidden.length === 0) found.push(group);
  else if (withEvents || !coversAll(hidden, first, last)) found.push({ ...group, hidden });
}

/** Adds the groups of a range: those that deletes reach one by one, the others in ranges that are as long as they can be. */
function addUntouched(found: (PartRange | PartGroup)[], walk: Walk, range: PartRange): void {
  const { minOffsets, maxOffsets } = range.index.groups;
  const { tombstones } = walk;
  const { window, inside } = range;
  const cleanLsn = cleanLsnOf(range.part.record);
  let start = range.start;

  /** Adds what no delete reaches up to a place. */
  function flush(end: number): void {
    for (let i = start + 1; i <= end; i++) {
      if (i < end && minOffsets[i]! > maxOffsets[i - 1]!) continue;
      found.push(rangeOf(range, start, i));
      start = i;
    }
  }

  function visit(from: number, to: number): void {
    const first = Math.max(minOffsets[from]!, inside.first);
    const last = Math.min(maxOffsets[to - 1]!, inside.last);
    if (!isTouched(tombstones, cleanLsn, window, first, last)) return;
    if (to - from > 1) {
      const middle = (from + to) >>> 1;
      visit(from, middle);
      visit(middle, to);
      return;
    }
    flush(from);
    start = to;
    addGroup(found, walk, range, from);
  }

  visit(range.start, range.end);
  flush(range.end);
}

/** The groups [start, end) of a range: another range, or a group where it is only one. */
function rangeOf(range: PartRange, start: number, end: number): PartRange | PartGroup {
  if (end - start === 1) return groupOfRange(range, start);
  const { index, inside } = range;
  const first = Math.max(index.groups.minOffsets[start]!, inside.first);
  const last = Math.min(index.groups.maxOffsets[end - 1]!, inside.last);
  return { ...range, start, end, first, last };
}

/** The group of a range at a place of the index. */
export function groupOfRange(range: RangePlace, place: number): PartGroup {
  const { rank, part, reader, index, run, window, inside } = range;
  const handle = groupAt(index, run, place);
  const first = Math.max(handle.minOffset, inside.first);
  const last = Math.min(handle.maxOffset, inside.last);
  return { kind: 'group', rank, part, reader, handle, window, inside, first, last, hidden: noneHidden };
}

const noneHidden: readonly WindowTombstone[] = [];

/** The ranges that are made of one that something overlaps. */
const splitInto = 16;

/** The same groups in several ranges, so that those that nothing overlaps are told from the others. */
export function splitRange(range: PartRange): (PartRange | PartGroup)[] {
  const { start, end } = range;
  const step = Math.ceil((end - start) / splitInto);
  const ranges: (PartRange | PartGroup)[] = [];
  for (let from = start; from < end; from += step)
    ranges.push(rangeOf(range, from, Math.min(end, from + step)));
  return ranges;
}

const noRanges: readonly OffsetRange[] = [];

/**
 * Where deletes take all values of some parameters from the rows of a group; undefined where they take some of these
 * values and leave others, so that the rows have to be looked at.
 */
export function rowsHidden(
  { hidden }: PartGroup,
  parameters: ReadonlySet<number>,
  withEvents: boolean,
): readonly OffsetRange[] | undefined {
  if (hidden.length === 0) return noRanges;
  const { whole, others } = hiddenRanges(hidden, (tombstone) => takenOf(tombstone, parameters, withEvents));
  return others.length > 0 ? undefined : whole;
}

function takenOf({ parameters: taken }: Tombstone, wanted: ReadonlySet<number>, withEvents: boolean): Taken {
  if (taken === undefined) return withEvents ? 'some' : 'all';
  let lost = 0;
  for (const parameter of wanted) if (taken.has(parameter)) lost++;
  return lost === 0 ? 'none' : lost === wanted.size ? 'all' : 'some';
}

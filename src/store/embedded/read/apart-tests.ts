import { lowerBound } from '../parts/column-sets.ts';
import { runStart } from '../parts/part-index.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import type { ApartTest } from './mark-streams.ts';
import type { Meeting, PartOfWindow } from './small-groups.ts';
import type { ColumnOfPart, ColumnsOfParts } from './summed-rows.ts';

/** Of a scan of small row groups: each stream has one at most in a window, and nothing in memory. */
export class SmallTest implements ApartTest {
  readonly allowsMemory = false;
  /** By place: the last window in which the stream was met, counted from 1. */
  readonly #metIn: Uint32Array;
  #part: PartOfWindow | undefined;
  #window = 0;

  /** @param streams how many are scanned */
  constructor(streams: number) {
    this.#metIn = new Uint32Array(streams);
  }

  begin(part: PartOfWindow): void {
    if (part.window !== this.#part?.window) this.#window++;
    this.#part = part;
  }

  takes({ place, group, isSmall }: Meeting, oldest: number): boolean {
    const isFirst = this.#metIn[place] !== this.#window;
    this.#metIn[place] = this.#window;
    return isSmall && isFirst && this.#part!.indexed.kept.index.groups.minOffsets[group]! >= oldest;
  }

  overlaps(): boolean {
    return true;
  }
}

/** Of a scan of columns that are at hand: row groups of a stream overlap nothing, and all their sums are known. */
export class SummedTest implements ApartTest {
  readonly allowsMemory = true;
  readonly #columns: ColumnsOfParts;
  readonly #met: ReturnType<typeof metTimes>;
  #part: PartOfWindow | undefined;
  #ofPart: readonly (ColumnOfPart | undefined)[] = [];

  /** @param columns of each part */
  constructor(streams: number, columns: ColumnsOfParts) {
    this.#met = metTimes(streams);
    this.#columns = columns;
  }

  begin(part: PartOfWindow, number: number): void {
    this.#part = part;
    this.#ofPart = this.#columns[number]!;
  }

  takes({ place, run }: Meeting, oldest: number): boolean {
    const part = this.#part!;
    const { runs, groups } = part.indexed.kept.index;
    const { from, to } = groupsInside(part, run);
    if (from === to) return true;
    const { minOffsets, maxOffsets } = groups;
    return (
      minOffsets[from]! >= oldest &&
      areSummed(this.#ofPart, runs.sets[run]!, from, to) &&
      ascend(groups, from, to) &&
      this.#met.add(place, part.window, minOffsets[from]!, maxOffsets[to - 1]!)
    );
  }

  overlaps(place: number, first: bigint, last: bigint): boolean {
    return this.#met.overlaps(place, first, last);
  }
}

/** The groups of a run that reach into the times of the read. */
export function groupsInside({ indexed, inside }: PartOfWindow, run: number): { from: number; to: number } {
  const { runs, groups } = indexed.kept.index;
  const end = runs.ends[run]!;
  const from = lowerBound(groups.maxOffsets, inside.first, runStart(runs, run), end);
  return { from, to: lowerBound(groups.minOffsets, inside.last + 1, from, end) };
}

/** Whether the wanted columns of these groups are told. */
function areSummed(
  columns: readonly (ColumnOfPart | undefined)[],
  set: number,
  from: number,
  to: number,
): boolean {
  for (const column of columns) {
    if (column === undefined || column.inSet[set] === 0) continue;
    for (let group = from; group < to; group++) if (column.summed.firstFrames[group]! < 0) return false;
  }
  return true;
}

/** Whether no time stands in two of these groups. */
function ascend(
  { minOffsets, maxOffsets }: { readonly minOffsets: Float64Array; readonly maxOffsets: Float64Array },
  from: number,
  to: number,
): boolean {
  for (let group = from + 1; group < to; group++)
    if (minOffsets[group]! <= maxOffsets[group - 1]!) return false;
  return true;
}

/** From when to when each stream has rows in parts, as places of windows. */
function metTimes(count: number) {
  const [firstWindows, lastWindows] = [new Int32Array(count), new Int32Array(count)];
  const [firsts, lasts] = [new Float64Array(count).fill(-1), new Float64Array(count)];
  const isAfter = (window: number, offset: number, place: number) =>
    window > lastWindows[place]! || (window === lastWindows[place]! && offset > lasts[place]!);
  const isBefore = (window: number, offset: number, place: number) =>
    window < firstWindows[place]! || (window === firstWindows[place]! && offset < firsts[place]!);

  return {
    /** False where these rows (offsets in a window) may overlap some that were added before. */
    add(place: number, window: number, first: number, last: number): boolean {
      const isFirst = firsts[place]! < 0;
      const after = isFirst || isAfter(window, first, place);
      const before = isFirst || isBefore(window, last, place);
      if (!after && !before) return false;
      if (after) {
        lastWindows[place] = window;
        lasts[place] = last;
      }
      if (before) {
        firstWindows[place] = window;
        firsts[place] = first;
      }
      return true;
    },
    /** Whether rows between two times (ns) may overlap those. */
    overlaps(place: number, first: bigint, last: bigint): boolean {
      if (firsts[place]! < 0) return false;
      const [firstWindow, lastWindow] = [windowOf(first), windowOf(last)];
      const firstOffset = Number(first - windowStart(firstWindow));
      const lastOffset = Number(last - windowStart(lastWindow));
      return !isAfter(firstWindow, firstOffset, place) && !isBefore(lastWindow, lastOffset, place);
    },
  };
}

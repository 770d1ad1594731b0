import type { Pace } from '../../../turns/pace.ts';
import { visitStreams } from '../log/head.ts';
import { lowerBound } from '../parts/column-sets.ts';
import { runStart } from '../parts/part-index.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import type { LoneRead } from './lone-read.ts';
import { meetingsOf, type PartOfWindow } from './small-groups.ts';
import type { ColumnsOfParts } from './summed-columns.ts';
import type { ColumnOfPart } from './summed-rows.ts';
import { walkOf } from './walk.ts';
import { headSections } from './walk-head.ts';
import { markDeleted, oldestOffset, stepsOfTurn } from './walk-lone.ts';

/** Streams between two calls of the pace. */
const streamsOfTurn = 32;

/** What is known of a stream. */
export const Mark = {
  /** All its rows are in row groups that overlap nothing. */
  Apart: 0,
  /** Some have to be taken apart. */
  Other: 1,
  /** Apart, and it has rows in memory that overlap none of them. */
  InMemory: 2,
} as const;

/** The groups of a run that reach into the times of the read. */
export function groupsInside({ indexed, inside }: PartOfWindow, run: number): { from: number; to: number } {
  const { runs, groups } = indexed.kept.index;
  const end = runs.ends[run]!;
  const from = lowerBound(groups.maxOffsets, inside.first, runStart(runs, run), end);
  return { from, to: lowerBound(groups.minOffsets, inside.last + 1, from, end) };
}

/**
 * What is known of each stream of a read by whose row groups sums are to be added as they stand.
 *
 * @param streams ascending numbers
 * @param parts with their columns; those of one window stand together
 */
export async function markStreams(
  { snapshot, range, pace }: Pick<LoneRead, 'snapshot' | 'range' | 'pace'>,
  streams: Uint32Array,
  parts: readonly PartOfWindow[],
  columns: ColumnsOfParts,
): Promise<Uint8Array> {
  const marks = new Uint8Array(streams.length);
  await markDeleted(marks, streams, parts, snapshot.tombstones, pace);
  const met = metTimes(streams.length);
  for (const [i, part] of parts.entries()) await markMet(part, columns[i]!);
  await markInMemory(pace);
  return marks;

  async function markMet(part: PartOfWindow, ofPart: readonly (ColumnOfPart | undefined)[]): Promise<void> {
    const { runs, groups } = part.indexed.kept.index;
    const oldest = oldestOffset(snapshot, part.window);
    const next = meetingsOf(part, streams, range.parameters);
    let steps = 0;
    for (let meeting = next(); meeting !== undefined; meeting = next()) {
      const { place, run } = meeting;
      const { from, to } = groupsInside(part, run);
      if (from === to) continue;
      if (
        groups.minOffsets[from]! < oldest(streams[place]!) ||
        !areSummed(ofPart, runs.sets[run]!, from, to) ||
        !ascend(groups, from, to) ||
        !met.add(place, part.window, groups.minOffsets[from]!, groups.maxOffsets[to - 1]!)
      )
        marks[place] = Mark.Other;
      const turn = ++steps % stepsOfTurn === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
    }
  }

  /** Streams that have rows in memory: whether these overlap what is in parts. */
  async function markInMemory(turns: Pace): Promise<void> {
    const looked = new Uint8Array(streams.length);
    for (const head of snapshot.heads) {
      visitStreams(head, (stream) => {
        const place = lowerBound(streams, stream);
        if (streams[place] === stream) looked[place] = 1;
      });
      await turns();
    }
    for (let place = 0; place < streams.length; place++) {
      if (looked[place] === 0 || marks[place] === Mark.Other) continue;
      const walk = walkOf(snapshot, streams[place]!, range.from, range.to, false);
      const sections = walk === undefined ? [] : headSections(walk, range.parameters);
      if (sections.length > 0) marks[place] = Mark.InMemory;
      if (sections.some(({ first, last }) => met.overlaps(place, first, last))) marks[place] = Mark.Other;
      const turn = place % streamsOfTurn === 0 ? turns() : undefined;
      if (turn !== undefined) await turn;
    }
  }
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

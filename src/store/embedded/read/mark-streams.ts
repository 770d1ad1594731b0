import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { Pace } from '../../../turns/pace.ts';
import { visitStreams } from '../log/head.ts';
import { lowerBound } from '../parts/column-sets.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import { offsetInWindow, rangeInWindow, windowSpan, windowStart } from '../rows/windows.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { type ByWindow, type IndexedPart, reaches } from '../walk/indexed-parts.ts';
import { walkOf } from '../walk/walk.ts';
import { headSections } from '../walk/walk-head.ts';
import type { BoundStreams } from './bind-streams.ts';
import { type Meeting, meetingsOf, type PartOfWindow, passOver } from './small-groups.ts';

/** A scan of very many streams, by their numbers: it goes through parts from their begins to their ends. */
export interface ScanRead {
  readonly bound: BoundStreams;
  /** The places of the streams, by number. */
  readonly order: Uint32Array;
  readonly snapshot: Snapshot;
  readonly parts: ByWindow<IndexedPart>;
  readonly range: ScanRange;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

/** The times of a read (ns, both inclusive) and the numbers of its parameters. */
export interface ScanRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly parameters: ReadonlySet<number>;
}

/** The parts of each window that may have rows between the times. */
export function partsOfWindows(parts: ByWindow<IndexedPart>, { from, to }: ScanRange): PartOfWindow[] {
  const found: PartOfWindow[] = [];
  for (const [window, ofWindow] of parts) {
    const inside = rangeInWindow(window, from, to);
    if (inside === undefined) continue;
    for (const indexed of ofWindow)
      if (reaches(indexed.part, window, inside)) found.push({ indexed, window, inside });
  }
  return found;
}

/** What is known of a stream. */
export const Mark = {
  /** All its rows can be taken as they stand in parts. */
  Apart: 0,
  /** Some have to be taken apart: it is read as a whole, with all that it has anywhere. */
  Other: 1,
  /** Apart, and it has rows in memory that overlap none of those in parts. */
  InMemory: 2,
} as const;

/** Decides which row groups of parts can be taken as they stand, for one form of a scan. */
export interface ApartTest {
  /** What is asked from now on is of this part, the so many-th. Those of one window stand together. */
  begin(part: PartOfWindow, number: number): void;
  /** Whether the groups of a run can be taken; is asked once of each. The first `oldest` of a stream's offsets is not expired. */
  takes(meeting: Meeting, oldest: number): boolean;
  /** Whether rows in memory between two times (ns) may overlap those in parts. */
  overlaps(place: number, first: bigint, last: bigint): boolean;
  /** Whether streams with rows in memory may be apart at all. */
  readonly allowsMemory: boolean;
}

/**
 * What is known of each stream of a scan, by place (`Mark`). A stream of which a delete or retention may have taken rows is
 * not apart.
 *
 * @param streams ascending numbers
 * @param parts those of one window stand together
 */
export async function markStreams(
  { snapshot, range, pace }: Pick<ScanRead, 'snapshot' | 'range' | 'pace'>,
  streams: Uint32Array,
  parts: readonly PartOfWindow[],
  test: ApartTest,
): Promise<Uint8Array> {
  const marks = new Uint8Array(streams.length);
  await markDeleted();
  for (const [number, part] of parts.entries()) {
    test.begin(part, number);
    await markMet(part);
  }
  await markInMemory();
  return marks;

  async function markMet(part: PartOfWindow): Promise<void> {
    const oldest = oldestOffset(snapshot, part.window);
    const next = meetingsOf(part, streams, range.parameters);
    let steps = 0;
    for (let meeting = next(); meeting !== undefined; meeting = next()) {
      const { place } = meeting;
      if (!test.takes(meeting, oldest(streams[place]!))) marks[place] = Mark.Other;
      const turn = ++steps % stepsOfTurn === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
    }
  }

  /** Streams of which a delete may take rows of these parts. */
  async function markDeleted(): Promise<void> {
    const taking = snapshot.tombstones.filter((tombstone) => parts.some((part) => mayTake(tombstone, part)));
    const looked = taking.reduce((sum, tombstone) => sum + tombstone.streams.length, 0);
    if (looked > mostLooked(streams.length)) {
      marks.fill(Mark.Other);
      return;
    }
    for (const tombstone of taking) {
      let place = 0;
      for (let i = 0; i < tombstone.streams.length && place < streams.length; i++) {
        const stream = tombstone.streams[i]!;
        place = passOver(streams, stream, place, streams.length);
        if (streams[place] === stream) marks[place] = Mark.Other;
        const turn = i % stepsOfTurn === 0 ? pace() : undefined;
        if (turn !== undefined) await turn;
      }
    }
  }

  /** Streams that have rows in memory: whether these overlap what is in parts. */
  async function markInMemory(): Promise<void> {
    const held = new Uint8Array(streams.length);
    for (const head of snapshot.heads) {
      visitStreams(head, (stream) => {
        const place = lowerBound(streams, stream);
        if (streams[place] === stream) held[place] = 1;
      });
      await pace();
    }
    for (let place = 0; place < streams.length; place++) {
      if (held[place] === 0 || marks[place] === Mark.Other) continue;
      marks[place] = test.allowsMemory ? markOf(place) : Mark.Other;
      const turn = place % heldOfTurn === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
    }
  }

  /** Of a stream with rows in memory that is apart in parts. */
  function markOf(place: number): number {
    const walk = walkOf(snapshot, streams[place]!, range.from, range.to, false);
    const sections = walk === undefined ? [] : headSections(walk, range.parameters);
    if (sections.length === 0) return Mark.Apart;
    return sections.some(({ first, last }) => test.overlaps(place, first, last)) ? Mark.Other : Mark.InMemory;
  }
}

/** Gives for a stream the first offset in a window that is not expired. */
function oldestOffset({ kept }: Pick<Snapshot, 'kept'>, window: number): (stream: number) => number {
  if (kept === undefined) return () => 0;
  const { now, topics, retentions } = kept;
  const start = windowStart(window);
  const ofTopics = new Map<number, number>();
  return (stream) => {
    const topic = topics[stream] ?? 0;
    let offset = ofTopics.get(topic);
    if (offset === undefined) {
      const retention = retentions[topic] ?? -1n;
      offset = retention < 0n ? 0 : offsetInWindow(now - retention, start);
      ofTopics.set(topic, offset);
    }
    return offset;
  };
}

/** Streams between two calls of the pace; of those in memory, each of which is looked for in all slabs. */
const stepsOfTurn = 2048;
const heldOfTurn = 32;

/** Where deletes name more streams than this, all streams count as touched: to look for them would take longer. */
function mostLooked(streams: number): number {
  return 4 * streams + 65_536;
}

/** Whether a delete may take rows of a window of a part. */
function mayTake({ lsn, from, to }: Tombstone, { indexed, window, inside }: PartOfWindow): boolean {
  if (lsn <= cleanLsnOf(indexed.part.record)) return false;
  const start = windowStart(window);
  if (to < start || from >= start + BigInt(windowSpan)) return false;
  return offsetInWindow(from, start) <= inside.last && offsetInWindow(to, start) >= inside.first;
}

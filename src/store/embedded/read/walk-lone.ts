import type { Pace } from '../../../turns/pace.ts';
import { visitStreams } from '../log/head.ts';
import { lowerBound } from '../parts/column-sets.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import { offsetInWindow, rangeInWindow, windowSpan, windowStart } from '../rows/windows.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { type ByWindow, type IndexedPart, reaches } from './indexed-parts.ts';
import { meetingsOf, type PartOfWindow, passOver } from './small-groups.ts';
import type { Snapshot } from './snapshot.ts';

/** The times of a read (ns, both inclusive) and the numbers of its parameters. */
export interface LoneRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly parameters: ReadonlySet<number>;
}

/** The parts of each window that may have rows between the times. */
export function partsOfWindows(parts: ByWindow<IndexedPart>, { from, to }: LoneRange): PartOfWindow[] {
  const found: PartOfWindow[] = [];
  for (const [window, ofWindow] of parts) {
    const inside = rangeInWindow(window, from, to);
    if (inside === undefined) continue;
    for (const indexed of ofWindow)
      if (reaches(indexed.part, window, inside)) found.push({ indexed, window, inside });
  }
  return found;
}

/**
 * Which streams of a read are not alone: a 1 for each that has rows in memory, more than one row group in a window, one
 * that is not small, or one of which a delete or retention may have taken rows. What the others have in a part can be taken
 * as it stands there.
 *
 * @param parts those of one window stand together
 * @param streams ascending numbers
 */
export async function streamsNotAlone(
  snapshot: Snapshot,
  parts: readonly PartOfWindow[],
  streams: Uint32Array,
  { parameters }: Pick<LoneRange, 'parameters'>,
  pace: Pace,
): Promise<Uint8Array> {
  const { heads, tombstones } = snapshot;
  const found = new Uint8Array(streams.length);
  for (const head of heads) {
    visitStreams(head, (stream) => {
      const place = lowerBound(streams, stream);
      if (streams[place] === stream) found[place] = 1;
    });
    await pace();
  }
  await markDeleted(found, streams, parts, tombstones, pace);
  /** By place: the last window in which the stream was met, counted from 1. */
  const metIn = new Uint32Array(streams.length);
  for (let i = 0, windows = 0; i < parts.length; i++) {
    if (parts[i]!.window !== parts[i - 1]?.window) windows++;
    await markMet(parts[i]!, windows);
  }
  return found;

  async function markMet(part: PartOfWindow, window: number): Promise<void> {
    const { minOffsets } = part.indexed.kept.index.groups;
    const oldest = oldestOffset(snapshot, part.window);
    const next = meetingsOf(part, streams, parameters);
    let steps = 0;
    for (let meeting = next(); meeting !== undefined; meeting = next()) {
      const { place, group, isSmall } = meeting;
      if (!isSmall || metIn[place] === window || minOffsets[group]! < oldest(streams[place]!))
        found[place] = 1;
      metIn[place] = window;
      const turn = ++steps % stepsOfTurn === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
    }
  }
}

/** Marks the streams of which a delete may take rows of these parts. */
export async function markDeleted(
  found: Uint8Array,
  streams: Uint32Array,
  parts: readonly PartOfWindow[],
  tombstones: readonly Tombstone[],
  pace: Pace,
): Promise<void> {
  const taking = tombstones.filter((tombstone) => parts.some((part) => mayTake(tombstone, part)));
  const looked = taking.reduce((sum, tombstone) => sum + tombstone.streams.length, 0);
  if (looked > mostLooked(streams.length)) {
    found.fill(1);
    return;
  }
  for (const tombstone of taking) {
    let place = 0;
    for (let i = 0; i < tombstone.streams.length && place < streams.length; i++) {
      const stream = tombstone.streams[i]!;
      place = passOver(streams, stream, place, streams.length);
      if (streams[place] === stream) found[place] = 1;
      const turn = i % stepsOfTurn === 0 ? pace() : undefined;
      if (turn !== undefined) await turn;
    }
  }
}

/** Gives for a stream the first offset in a window that is not expired. */
export function oldestOffset({ kept }: Pick<Snapshot, 'kept'>, window: number): (stream: number) => number {
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

/** Streams between two calls of the pace. */
export const stepsOfTurn = 2048;

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

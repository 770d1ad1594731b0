import type { Damage } from '../files/damage.ts';
import { type Files, isDiskError, writeZeros } from '../files/files.ts';
import {
  type FoundRecord,
  nextCommitStart,
  readRecord,
  recordEnd,
  recordHeaderBytes,
  recordMagic,
  scanRecords,
} from './log-record.ts';
import { type ReadSegment, readSegments } from './read-segment.ts';
import { segmentName, segmentSequence } from './segment-names.ts';
import type { Slab } from './slab.ts';

/** What a start finds in the log. */
export interface RecoveredLog {
  /** Slabs with at least one record to replay, in LSN order. */
  readonly slabs: readonly RecoveredSlab[];
  /** Segments of which nothing is needed any more. */
  readonly obsolete: readonly number[];
  /** Records that were on disk once and are not whole now. */
  readonly damages: readonly Damage[];
  /** What an interrupted write left after the last record: never acknowledged, and cut. */
  readonly cuts: readonly LogCut[];
  readonly lastLsn: number;
  readonly lastSequence: number;
}

export interface RecoveredSlab {
  readonly slab: Slab;
  readonly records: readonly FoundRecord[];
  readonly damaged: boolean;
}

export interface LogCut {
  readonly sequence: number;
  readonly from: number;
  readonly to: number;
}

interface ScannedSegment extends ReadSegment {
  readonly found: readonly FoundRecord[];
}

/**
 * Reads all segments and decides record by record (see docs/storage-format.md): up to the highest LSN that any
 * record says was synced, a record that is missing or broken is damage, and the intact ones around it stay;
 * after that mark the log ends at the first gap. Reads only; `settleLog` then makes it so on disk.
 *
 * @param appliedLsn records up to here stand in parts and manifest already
 * @param syncedLsn records up to here were on disk at the last clean stop
 */
export async function recoverLog(
  files: Files,
  appliedLsn: number,
  onProgress: (done: number, total: number) => void = () => undefined,
  syncedLsn = 0,
): Promise<RecoveredLog> {
  const sequences = (await files.list())
    .map(segmentSequence)
    .filter((sequence) => sequence !== undefined)
    .sort((a, b) => a - b);
  const segments: ScannedSegment[] = [];
  for await (const read of readSegments(files, sequences)) {
    segments.push({ ...read, found: scanRecords(read.slab, read.end) });
    onProgress(segments.length, sequences.length);
  }
  return judge(segments, appliedLsn, syncedLsn);
}

/** Where the walk over all segments stands: after the last record that is accounted for. */
interface Progress {
  segment: number;
  end: number;
  lsn: number;
}

/** Tells damage from the torn tail: the rest of a write that a stop interrupted, which nobody was told is durable. */
function judge(segments: readonly ScannedSegment[], appliedLsn: number, closedLsn: number): RecoveredLog {
  let syncedLsn = Math.max(appliedLsn, closedLsn);
  for (const segment of segments) syncedLsn = Math.max(syncedLsn, syncedIn(segment));

  const kept: FoundRecord[][] = segments.map(() => []);
  const damaged = new Set<number>();
  const damages: Damage[] = [];
  const last: Progress = { segment: 0, end: 0, lsn: appliedLsn };

  for (const [i, { slab, unreadable }] of segments.entries()) {
    for (const { from, to, what } of unreadable) {
      damaged.add(i);
      damages.push({ file: fileOf(slab), from, to, what });
    }
  }

  const reportGap = (segment: number, at: number, untilLsn: number) => {
    const isHidden = segments
      .slice(last.segment, segment + 1)
      .some(({ unreadable }) => unreadable.length > 0);
    const what = lost(last.lsn + 1, untilLsn, isHidden);
    const before = damages.length;
    for (let i = last.segment; i <= segment; i++) {
      const from = i === last.segment ? last.end : 0;
      const to = i === segment ? at : segments[i]!.end;
      if (from >= to) continue;
      damaged.add(i);
      damages.push({ file: fileOf(segments[i]!.slab), from, to, what });
    }
    if (damages.length === before) damages.push({ file: 'log', from: 0, to: 0, what });
  };

  walk: for (const [segment, { found }] of segments.entries()) {
    for (const record of found) {
      if (record.lsn > last.lsn) {
        const next = Math.max(last.lsn, syncedLsn) + 1;
        if (record.lsn > next || (record.lsn === next && !record.intact)) break walk;
        if (!record.intact) continue;
        if (record.lsn > last.lsn + 1) reportGap(segment, record.at, record.lsn - 1);
        kept[segment]!.push(record);
        last.lsn = record.lsn;
      }
      last.segment = segment;
      last.end = recordEnd(record);
    }
  }
  const hidden = recordsAfter(segments, last);
  const tailLost = last.lsn < syncedLsn || hidden > 0;
  if (last.lsn < syncedLsn) {
    const lastFound = Math.max(
      last.segment,
      segments.findLastIndex(({ found }) => found.length > 0),
    );
    reportGap(lastFound, segments[lastFound]?.end ?? 0, syncedLsn);
    last.lsn = syncedLsn;
  }
  // Their LSNs are never given again: a disk that cannot read them now may be able to later.
  last.lsn += hidden;
  const cuts: LogCut[] = [];
  for (let i = last.segment; i < segments.length; i++) {
    const segment = segments[i]!;
    const from = i === last.segment ? last.end : 0;
    const ranges = tailLost ? strays(segment, last.lsn) : traces(segment, from, last.lsn + 1);
    for (const range of ranges) cuts.push({ sequence: segment.slab.sequence, ...range });
  }
  const slabs: RecoveredSlab[] = [];
  const obsolete: number[] = [];
  let reached = appliedLsn;
  segments.forEach(({ slab, end }, i) => {
    const records = kept[i]!;
    if (records.length === 0 && !damaged.has(i)) {
      obsolete.push(slab.sequence);
      return;
    }
    slab.used = end;
    slab.firstLsn = records[0]?.lsn ?? reached;
    slab.lastLsn = records.at(-1)?.lsn ?? reached;
    reached = slab.lastLsn;
    slabs.push({ slab, records, damaged: damaged.has(i) });
  });
  // With the flush of the last slab what was hidden is over, so that it is not missed again.
  if (hidden > 0) slabs.at(-1)!.slab.lastLsn = last.lsn;
  const lastSequence = segments.at(-1)?.slab.sequence ?? 0;
  return { slabs, obsolete, damages, cuts, lastLsn: last.lsn, lastSequence };
}

/** What a segment tells of records that were on disk: by their own word, or because others stand after them. */
function syncedIn({ found, unreadable }: ScannedSegment): number {
  let syncedLsn = 0;
  for (const { synced } of found) syncedLsn = Math.max(syncedLsn, synced);
  for (const { to } of unreadable) {
    const after = found.find(({ at, intact }) => at >= to && intact);
    if (after !== undefined) syncedLsn = Math.max(syncedLsn, after.lsn - 1);
  }
  return syncedLsn;
}

/** How many records there may be at most in what cannot be read after the last one. */
function recordsAfter(segments: readonly ScannedSegment[], last: Progress): number {
  let count = 0;
  for (let i = last.segment; i < segments.length; i++) {
    for (const { from, to, maxRecords } of segments[i]!.unreadable) {
      if (i > last.segment || to > last.end || from === to) count += maxRecords;
    }
  }
  return count;
}

function fileOf({ sequence }: Slab): string {
  return `log/${segmentName(sequence)}`;
}

function lost(firstLsn: number, lastLsn: number, isHidden: boolean): string {
  if (isHidden) return `records ${firstLsn} to ${lastLsn} are not whole, as far as there were so many`;
  return firstLsn === lastLsn
    ? `record ${firstLsn} was acknowledged and is not whole`
    : `records ${firstLsn} to ${lastLsn} were acknowledged and are not whole`;
}

type Range = Pick<LogCut, 'from' | 'to'>;

/**
 * What an interrupted write left after `from`, where the log's last record ends: records that are not part of
 * the log, or the remains of one where the next would begin. Nothing where only zeros or older uses of the file
 * stand.
 */
function traces(segment: ScannedSegment, from: number, nextLsn: number): Range[] {
  const { slab, end, found } = segment;
  const ends = found.filter((record) => record.at >= from).map((record) => endIn(segment, record));
  for (const at of new Set([from, nextCommitStart(from)])) {
    if (isRemainder(slab, at, end, nextLsn)) ends.push(Math.min(end, at + recordHeaderBytes));
  }
  return ends.length === 0 ? [] : [{ from, to: ends.reduce((last, end) => Math.max(last, end)) }];
}

/**
 * Bodies of the records above `lastLsn`, where the log ends in lost ones. They must not come back, but their
 * headers tell each later start what was synced before them, and the lost bytes stay for people to look at.
 */
function strays(segment: ScannedSegment, lastLsn: number): Range[] {
  return segment.found
    .filter(({ lsn }) => lsn > lastLsn)
    .map((record) => ({ from: record.at + recordHeaderBytes, to: endIn(segment, record) }));
}

function endIn({ end }: ScannedSegment, record: FoundRecord): number {
  return Math.min(end, recordEnd(record));
}

function isRemainder(slab: Slab, at: number, end: number, nextLsn: number): boolean {
  if (at >= end) return false;
  const word = at >> 2;
  if (slab.u32[word] === recordMagic) return !isOlderRecord(slab, at, end);
  return slab.u32[word + 8] === slab.sequence && slab.f64[(at >> 3) + 1] === nextLsn;
}

function isOlderRecord(slab: Slab, at: number, end: number): boolean {
  const older = { ...slab, sequence: slab.u32[(at >> 2) + 8]! };
  return older.sequence < slab.sequence && readRecord(older, at, end) !== undefined;
}

/**
 * Makes what was recovered the truth on disk before anything is built on it: overwrites what was cut, so that no
 * later start can take it for records, and syncs the segments, for a killed process may have left records that
 * stand in the page cache only. Resolves with the error where the disk does not take that: what was recovered can be
 * read, and nothing may be written after it.
 */
export async function settleLog(files: Files, { slabs, cuts }: RecoveredLog): Promise<Error | undefined> {
  const sequences = new Set(cuts.map(({ sequence }) => sequence));
  for (const { slab, records } of slabs) if (records.length > 0) sequences.add(slab.sequence);
  try {
    for (const sequence of sequences) {
      const own = cuts.filter((cut) => cut.sequence === sequence);
      await settleSegment(files, sequence, own);
    }
    return undefined;
  } catch (error) {
    if (!isDiskError(error)) throw error;
    return error as Error;
  }
}

async function settleSegment(files: Files, sequence: number, cuts: readonly LogCut[]): Promise<void> {
  const file = await files.open(segmentName(sequence), false);
  try {
    for (const { from, to } of cuts) await writeZeros(file, from, to);
    await file.sync();
  } finally {
    await file.close();
  }
}

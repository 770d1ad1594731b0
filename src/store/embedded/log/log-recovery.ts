import type { Damage } from '../damage.ts';
import { type Files, readWhole, writeZeros } from '../files.ts';
import {
  type FoundRecord,
  nextGroup,
  readRecord,
  recordEnd,
  recordHeaderBytes,
  recordMagic,
  scanRecords,
} from './log-record.ts';
import { segmentName, segmentSequence } from './log-segments.ts';
import { align, groupAlignment, makeSlab, type Slab } from './slab.ts';

/** What a start finds in the log. */
export interface RecoveredLog {
  /** Slabs with at least one record to replay, in LSN order. */
  readonly slabs: readonly RecoveredSlab[];
  /** Segments of which nothing is needed any more. */
  readonly obsolete: readonly number[];
  /** Records that were on disk once and are not whole now. */
  readonly damages: readonly Damage[];
  /** What an interrupted write left behind the last record: never acknowledged, and cut. */
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

interface ScannedSegment {
  readonly slab: Slab;
  readonly end: number;
  readonly found: readonly FoundRecord[];
}

/**
 * Reads all segments and decides record by record (see docs/storage-format.md): up to the highest LSN that any
 * record says was synced, a record that is missing or broken is damage, and the intact ones around it stay;
 * behind that mark the log ends at the first gap. Reads only; `settleLog` then makes it so on disk.
 *
 * @param appliedLsn records up to here stand in parts and manifest already
 */
export async function recoverLog(
  files: Files,
  appliedLsn: number,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<RecoveredLog> {
  const sequences = (await files.list())
    .map(segmentSequence)
    .filter((sequence) => sequence !== undefined)
    .sort((a, b) => a - b);
  const segments: ScannedSegment[] = [];
  for (const sequence of sequences) {
    segments.push(await scanSegment(files, sequence));
    onProgress(segments.length, sequences.length);
  }
  return judge(segments, appliedLsn);
}

async function scanSegment(files: Files, sequence: number): Promise<ScannedSegment> {
  const file = await files.open(segmentName(sequence), false);
  try {
    const size = await file.size();
    const slab = makeSlab(sequence, new SharedArrayBuffer(align(size, groupAlignment)));
    const end = await readWhole(file, slab.bytes.subarray(0, size), 0);
    return { slab, end, found: scanRecords(slab, end) };
  } finally {
    await file.close();
  }
}

/** Where the walk over all segments stands: behind the last record that is accounted for. */
interface Progress {
  segment: number;
  end: number;
  lsn: number;
}

function judge(segments: readonly ScannedSegment[], appliedLsn: number): RecoveredLog {
  let syncedLsn = appliedLsn;
  for (const { found } of segments) for (const { synced } of found) syncedLsn = Math.max(syncedLsn, synced);

  const kept: FoundRecord[][] = segments.map(() => []);
  const damaged = new Set<number>();
  const damages: Damage[] = [];
  const last: Progress = { segment: 0, end: 0, lsn: appliedLsn };

  const reportGap = (segment: number, at: number, untilLsn: number) => {
    const what = lost(last.lsn + 1, untilLsn);
    const before = damages.length;
    for (let i = last.segment; i <= segment; i++) {
      const from = i === last.segment ? last.end : 0;
      const to = i === segment ? at : segments[i]!.end;
      if (from >= to) continue;
      damaged.add(i);
      damages.push({ file: `log/${segmentName(segments[i]!.slab.sequence)}`, from, to, what });
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
  const tailLost = last.lsn < syncedLsn;
  if (tailLost) {
    const lastFound = Math.max(
      last.segment,
      segments.findLastIndex(({ found }) => found.length > 0),
    );
    reportGap(lastFound, segments[lastFound]?.end ?? 0, syncedLsn);
    last.lsn = syncedLsn;
  }
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
  const lastSequence = segments.at(-1)?.slab.sequence ?? 0;
  return { slabs, obsolete, damages, cuts, lastLsn: last.lsn, lastSequence };
}

function lost(firstLsn: number, lastLsn: number): string {
  return firstLsn === lastLsn
    ? `record ${firstLsn} was acknowledged and is not whole`
    : `records ${firstLsn} to ${lastLsn} were acknowledged and are not whole`;
}

type Range = Pick<LogCut, 'from' | 'to'>;

/**
 * What an interrupted write left behind `from`, where the log's last record ends: records that are not part of
 * the log, or the remains of one where the next would begin. Nothing where only zeros or older uses of the file
 * stand.
 */
function traces(segment: ScannedSegment, from: number, nextLsn: number): Range[] {
  const { slab, end, found } = segment;
  const ends = found.filter((record) => record.at >= from).map((record) => endIn(segment, record));
  for (const at of new Set([from, nextGroup(from)])) {
    if (isRemainder(slab, at, end, nextLsn)) ends.push(Math.min(end, at + recordHeaderBytes));
  }
  return ends.length === 0 ? [] : [{ from, to: ends.reduce((most, end) => Math.max(most, end)) }];
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
 * stand in the page cache only.
 */
export async function settleLog(files: Files, { slabs, cuts }: RecoveredLog): Promise<void> {
  const sequences = new Set([...slabs.map(({ slab }) => slab.sequence), ...cuts.map((cut) => cut.sequence)]);
  for (const sequence of sequences) {
    const file = await files.open(segmentName(sequence), false);
    try {
      for (const cut of cuts) if (cut.sequence === sequence) await writeZeros(file, cut.from, cut.to);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

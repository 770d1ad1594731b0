import type { Damage } from './damage.ts';
import { type Files, readWhole, writeWhole } from './files.ts';
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
 * behind that mark the log ends at the first gap. Reads only; `cutLog` then makes the cuts.
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
    for (let i = last.segment; i <= segment; i++) {
      const from = i === last.segment ? last.end : 0;
      const to = i === segment ? at : segments[i]!.end;
      if (from >= to) continue;
      damaged.add(i);
      damages.push({ file: `log/${segmentName(segments[i]!.slab.sequence)}`, from, to, what });
    }
    if (damages.length === 0) damages.push({ file: 'log', from: 0, to: 0, what });
  };

  walk: for (const [segment, { found }] of segments.entries()) {
    for (const record of found) {
      if (record.lsn > last.lsn) {
        const next = record.lsn === last.lsn + 1;
        if (record.lsn > syncedLsn && !(next && record.intact)) break walk;
        if (!record.intact) continue;
        if (!next) reportGap(segment, record.at, record.lsn - 1);
        kept[segment]!.push(record);
        last.lsn = record.lsn;
      }
      last.segment = segment;
      last.end = recordEnd(record);
    }
  }
  const cuts: LogCut[] = [];
  if (last.lsn < syncedLsn) {
    const lastFound = Math.max(
      last.segment,
      segments.findLastIndex(({ found }) => found.length > 0),
    );
    reportGap(lastFound, segments[lastFound]?.end ?? 0, syncedLsn);
    last.lsn = syncedLsn;
  } else {
    for (let i = last.segment; i < segments.length; i++) {
      const from = i === last.segment ? last.end : 0;
      const to = findTrace(segments[i]!, from, last.lsn + 1);
      if (to !== undefined) cuts.push({ sequence: segments[i]!.slab.sequence, from, to });
    }
  }
  const slabs: RecoveredSlab[] = [];
  const obsolete: number[] = [];
  segments.forEach(({ slab, end }, i) => {
    const records = kept[i]!;
    if (records.length === 0 && !damaged.has(i)) {
      obsolete.push(slab.sequence);
      return;
    }
    slab.used = end;
    slab.firstLsn = records[0]?.lsn ?? last.lsn;
    slab.lastLsn = records.at(-1)?.lsn ?? last.lsn;
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

/**
 * The end of what an interrupted write left behind `from`, where the log's last record ends: records that are
 * not part of the log, or the remains of one where the next would begin. Undefined where only zeros or older
 * uses of the file stand.
 */
function findTrace({ slab, end, found }: ScannedSegment, from: number, nextLsn: number): number | undefined {
  const beyond = found
    .filter((record) => record.at >= from)
    .map((record) => Math.min(end, recordEnd(record)));
  for (const at of new Set([from, nextGroup(from)])) {
    if (isRemainder(slab, at, end, nextLsn)) beyond.push(at + recordHeaderBytes);
  }
  return beyond.length === 0 ? undefined : Math.max(...beyond);
}

function isRemainder(slab: Slab, at: number, end: number, nextLsn: number): boolean {
  if (at + recordHeaderBytes > end) return false;
  const word = at >> 2;
  if (slab.u32[word] === recordMagic) return !isOlderRecord(slab, at, end);
  return slab.u32[word + 8] === slab.sequence && slab.f64[(at >> 3) + 1] === nextLsn;
}

function isOlderRecord(slab: Slab, at: number, end: number): boolean {
  const older = { ...slab, sequence: slab.u32[(at >> 2) + 8]! };
  return older.sequence < slab.sequence && readRecord(older, at, end) !== undefined;
}

/** Overwrites what was cut, so that no later start can take it for records. */
export async function cutLog(files: Files, cuts: readonly LogCut[]): Promise<void> {
  for (const { sequence, from, to } of cuts) {
    const file = await files.open(segmentName(sequence), false);
    try {
      await writeWhole(file, new Uint8Array(to - from), from);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

import { closeSync, fsyncSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { rowsExtent } from '../log/rows-section.ts';
import { type SlabWords, slabWords } from '../log/slab.ts';
import { filePool } from '../parts/file-pool.ts';
import { type OpenPart, openPartFile } from '../parts/part-file.ts';
import { cleanLsnOf, type PartRecord } from '../parts/part-record.ts';
import { partName } from '../parts/part-set.ts';
import { createPartWriter, fileSink, type PartWriter } from '../parts/part-writer.ts';
import { windowOf, windowSpan } from '../rows/windows.ts';
import { windowTombstones } from '../tombstones/stream-tombstones.ts';
import type { Tombstone, WindowTombstone } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';
import { mergeParts } from './merge-parts.ts';
import { levelAbove } from './merge-policy.ts';
import { sealStream } from './seal-stream.ts';

/** Turns a slab into parts, one per time window. */
export interface SealJob {
  readonly type: 'seal';
  readonly memory: SharedArrayBuffer;
  readonly sections: Uint32Array;
  /** Deletes of rows to apply, by LSN; `lsns` are the records of the sections. */
  readonly tombstones: readonly Tombstone[];
  readonly lsns: Float64Array;
  readonly firstLsn: number;
  readonly lastLsn: number;
  /** Where parts are written, and the number of the first one. */
  readonly directory: string;
  readonly nextPart: number;
}

/** Makes one part of neighbours in LSN order (oldest first) of one window. */
export interface MergeJob {
  readonly type: 'merge';
  readonly parts: readonly PartRecord[];
  /** Bit n says whether stream n still exists; rows of others are dropped. */
  readonly alive: Uint8Array;
  /** Deletes of rows to apply, by LSN. */
  readonly tombstones: readonly Tombstone[];
  /** Per stream the first offset in the window that is not expired; undefined where no row ever expires. */
  readonly keptFrom: Float64Array | undefined;
  readonly directory: string;
  readonly nextPart: number;
}

/** New parts, durable under their names. */
export interface PartsMade {
  readonly parts: readonly PartRecord[];
}

export async function runJob(job: SealJob | MergeJob): Promise<PartsMade> {
  // Opened before anything is made: where the process has no file left for it, no part stays that nobody names.
  const directory = openSync(job.directory, 'r');
  try {
    const made = await (job.type === 'seal' ? seal(job) : merge(job));
    fsyncSync(directory);
    return made;
  } finally {
    closeSync(directory);
  }
}

async function seal(job: SealJob): Promise<PartsMade> {
  const slab = slabWords(job.memory);
  const lsnOf = new Map<number, number>();
  if (job.tombstones.length > 0) for (const [i, at] of job.sections.entries()) lsnOf.set(at, job.lsns[i]!);
  const parts: PartRecord[] = [];
  const byWindow = sectionsByWindow(slab, job.sections);
  const windows = [...byWindow.keys()].sort((a, b) => a - b);
  try {
    for (const window of windows) await sealWindow(window);
  } catch (error) {
    // On a full disk the job comes again and again: what it made must not fill the disk further.
    for (const { number } of parts) unlinkSync(join(job.directory, partName(number)));
    throw error;
  }
  return { parts };

  async function sealWindow(window: number): Promise<void> {
    const number = job.nextPart + parts.length;
    const { firstLsn, lastLsn, tombstones } = job;
    const target = { window, firstLsn, lastLsn, level: 0, ...cleanUpTo(tombstones, lastLsn) };
    const record = await writePart(job.directory, number, target, async (writer) => {
      const streams = byWindow.get(window)!;
      for (const stream of [...streams.keys()].sort((a, b) => a - b)) {
        const hidden = (at: number) => tombstonesIn(job, stream, lsnOf.get(at) ?? 0, window);
        await sealStream({ slab, sections: streams.get(stream)!, hidden, window }, writer);
      }
    });
    if (record !== undefined) parts.push(record);
  }
}

/** What hides rows of a stream in a window that stand in a part, or a record, of an LSN. */
function tombstonesIn(
  { tombstones }: Pick<SealJob, 'tombstones'>,
  stream: number,
  lsn: number,
  window: number,
): readonly WindowTombstone[] {
  return windowTombstones(tombstonesOf(tombstones, stream), lsn, window, 0, windowSpan - 1);
}

/** Positions of the sections of each window and stream, in LSN order. */
function sectionsByWindow(slab: SlabWords, sections: Uint32Array): Map<number, Map<number, number[]>> {
  const windows = new Map<number, Map<number, number[]>>();
  for (const at of sections) {
    const { stream, first, last } = rowsExtent(slab, at);
    for (let window = windowOf(first); window <= windowOf(last); window++) {
      const streams = windows.get(window) ?? new Map<number, number[]>();
      windows.set(window, streams);
      const own = streams.get(stream);
      if (own === undefined) streams.set(stream, [at]);
      else own.push(at);
    }
  }
  return windows;
}

/** Of more parts than that the files are opened in turn: they are read in large steps, so that costs little. */
const maxOpenFiles = 16;

async function merge(job: MergeJob): Promise<PartsMade> {
  const { alive, parts } = job;
  const files = filePool(maxOpenFiles);
  const open: OpenPart[] = [];
  const target = {
    window: parts[0]!.window,
    firstLsn: parts[0]!.firstLsn,
    lastLsn: parts.at(-1)!.lastLsn,
    // A part that is only cleaned stays what it is.
    level: levelAbove(parts),
    ...cleanUpTo(job.tombstones, parts.at(-1)!.lastLsn),
  };
  try {
    for (const { number } of parts)
      open.push(await openPartFile(join(job.directory, partName(number)), { files }));
    const record = await writePart(job.directory, job.nextPart, target, (writer) =>
      mergeParts(
        open.map(({ reader }) => reader),
        writer,
        {
          alive: (stream) => ((alive[stream >> 3]! >> (stream & 7)) & 1) === 1,
          keptFrom: (stream) => job.keptFrom?.[stream] ?? 0,
          tombstones: (part, stream) => tombstonesIn(job, stream, cleanLsnOf(parts[part]!), target.window),
        },
      ),
    );
    return { parts: record === undefined ? [] : [record] };
  } finally {
    for (const part of open) await part.close();
  }
}

type Target = Pick<PartRecord, 'window' | 'firstLsn' | 'lastLsn' | 'level' | 'cleanLsn'>;

/** A part to which all `tombstones` were applied, the newest last. */
function cleanUpTo(tombstones: readonly Tombstone[], lastLsn: number): Pick<PartRecord, 'cleanLsn'> {
  const cleanLsn = tombstones.at(-1)?.lsn ?? 0;
  return cleanLsn > lastLsn ? { cleanLsn } : {};
}

async function writePart(
  directory: string,
  number: number,
  target: Target,
  fill: (writer: PartWriter) => Promise<void> | void,
): Promise<PartRecord | undefined> {
  const path = join(directory, partName(number));
  const sink = fileSink(path);
  const { window, firstLsn, lastLsn } = target;
  try {
    const writer = createPartWriter(sink, { window, firstLsn, lastLsn });
    await fill(writer);
    const { rows, samples, bytes, minOffset, maxOffset } = writer.finish();
    sink.finish();
    if (rows > 0) return { number, ...target, rows, samples, bytes, minOffset, maxOffset };
    unlinkSync(path);
    return undefined;
  } catch (error) {
    sink.abandon();
    unlinkSync(path);
    throw error;
  }
}

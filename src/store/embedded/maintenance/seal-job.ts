import { type SlabWords, slabWords } from '../log/slab.ts';
import type { PartRecord } from '../parts/part-record.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { windowSpan } from '../rows/windows.ts';
import { windowTombstones } from '../tombstones/stream-tombstones.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';
import { sealStream } from './seal-stream.ts';
import { type SlabWindow, slabWindows, splitWindows } from './slab-windows.ts';
import { cleanUpTo, type PartsMade, removeMade, writePart } from './write-part.ts';

/**
 * Turns a slab into parts: one for each window of time that has a fair share of its rows, and one for all the others
 * together.
 */
export interface SealJob {
  readonly type: 'seal';
  readonly memory: SharedArrayBuffer;
  readonly sections: Uint32Array;
  /** Deletes of rows to apply, by LSN; `lsns` are the records of the sections. */
  readonly tombstones: readonly Tombstone[];
  readonly lsns: Float64Array;
  readonly firstLsn: number;
  readonly lastLsn: number;
  /** Where parts are written, and the number of the first one: there are no more than windows. */
  readonly directory: string;
  readonly nextPart: number;
}

export async function seal(job: SealJob): Promise<PartsMade> {
  const { firstLsn, lastLsn, tombstones } = job;
  const slab = slabWords(job.memory);
  const lsnOf = new Map<number, number>();
  if (tombstones.length > 0) for (const [i, at] of job.sections.entries()) lsnOf.set(at, job.lsns[i]!);
  const { own, spread } = splitWindows(slabWindows(slab, job.sections));
  const parts: PartRecord[] = [];
  try {
    for (const window of own) await sealWindows([window]);
    if (spread.length > 0) await sealWindows(spread);
  } catch (error) {
    removeMade(job.directory, parts);
    throw error;
  }
  return { parts };

  async function sealWindows(windows: readonly SlabWindow[]): Promise<void> {
    const { window } = windows[0]!;
    const target = { window, firstLsn, lastLsn, level: 0, ...cleanUpTo(tombstones, lastLsn) };
    const record = await writePart(job.directory, job.nextPart + parts.length, target, (writer) =>
      writeStreams(slab, windows, writer, (stream, at, inWindow) => {
        const lsn = lsnOf.get(at) ?? 0;
        return windowTombstones(tombstonesOf(tombstones, stream), lsn, inWindow, 0, windowSpan - 1);
      }),
    );
    if (record !== undefined) parts.push(record);
  }
}

type Hidden = (stream: number, section: number, window: number) => ReturnType<typeof windowTombstones>;

/** Writes the rows of some windows: by stream, and of each stream by window. */
async function writeStreams(
  slab: SlabWords,
  windows: readonly SlabWindow[],
  writer: PartWriter,
  hidden: Hidden,
): Promise<void> {
  const byStream = new Map<number, { window: number; sections: readonly number[] }[]>();
  for (const { window, streams } of windows) {
    for (const [stream, sections] of streams) {
      const own = byStream.get(stream);
      if (own === undefined) byStream.set(stream, [{ window, sections }]);
      else own.push({ window, sections });
    }
  }
  for (const stream of [...byStream.keys()].sort((a, b) => a - b)) {
    for (const { window, sections } of byStream.get(stream)!) {
      writer.beginWindow(window);
      await sealStream({ slab, sections, hidden: (at) => hidden(stream, at, window), window }, writer);
    }
  }
}

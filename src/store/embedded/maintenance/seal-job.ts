import { slabWords } from '../log/slab.ts';
import type { PartRecord } from '../parts/part-record.ts';
import { windowSpan } from '../rows/windows.ts';
import { windowTombstones } from '../tombstones/stream-tombstones.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';
import { sealStream } from './seal-stream.ts';
import { sectionsByStream, sectionsByWindow, splitWindows } from './slab-windows.ts';
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
  const { own, spread } = splitWindows(slab, job.sections);
  const parts: PartRecord[] = [];
  try {
    for (const window of own) await sealWindows([window]);
    if (spread.length > 0) await sealWindows(spread);
  } catch (error) {
    removeMade(job.directory, parts);
    throw error;
  }
  return { parts };

  /** Streams come one after another, and of each its windows. */
  async function sealWindows(windows: readonly number[]): Promise<void> {
    const target = { window: windows[0]!, firstLsn, lastLsn, level: 0, ...cleanUpTo(tombstones, lastLsn) };
    const number = job.nextPart + parts.length;
    const wanted = new Set(windows);
    const streams = sectionsByStream(slab, job.sections, windows);
    const record = await writePart(job.directory, number, target, async (writer) => {
      for (const stream of [...streams.keys()].sort((a, b) => a - b)) {
        const found = sectionsByWindow(slab, streams.get(stream)!);
        for (const window of [...found.keys()].filter((one) => wanted.has(one)).sort((a, b) => a - b)) {
          const hidden = (at: number) =>
            windowTombstones(tombstonesOf(tombstones, stream), lsnOf.get(at) ?? 0, window, 0, windowSpan - 1);
          writer.beginWindow(window);
          await sealStream({ slab, sections: found.get(window)!, hidden, window }, writer);
        }
      }
    });
    if (record !== undefined) parts.push(record);
  }
}

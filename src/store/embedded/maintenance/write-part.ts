import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { PartRecord } from '../parts/part-record.ts';
import { partName } from '../parts/part-set.ts';
import { createPartWriter, fileSink, type PartWriter } from '../parts/part-writer.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';

/** New parts, durable under their names. */
export interface PartsMade {
  readonly parts: readonly PartRecord[];
}

/** What is known of a part before it is written. */
export interface PartTarget extends Pick<PartRecord, 'firstLsn' | 'lastLsn' | 'level' | 'cleanLsn'> {
  /** The first window that it may have rows in. */
  readonly window: number;
}

/** A part to which all `tombstones` were applied, the newest last. */
export function cleanUpTo(tombstones: readonly Tombstone[], lastLsn: number): Pick<PartRecord, 'cleanLsn'> {
  const cleanLsn = tombstones.at(-1)?.lsn ?? 0;
  return cleanLsn > lastLsn ? { cleanLsn } : {};
}

/** Makes the file of a part; none where nothing is written to it. */
export async function writePart(
  directory: string,
  number: number,
  target: PartTarget,
  fill: (writer: PartWriter) => Promise<void>,
): Promise<PartRecord | undefined> {
  const path = join(directory, partName(number));
  const sink = fileSink(path);
  try {
    const writer = createPartWriter(sink, target);
    await fill(writer);
    const { window, windows, rows, samples, bytes, minOffset, maxOffset } = writer.finish();
    sink.finish();
    if (rows === 0) {
      unlinkSync(path);
      return undefined;
    }
    const { firstLsn, lastLsn, level, cleanLsn } = target;
    return {
      number,
      window,
      ...(windows.length > 1 && { windows }),
      firstLsn,
      lastLsn,
      level,
      ...(cleanLsn !== undefined && { cleanLsn }),
      rows,
      samples,
      bytes,
      minOffset,
      maxOffset,
    };
  } catch (error) {
    sink.abandon();
    unlinkSync(path);
    throw error;
  }
}

/** Removes files of parts: on a full disk a job comes again and again, and what it made must not fill the disk further. */
export function removeMade(directory: string, parts: readonly PartRecord[]): void {
  for (const { number } of parts) unlinkSync(join(directory, partName(number)));
}

import { isOutOfFiles } from '../../../errors.ts';
import type { Files, LogFile } from '../files/files.ts';
import { writeZeros } from '../files/files.ts';

/**
 * The files of the commit log. A segment is `segment-<number>.log`; a file that waits to become one is
 * `spare-<number>.log`. All have their blocks allocated (zeros written) before use, so that a sync moves data
 * only; a spare is made before it is needed. A segment with damage is kept as `damaged-<number>.log`.
 */
export interface Segments {
  /** Makes the segment's file ready for use, from a spare where one fits. */
  prepare(sequence: number, bytes: number): Promise<LogFile>;
  /** Has a spare at hand for the next `prepare`; failures wait for that call to meet them. */
  ensureSpare(): Promise<void>;
  /** The segment's records stand elsewhere now: its file becomes a spare or goes. */
  recycle(sequence: number): Promise<void>;
  /** Keeps a damaged segment out of the way, for people to look at. */
  setAside(sequence: number): Promise<void>;
  /** Closes all files; segments and spares stay for the next start. */
  close(): Promise<void>;
}

/** One in use next, one in the making. */
const maxSpares = 2;

export function segmentName(sequence: number): string {
  return logName('segment', sequence);
}

function logName(kind: 'segment' | 'spare' | 'damaged', number: number): string {
  return `${kind}-${String(number).padStart(12, '0')}.log`;
}

/** The number in a segment's file name, or undefined for another file. */
export function segmentSequence(name: string): number | undefined {
  const match = /^segment-(\d{12})\.log$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function isSpare(name: string): boolean {
  return /^spare-\d{12}\.log$/.test(name);
}

export function isSetAside(name: string): boolean {
  return /^damaged-\d{12}\.log$/.test(name);
}

export function openSegments(files: Files, segmentBytes: number, foundSpares: readonly string[]): Segments {
  const spares = [...foundSpares];
  const openFiles = new Map<number, { file: LogFile; bytes: number }>();
  let making: Promise<void> | undefined;
  let nextSpare = 1 + Math.max(0, ...foundSpares.map((name) => Number(name.slice('spare-'.length, -4))));

  async function allocate(name: string, bytes: number): Promise<LogFile> {
    await files.remove(name).catch(() => undefined);
    const file = await files.open(name, true);
    try {
      // Synced step by step, so that no other sync waits long for it.
      await writeZeros(file, 0, bytes, () => file.sync());
      await files.syncDirectory();
      return file;
    } catch (error) {
      await file.close().catch(() => undefined);
      await files.remove(name).catch(() => undefined);
      throw error;
    }
  }

  async function makeSpare(): Promise<void> {
    const name = logName('spare', nextSpare++);
    const file = await allocate(name, segmentBytes);
    await file.close();
    spares.push(name);
  }

  /** Where there is no file to be had for it now, the spare stays one. */
  async function openSpare(spare: string): Promise<LogFile> {
    try {
      return await files.open(spare, false);
    } catch (error) {
      if (isOutOfFiles(error)) spares.push(spare);
      throw error;
    }
  }

  /** A spare made into the segment, undefined where none fits. */
  async function takeSpare(name: string): Promise<LogFile | undefined> {
    for (let spare = spares.pop(); spare !== undefined; spare = spares.pop()) {
      const file = await openSpare(spare);
      try {
        // One that an earlier process left may be half made, or of another size because the setting changed.
        if ((await file.size()) === segmentBytes) {
          await files.rename(spare, name);
          await files.syncDirectory();
          return file;
        }
        await files.remove(spare);
      } catch (error) {
        await file.close().catch(() => undefined);
        throw error;
      }
      await file.close();
    }
    return undefined;
  }

  return {
    async prepare(sequence, bytes) {
      const name = segmentName(sequence);
      await making;
      const spare = bytes === segmentBytes ? await takeSpare(name) : undefined;
      const file = spare ?? (await allocate(name, bytes));
      openFiles.set(sequence, { file, bytes });
      return file;
    },
    ensureSpare() {
      if (spares.length > 0) return Promise.resolve();
      making ??= makeSpare()
        .catch(() => undefined)
        .finally(() => {
          making = undefined;
        });
      return making;
    },
    async recycle(sequence) {
      const name = segmentName(sequence);
      const open = openFiles.get(sequence);
      openFiles.delete(sequence);
      await open?.file.close();
      if (open?.bytes === segmentBytes && spares.length < maxSpares) {
        const spare = logName('spare', nextSpare++);
        await files.rename(name, spare);
        spares.push(spare);
        await files.syncDirectory();
      } else {
        await files.remove(name);
      }
    },
    async setAside(sequence) {
      await openFiles.get(sequence)?.file.close();
      openFiles.delete(sequence);
      await files.rename(segmentName(sequence), logName('damaged', sequence));
      await files.syncDirectory();
    },
    async close() {
      await making;
      for (const { file } of openFiles.values()) await file.close();
      openFiles.clear();
    },
  };
}

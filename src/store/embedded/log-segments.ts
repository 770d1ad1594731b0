import type { Files, LogFile } from './files.ts';
import { writeWhole } from './files.ts';

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
}

/** Files are zeroed and synced in steps of this size, so that no other sync waits long behind one. */
const fillStepBytes = 1 << 20;
/** One in use next, one in the making. */
const maxSpares = 2;

export function segmentName(sequence: number): string {
  return `segment-${String(sequence).padStart(12, '0')}.log`;
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
  let spareCount = 0;

  async function allocate(name: string, bytes: number): Promise<LogFile> {
    await files.remove(name).catch(() => undefined);
    const file = await files.open(name, true);
    try {
      const zeros = new Uint8Array(Math.min(bytes, fillStepBytes));
      for (let at = 0; at < bytes; at += zeros.length) {
        await writeWhole(file, zeros.subarray(0, Math.min(zeros.length, bytes - at)), at);
        await file.sync();
      }
      await files.syncDirectory();
      return file;
    } catch (error) {
      await file.close().catch(() => undefined);
      await files.remove(name).catch(() => undefined);
      throw error;
    }
  }

  async function makeSpare(): Promise<void> {
    const name = `spare-${String(Date.now() * 100 + (spareCount++ % 100))
      .slice(-12)
      .padStart(12, '0')}.log`;
    const file = await allocate(name, segmentBytes);
    await file.close();
    spares.push(name);
  }

  return {
    async prepare(sequence, bytes) {
      const name = segmentName(sequence);
      await making;
      const spare = bytes === segmentBytes ? spares.pop() : undefined;
      let file: LogFile;
      if (spare === undefined) {
        file = await allocate(name, bytes);
      } else {
        await files.rename(spare, name);
        await files.syncDirectory();
        file = await files.open(name, false);
      }
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
        const spare = `spare-${String(sequence).padStart(12, '0')}.log`;
        await files.rename(name, spare);
        await files.syncDirectory();
        spares.push(spare);
      } else {
        await files.remove(name);
      }
    },
    async setAside(sequence) {
      await openFiles.get(sequence)?.file.close();
      openFiles.delete(sequence);
      await files.rename(segmentName(sequence), segmentName(sequence).replace('segment', 'damaged'));
      await files.syncDirectory();
    },
  };
}

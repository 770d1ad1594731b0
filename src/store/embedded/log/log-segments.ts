import { isOutOfFiles } from '../../../errors.ts';
import type { Files, LogFile } from '../files/files.ts';
import { writeZeros } from '../files/files.ts';

/**
 * The files of the commit log. A segment is `segment-<number>.log`; a file that waits to become one is
 * `spare-<number>.log`. All have their blocks allocated (zeros written) before use, so that a sync moves data
 * only; a spare is made before it is needed. A segment with damage is kept as `damaged-<number>.log`.
 *
 * Spares are kept for a load, of the size that its next segment will have. At rest one of the smallest size stays.
 * `reserve.log` holds room on the disk for what frees some when it is full: a segment with a delete, and the edit of the
 * catalogue that lets go of part files.
 */
export interface Segments {
  /** Makes the segment's file ready for use, from a spare where one fits. */
  prepare(sequence: number, bytes: number): Promise<LogFile>;
  /** The same of the smallest size, where the disk is full: gives up the reserve, which leaves the catalogue some room too. */
  prepareFromReserve(sequence: number): Promise<LogFile>;
  /** Has a reserve for when the disk is full. Rejects where there is no room for it. */
  keepReserve(): Promise<void>;
  /** Has a spare of so many bytes at hand for the next `prepare`; failures wait for that call to meet them. */
  ensureSpare(bytes: number): Promise<void>;
  /** The segment's records stand elsewhere now: its file becomes a spare or goes. */
  recycle(sequence: number): Promise<void>;
  /** Keeps a damaged segment out of the way, for people to look at. */
  setAside(sequence: number): Promise<void>;
  /** Removes the spares, but for one of the smallest size, until the next `ensureSpare`. Never rejects. */
  rest(): Promise<void>;
  /** Closes all files; segments and spares stay for the next start. */
  close(): Promise<void>;
}

/** One in use next, one in the making; while there is a load. */
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

const reserveName = 'reserve.log';
/** For a segment of the smallest size, and as much for the catalogue. */
const reserveSegments = 2;

interface Spare {
  readonly name: string;
  readonly bytes: number;
}

/**
 * @param firstBytes the smallest size of a segment, of which a spare may stay at rest
 * @param found names of the spares that an earlier process left
 */
export async function openSegments(
  files: Files,
  firstBytes: number,
  found: readonly string[],
): Promise<Segments> {
  let spares = await keepOne(files, firstBytes, found);
  const openFiles = new Map<number, { file: LogFile; bytes: number }>();
  let making: Promise<void> | undefined;
  const reserveBytes = reserveSegments * firstBytes;
  let hasReserve = (await sizeOf(files, reserveName)) === reserveBytes;
  let reserving: Promise<void> | undefined;
  /** Files get their blocks one after the other: one that fails has taken room from others until it is removed. */
  let allocated: Promise<unknown> = Promise.resolve();
  /** Files that are renamed or removed now. */
  const moving = new Set<Promise<void>>();
  let nextSpare = 1 + Math.max(0, ...found.map((name) => Number(name.slice('spare-'.length, -4))));
  /** Of what size spares are kept, and how many. */
  let kept = { bytes: firstBytes, most: 1 };

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = allocated.then(step);
    allocated = done.catch(() => undefined);
    return done;
  }

  function allocate(name: string, bytes: number): Promise<LogFile> {
    return inTurn(() => allocateNow(name, bytes));
  }

  async function allocateNow(name: string, bytes: number): Promise<LogFile> {
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

  function keepReserve(): Promise<void> {
    if (hasReserve) return Promise.resolve();
    reserving ??= inTurn(async () => {
      const file = await allocateNow(reserveName, reserveBytes);
      hasReserve = true;
      await file.close();
    }).finally(() => {
      reserving = undefined;
    });
    return reserving;
  }

  async function makeSpare(bytes: number): Promise<void> {
    const name = logName('spare', nextSpare++);
    const file = await allocate(name, bytes);
    await file.close();
    spares.push({ name, bytes });
    await dropOthers();
  }

  /** Removes spares of sizes that are not kept, and more than are. Their names last if that fails, until a start. */
  async function dropOthers(): Promise<void> {
    const staying = spares.filter(({ bytes }) => bytes === kept.bytes).slice(0, kept.most);
    const others = spares.filter((spare) => !staying.includes(spare));
    spares = staying;
    for (const { name } of others) await files.remove(name).catch(() => undefined);
  }

  /** Where there is no file to be had for it now, the spare stays one. */
  async function openSpare(spare: Spare): Promise<LogFile> {
    try {
      return await files.open(spare.name, false);
    } catch (error) {
      if (isOutOfFiles(error)) spares.push(spare);
      throw error;
    }
  }

  /** A spare made into the segment, undefined where none fits. */
  async function takeSpare(name: string, bytes: number): Promise<LogFile | undefined> {
    const spare = spares.findLast((other) => other.bytes === bytes);
    if (spare === undefined) return undefined;
    spares = spares.filter((other) => other !== spare);
    const file = await openSpare(spare);
    try {
      await files.rename(spare.name, name);
      await files.syncDirectory();
      return file;
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  async function recycle(sequence: number): Promise<void> {
    const name = segmentName(sequence);
    const open = openFiles.get(sequence);
    openFiles.delete(sequence);
    await open?.file.close();
    if (open?.bytes === kept.bytes && spares.length < kept.most) {
      const spare = { name: logName('spare', nextSpare++), bytes: open.bytes };
      await files.rename(name, spare.name);
      spares.push(spare);
      await files.syncDirectory();
      await dropOthers();
    } else {
      await files.remove(name);
    }
  }

  return {
    async prepare(sequence, bytes) {
      const name = segmentName(sequence);
      await making;
      const file = (await takeSpare(name, bytes)) ?? (await allocate(name, bytes));
      openFiles.set(sequence, { file, bytes });
      keepReserve().catch(() => undefined);
      return file;
    },
    async prepareFromReserve(sequence) {
      const file = await inTurn(async () => {
        if (hasReserve) await files.remove(reserveName);
        hasReserve = false;
        return allocateNow(segmentName(sequence), firstBytes);
      });
      openFiles.set(sequence, { file, bytes: firstBytes });
      return file;
    },
    keepReserve,
    ensureSpare(bytes) {
      kept = { bytes, most: maxSpares };
      if (spares.some((spare) => spare.bytes === bytes)) return Promise.resolve();
      making ??= makeSpare(bytes)
        .catch(() => undefined)
        .finally(() => {
          making = undefined;
        });
      return making;
    },
    recycle(sequence) {
      const moved = recycle(sequence);
      const ended: Promise<void> = moved
        .catch(() => undefined)
        .finally(() => {
          moving.delete(ended);
        });
      moving.add(ended);
      return moved;
    },
    async rest() {
      kept = { bytes: firstBytes, most: 1 };
      await making;
      await dropOthers();
    },
    async setAside(sequence) {
      await openFiles.get(sequence)?.file.close();
      openFiles.delete(sequence);
      await files.rename(segmentName(sequence), logName('damaged', sequence));
      await files.syncDirectory();
    },
    async close() {
      await making;
      await reserving?.catch(() => undefined);
      await Promise.all(moving);
      for (const { file } of openFiles.values()) await file.close();
      openFiles.clear();
    },
  };
}

/**
 * Of the spares that an earlier process left keeps one of the smallest size: the others may be half made, of another
 * size because the setting changed, or are more than a store at rest needs.
 */
async function keepOne(files: Files, bytes: number, found: readonly string[]): Promise<Spare[]> {
  const kept: Spare[] = [];
  for (const name of found) {
    const fits = kept.length === 0 && (await sizeOf(files, name)) === bytes;
    if (fits) kept.push({ name, bytes });
    else await files.remove(name).catch(() => undefined);
  }
  return kept;
}

/** Undefined where the file cannot be opened. */
async function sizeOf(files: Files, name: string): Promise<number | undefined> {
  try {
    const file = await files.open(name, false);
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

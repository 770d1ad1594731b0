import { isOutOfFiles } from '../../../errors.ts';
import type { Files, LogFile } from '../files/files.ts';
import { writeZeros } from '../files/files.ts';
import { logName, segmentName } from './segment-names.ts';

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
  const spares = await keepOne(files, firstBytes, found);
  const hasReserve = (await sizeOf(files, reserveName)) === reserveSegments * firstBytes;
  return new LogSegments(files, firstBytes, found, { spares, hasReserve });
}

class LogSegments implements Segments {
  readonly #files: Files;
  readonly #firstBytes: number;
  #spares;
  #hasReserve;
  readonly #openFiles = new Map<number, { file: LogFile; bytes: number }>();
  #making: Promise<void> | undefined;
  readonly #reserveBytes;
  #reserving: Promise<void> | undefined;
  /** Files get their blocks one after the other: one that fails has taken room from others until it is removed. */
  #allocated: Promise<unknown> = Promise.resolve();
  /** Files that are renamed or removed now. */
  readonly #moving = new Set<Promise<void>>();
  #nextSpare;
  /** Of what size spares are kept, and how many. */
  #kept;

  constructor(
    files: Files,
    firstBytes: number,
    found: readonly string[],
    there: { readonly spares: Spare[]; readonly hasReserve: boolean },
  ) {
    this.#files = files;
    this.#firstBytes = firstBytes;
    this.#spares = there.spares;
    this.#hasReserve = there.hasReserve;
    this.#reserveBytes = reserveSegments * firstBytes;
    this.#nextSpare = 1 + Math.max(0, ...found.map((name) => Number(name.slice('spare-'.length, -4))));
    this.#kept = { bytes: firstBytes, most: 1 };
  }

  readonly keepReserve = (): Promise<void> => {
    if (this.#hasReserve) return Promise.resolve();
    this.#reserving ??= this.#inTurn(async () => {
      const file = await this.#allocateNow(reserveName, this.#reserveBytes);
      this.#hasReserve = true;
      await file.close();
    }).finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  };

  readonly recycle = (sequence: number): Promise<void> => {
    const moved = this.#release(sequence);
    const ended: Promise<void> = moved
      .catch(() => undefined)
      .finally(() => {
        this.#moving.delete(ended);
      });
    this.#moving.add(ended);
    return moved;
  };

  readonly rest = async (): Promise<void> => {
    this.#kept = { bytes: this.#firstBytes, most: 1 };
    await this.#making;
    await this.#dropOthers();
  };

  readonly close = async (): Promise<void> => {
    await this.#making;
    await this.#reserving?.catch(() => undefined);
    await Promise.all(this.#moving);
    for (const { file } of this.#openFiles.values()) await file.close();
    this.#openFiles.clear();
  };

  async prepare(sequence: number, bytes: number): Promise<LogFile> {
    const name = segmentName(sequence);
    await this.#making;
    const file = (await this.#takeSpare(name, bytes)) ?? (await this.#allocate(name, bytes));
    this.#openFiles.set(sequence, { file, bytes });
    this.keepReserve().catch(() => undefined);
    return file;
  }

  async prepareFromReserve(sequence: number): Promise<LogFile> {
    const name = segmentName(sequence);
    const file = await this.#inTurn(() =>
      this.#hasReserve ? this.#reserveAs(name) : this.#allocateNow(name, this.#firstBytes),
    );
    this.#openFiles.set(sequence, { file, bytes: this.#firstBytes });
    return file;
  }

  ensureSpare(bytes: number): Promise<void> {
    this.#kept = { bytes, most: maxSpares };
    if (this.#spares.some((spare) => spare.bytes === bytes)) return Promise.resolve();
    this.#making ??= this.#makeSpare(bytes)
      .catch(() => undefined)
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  async setAside(sequence: number): Promise<void> {
    await this.#openFiles.get(sequence)?.file.close();
    this.#openFiles.delete(sequence);
    await this.#files.rename(segmentName(sequence), logName('damaged', sequence));
    await this.#files.syncDirectory();
  }

  /** Half of the reserve becomes the segment as it stands: room that was given back first, parts in the making would take. */
  async #reserveAs(name: string): Promise<LogFile> {
    const file = await this.#files.open(reserveName, false);
    this.#hasReserve = false;
    await this.#become(file, reserveName, name);
    await file.truncate(this.#firstBytes);
    return file;
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#allocated.then(step);
    this.#allocated = done.catch(() => undefined);
    return done;
  }

  #allocate(name: string, bytes: number): Promise<LogFile> {
    return this.#inTurn(() => this.#allocateNow(name, bytes));
  }

  async #allocateNow(name: string, bytes: number): Promise<LogFile> {
    await this.#files.remove(name).catch(() => undefined);
    const file = await this.#files.open(name, true);
    try {
      // Synced step by step, so that no other sync waits long for it.
      await writeZeros(file, 0, bytes, () => file.sync());
      await this.#files.syncDirectory();
      return file;
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.#files.remove(name).catch(() => undefined);
      throw error;
    }
  }

  async #makeSpare(bytes: number): Promise<void> {
    const name = logName('spare', this.#nextSpare++);
    const file = await this.#allocate(name, bytes);
    await file.close();
    this.#spares.push({ name, bytes });
    await this.#dropOthers();
  }

  /** Removes spares of sizes that are not kept, and more than are. Their names last if that fails, until a start. */
  async #dropOthers(): Promise<void> {
    const staying = this.#spares.filter(({ bytes }) => bytes === this.#kept.bytes).slice(0, this.#kept.most);
    const others = this.#spares.filter((spare) => !staying.includes(spare));
    this.#spares = staying;
    for (const { name } of others) await this.#files.remove(name).catch(() => undefined);
  }

  /** Where there is no file to be had for it now, the spare stays one. */
  async #openSpare(spare: Spare): Promise<LogFile> {
    try {
      return await this.#files.open(spare.name, false);
    } catch (error) {
      if (isOutOfFiles(error)) this.#spares.push(spare);
      throw error;
    }
  }

  /** A spare made into the segment, undefined where none fits. */
  async #takeSpare(name: string, bytes: number): Promise<LogFile | undefined> {
    const spare = this.#spares.findLast((other) => other.bytes === bytes);
    if (spare === undefined) return undefined;
    this.#spares = this.#spares.filter((other) => other !== spare);
    const file = await this.#openSpare(spare);
    await this.#become(file, spare.name, name);
    return file;
  }

  /** Renames a file that is open, and closes it where that fails. */
  async #become(file: LogFile, from: string, to: string): Promise<void> {
    try {
      await this.#files.rename(from, to);
      await this.#files.syncDirectory();
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  async #release(sequence: number): Promise<void> {
    const name = segmentName(sequence);
    const open = this.#openFiles.get(sequence);
    this.#openFiles.delete(sequence);
    await open?.file.close();
    if (open?.bytes === this.#kept.bytes && this.#spares.length < this.#kept.most) {
      const spare = { name: logName('spare', this.#nextSpare++), bytes: open.bytes };
      await this.#files.rename(name, spare.name);
      this.#spares.push(spare);
      await this.#files.syncDirectory();
      await this.#dropOthers();
    } else {
      await this.#files.remove(name);
    }
  }
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

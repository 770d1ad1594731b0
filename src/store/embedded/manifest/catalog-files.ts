import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedError } from '../files/damage.ts';
import { isDiskError, namesIn, syncDirectory } from '../files/files.ts';
import { type Frame, type Peek, readFrame } from './frames.ts';

/**
 * The folder `catalog/`:
 *
 *   snapshot-<number>   all entries of one moment, written once: a head `{"sequence": that of the moment}`, entries by
 *                       table and key, an end `{"counts": by table, "meta": the table meta once more}`
 *   edits-<number>      what was committed since the snapshot of that number: a head `{"sequence": that of the last commit
 *                       before}`, then a frame for each commit
 *   closed              the last clean stop: `{"sequence", "counts", "meta"}` of the last commit then
 *   damaged-<name>      a file with damage that could not be repaired, for people to look at
 *   <name>.new          half made; goes at the next start
 *
 * A commit is on disk once its frame is. Now and then the manifest goes on in a new file of edits and writes a snapshot of
 * what was before (compaction.ts). The newest snapshot before that, and the edits since, are kept: where the new one is
 * damaged, they give the same.
 */
export const closedName = 'closed';

export function snapshotName(number: number): string {
  return `snapshot-${String(number).padStart(12, '0')}`;
}

export function editsName(number: number): string {
  return `edits-${String(number).padStart(12, '0')}`;
}

/** The number that the frames of a file of this name have; undefined for a file of another kind. */
export function catalogNumber(name: string): number | undefined {
  if (name === closedName) return 0;
  const match = /^(?:snapshot|edits)-(\d{12})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export interface FolderFiles {
  readonly names: readonly string[];
  /** Numbers, ascending. */
  readonly snapshots: readonly number[];
  readonly edits: readonly number[];
}

export async function listFiles(directory: string): Promise<FolderFiles> {
  const names = await namesIn(directory);
  const numbers = (pattern: RegExp) =>
    names
      .map((name) => pattern.exec(name)?.[1])
      .filter((number) => number !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
  return { names, snapshots: numbers(/^snapshot-(\d{12})$/), edits: numbers(/^edits-(\d{12})$/) };
}

/** Of a snapshot's end, and of `closed`. */
export interface Summary {
  readonly counts: Readonly<Record<string, number>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface Closed extends Summary {
  readonly sequence: number;
}

/** The bytes of `closed`, undefined where it is not there. */
export async function readClosed(directory: string): Promise<Buffer | undefined> {
  return await readFile(join(directory, closedName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (isDiskError(error)) return Buffer.alloc(0);
    throw error;
  });
}

/** The file has its name, for good. */
export async function settleName(directory: string, from: string, to: string): Promise<void> {
  await rename(join(directory, from), join(directory, to));
  await syncDirectory(directory);
}

/** A file of frames that is open to be read. It may grow. */
export interface CatalogFile {
  readonly path: string;
  readonly number: number;
  /** What stands for it in locations. */
  readonly slot: number;
  readonly peek: Peek;
  size(): number;
  /** A frame with entries begins there; each follows the one before. */
  note(at: number, withStreams: boolean): void;
  /** The frame that holds a position. Throws DamagedError. */
  frameAt(position: number): Frame;
  /** Where the frames with streams begin. */
  readonly streamFrames: readonly number[];
  hold(): void;
  /** Closes it when nobody holds it. */
  release(): void;
}

/** Opens files, each with a slot that no other has. */
export function fileOpener(): (path: string, number: number) => CatalogFile {
  const taken = new Set<number>();
  return (path, number) => {
    let slot = 0;
    while (taken.has(slot)) slot++;
    taken.add(slot);
    return openCatalogFile(path, number, slot, () => taken.delete(slot));
  };
}

/** Bytes that are read together. */
const windowBytes = 1 << 20;
/** The step in which a disk is asked that cannot read something. */
const pageBytes = 4096;
/** The frames that were read last and are kept. */
const keptFrames = 8;

function openCatalogFile(path: string, number: number, slot: number, onClosed: () => void): CatalogFile {
  const descriptor = openSync(path, 'r');
  const starts: number[] = [];
  const streamFrames: number[] = [];
  let held = 1;
  let kept: Frame[] = [];
  const peek = windowOn(descriptor);
  return {
    path,
    number,
    slot,
    peek,
    streamFrames,
    size: () => fstatSync(descriptor).size,
    note(at, withStreams) {
      starts.push(at);
      if (withStreams) streamFrames.push(at);
    },
    frameAt(position) {
      const known = kept.find(({ at, end }) => at <= position && position < end);
      if (known !== undefined) return known;
      const at = starts[lastUpTo(starts, position)] ?? 0;
      const found = readFrame(peekOnce(descriptor), at, fstatSync(descriptor).size, number);
      if (found === undefined || !('body' in found))
        throw new DamagedError(path, at, found?.end ?? at, 'entries do not have their checksum');
      kept = [found, ...kept.slice(0, keptFrames - 1)];
      return found;
    },
    hold: () => {
      held++;
    },
    release() {
      if (--held > 0) return;
      closeSync(descriptor);
      onClosed();
    },
  };
}

/** The place of the last number that is not above `limit`. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function peekOnce(descriptor: number): Peek {
  return (at, length) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readAt(descriptor, bytes, at));
  };
}

/** Reads a file from front to back, in large steps. */
function windowOn(descriptor: number): Peek {
  let window = Buffer.alloc(0);
  let filled = 0;
  let start = 0;
  return (at, length) => {
    if (at < start || at + length > start + filled) {
      if (window.length < Math.max(length, windowBytes))
        window = Buffer.allocUnsafeSlow(Math.max(length, windowBytes));
      filled = readAt(descriptor, window, at);
      start = at;
    }
    return window.subarray(at - start, Math.min(at - start + length, filled));
  };
}

/** Bytes read. What the disk cannot read is zeros: no frame has its checksum with them. */
function readAt(descriptor: number, into: Buffer, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readStep(descriptor, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function readStep(descriptor: number, into: Buffer, at: number, length: number, position: number): number {
  try {
    return readSync(descriptor, into, at, length, position);
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const step = Math.min(length, pageBytes - (position % pageBytes), fstatSync(descriptor).size - position);
    if (step < length && step > 0) return readStep(descriptor, into, at, step, position);
    into.fill(0, at, at + Math.max(step, 0));
    return Math.max(step, 0);
  }
}

import { type Files, isDiskError, type LogFile, readWhole } from '../files/files.ts';
import { recordHeaderBytes } from './log-record.ts';
import { segmentName } from './segment-names.ts';
import { align, commitAlignment, makeSlab, type Slab } from './slab.ts';

/** A range of bytes [from, to) of a segment that the disk does not give. */
export interface UnreadableRange {
  readonly from: number;
  readonly to: number;
  readonly what: string;
  /** No more records than this can have stood there. */
  readonly maxRecords: number;
}

/** A segment as far as the disk gives it; zeros stand where it does not. */
export interface ReadSegment {
  readonly slab: Slab;
  /** Bytes that the file has. */
  readonly end: number;
  readonly unreadable: readonly UnreadableRange[];
}

/** Most segments are one read where all is well, during which the thread is free to scan another. */
const readBytes = 16 << 20;
/** Where a read fails, it is repeated in steps of this size, and then of a page: a bad sector costs no more than that. */
const searchBytes = 64 * 1024;

/** The size of a file that cannot be opened is unknown: more records than this have never stood in a segment. */
const maxUnknownRecords = 2 ** 21;

/** Reads segments one after the other; while the caller looks at one, the next is read. */
export async function* readSegments(files: Files, sequences: readonly number[]): AsyncGenerator<ReadSegment> {
  let next = begin(0);
  for (let i = 0; i < sequences.length; i++) {
    const read = await next!;
    next = begin(i + 1);
    yield read;
  }

  function begin(i: number): Promise<ReadSegment> | undefined {
    const reading = i < sequences.length ? readSegment(files, sequences[i]!) : undefined;
    // It is told when its turn comes.
    reading?.catch(() => undefined);
    return reading;
  }
}

/** Reads a segment around what cannot be read. Rejects with errors that are not the disk's. */
async function readSegment(files: Files, sequence: number): Promise<ReadSegment> {
  let file: LogFile | undefined;
  try {
    file = await files.open(segmentName(sequence), false);
    const size = await file.size();
    const slab = makeSlab(sequence, new SharedArrayBuffer(align(size, commitAlignment)));
    const unreadable: UnreadableRange[] = [];
    const end = await readAround(file, slab.bytes.subarray(0, size), 0, readBytes, unreadable);
    return { slab, end, unreadable };
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const what = `the disk cannot read this file: ${(error as Error).message}`;
    const slab = makeSlab(sequence, new SharedArrayBuffer(0));
    return { slab, end: 0, unreadable: [{ from: 0, to: 0, what, maxRecords: maxUnknownRecords }] };
  } finally {
    await file?.close();
  }
}

/** Reads `into` from `position` on, in steps; returns where the file ended, or all was read. */
async function readAround(
  file: LogFile,
  into: Uint8Array,
  position: number,
  stepBytes: number,
  unreadable: UnreadableRange[],
): Promise<number> {
  for (let at = 0; at < into.length; at += stepBytes) {
    const step = into.subarray(at, at + stepBytes);
    const from = position + at;
    let end: number;
    try {
      end = from + (await readWhole(file, step, from));
    } catch (error) {
      if (!isDiskError(error)) throw error;
      step.fill(0);
      end = from + step.length;
      if (stepBytes > commitAlignment) {
        const smaller = stepBytes > searchBytes ? searchBytes : commitAlignment;
        end = await readAround(file, step, from, smaller, unreadable);
      } else {
        note(unreadable, from, end, (error as Error).message);
      }
    }
    if (end < from + step.length) return end;
  }
  return position + into.length;
}

/** Pages that follow one another are one range. */
function note(unreadable: UnreadableRange[], begin: number, to: number, reason: string): void {
  const last = unreadable.at(-1);
  const joins = last?.to === begin;
  const from = joins ? last.from : begin;
  const range = {
    from,
    to,
    what: `the disk cannot read these bytes: ${reason}`,
    // One of them may begin before the range.
    maxRecords: 1 + Math.ceil((to - from) / recordHeaderBytes),
  };
  unreadable.splice(joins ? -1 : unreadable.length, 1, range);
}

import { crc32 } from 'node:zlib';
import { align, commitAlignment, type Slab } from './slab.ts';

/**
 * One record of the commit log: everything that one request changes. Little endian.
 *
 *   0  u32  magic "PWR1" (the last digit is the version of the log's format)
 *   4  u32  length of the body in bytes, a multiple of 8
 *   8  f64  LSN: 1, 2, 3, …
 *  16  f64  arrival, milliseconds since the Unix epoch
 *  24  f64  synced: every record up to this LSN was on disk before this one was written
 *  32  u32  number of the segment, so that bytes of a recycled file never pass for new ones
 *  36  u32  CRC-32 of the body
 *  40  u32  0
 *  44  u32  CRC-32 of the 44 bytes before
 *  48       body: sections (sections.ts)
 *
 * Records follow one another. A group commit (what one sync covers) begins at a multiple of 4096, after zeros.
 */
export const recordMagic = 0x31525750;
export const recordHeaderBytes = 48;

/** Where a header has the number of its segment, and its checksum. */
export const segmentNumberAt = 32;
export const headerChecksumAt = 44;

/** Where a record stands in its slab. */
export interface RecordPlace {
  /** Position of the header in bytes. */
  readonly at: number;
  readonly length: number;
  readonly lsn: number;
  readonly arrival: number;
}

/** @param bodyCrc the CRC-32 of the body, where it is known already */
export function stampHeader(
  slab: Slab,
  place: RecordPlace,
  synced: number,
  bodyCrc = crc32(bodyOf(slab, place)),
): void {
  const { at, length, lsn, arrival } = place;
  const { u32, f64, bytes } = slab;
  const word = at >> 2;
  const double = at >> 3;
  u32[word] = recordMagic;
  u32[word + 1] = length;
  f64[double + 1] = lsn;
  f64[double + 2] = arrival;
  f64[double + 3] = synced;
  u32[word + 8] = slab.sequence;
  u32[word + 9] = bodyCrc;
  u32[word + 10] = 0;
  u32[word + 11] = crc32(bytes.subarray(at, at + headerChecksumAt));
}

/** The bytes of a record after its header. */
export function bodyOf({ bytes }: Slab, { at, length }: RecordPlace): Buffer {
  return bytes.subarray(at + recordHeaderBytes, at + recordHeaderBytes + length);
}

export interface FoundRecord extends RecordPlace {
  readonly synced: number;
  /** False when the header is intact and the body is not. */
  readonly intact: boolean;
}

/**
 * Reads the record whose header stands at `at`, or undefined where no intact header of this segment stands.
 * `end` is the number of bytes that the segment has.
 */
export function readRecord(slab: Slab, at: number, end: number): FoundRecord | undefined {
  if (at + recordHeaderBytes > end) return undefined;
  const { u32, f64, bytes } = slab;
  const word = at >> 2;
  if (u32[word] !== recordMagic || u32[word + 8] !== slab.sequence) return undefined;
  if (u32[word + 11] !== crc32(bytes.subarray(at, at + headerChecksumAt))) return undefined;
  const length = u32[word + 1]!;
  const double = at >> 3;
  const bodyEnd = at + recordHeaderBytes + length;
  const intact = bodyEnd <= end && u32[word + 9] === crc32(bytes.subarray(at + recordHeaderBytes, bodyEnd));
  return {
    at,
    length,
    lsn: f64[double + 1]!,
    arrival: f64[double + 2]!,
    synced: f64[double + 3]!,
    intact,
  };
}

/**
 * Every record of a segment, intact or not, in file order. After a place that is no record the search goes on
 * at each multiple of 8, so that damage costs no more than the records it touches.
 */
export function scanRecords(slab: Slab, end: number): FoundRecord[] {
  const found: FoundRecord[] = [];
  let at = 0;
  while (at + recordHeaderBytes <= end) {
    const record = slab.u32[at >> 2] === recordMagic ? readRecord(slab, at, end) : undefined;
    if (record === undefined) {
      at = nextMark(slab, at + 8);
    } else {
      found.push(record);
      at = recordEnd(record);
    }
  }
  return found;
}

const markBytes = Buffer.from(Uint32Array.of(recordMagic).buffer);

/** Where a record may begin, from a multiple of 8 on; Infinity where none does. Most of a segment is often unused. */
function nextMark({ bytes }: Slab, from: number): number {
  for (let at = from; ; at++) {
    at = bytes.indexOf(markBytes, at);
    if (at === -1) return Number.POSITIVE_INFINITY;
    if (at % 8 === 0) return at;
  }
}

export function recordEnd(place: RecordPlace): number {
  return place.at + recordHeaderBytes + place.length;
}

/** Where the next group commit begins when the last one ends at `end`. */
export function nextCommitStart(end: number): number {
  return align(end, commitAlignment);
}

import { ByteReader } from '../codecs/byte-reader.ts';
import type { ByteWriter } from '../codecs/byte-writer.ts';
import { decodeIntegers, encodeIntegers } from '../codecs/integer-frames.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';

/**
 * The index of a part file: its row groups in order of (stream, time), as six runs of integer frames
 * (integer-frames.ts), one number per group in each:
 *
 *   stream; rows; smallest offset; largest - smallest offset; length of the head; length of what follows it
 *
 * Groups lie one after another from the start of the file, so their positions are sums of lengths.
 */
export interface PartIndex {
  readonly count: number;
  readonly streams: Uint32Array;
  readonly rows: Uint32Array;
  /** Nanoseconds from the start of the part's window, as are `maxOffsets`. */
  readonly minOffsets: Float64Array;
  readonly maxOffsets: Float64Array;
  readonly headLengths: Uint32Array;
  /** `count + 1` positions in the file: group i ends where group i + 1 begins. */
  readonly positions: Float64Array;
}

export function encodeIndex(out: ByteWriter, groups: readonly GroupHandle[]): void {
  const run = (of: (group: GroupHandle) => number) =>
    encodeIntegers(out, Float64Array.from(groups, of), groups.length);
  run((group) => group.stream);
  run((group) => group.rows);
  run((group) => group.minOffset);
  run((group) => group.maxOffset - group.minOffset);
  run((group) => group.headLength);
  run((group) => group.length - group.headLength);
}

/** Reads the index of `count` groups, which fill the file up to `end`. */
export function decodeIndex(bytes: Buffer, count: number, end: number): PartIndex {
  const reader = new ByteReader(bytes);
  const streams = Uint32Array.from(decodeIntegers(reader, count));
  const rows = Uint32Array.from(decodeIntegers(reader, count));
  const minOffsets = decodeIntegers(reader, count);
  const maxOffsets = decodeIntegers(reader, count).map((span, i) => minOffsets[i]! + span);
  const headLengths = Uint32Array.from(decodeIntegers(reader, count));
  const restLengths = decodeIntegers(reader, count);
  const positions = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) positions[i + 1] = positions[i]! + headLengths[i]! + restLengths[i]!;
  if (positions[count] !== end || reader.position !== reader.end) {
    throw new RangeError('the lengths do not add up');
  }
  return { count, streams, rows, minOffsets, maxOffsets, headLengths, positions };
}

/** Memory that an index takes, in bytes. */
export function indexBytes(index: PartIndex): number {
  const { streams, rows, minOffsets, maxOffsets, headLengths, positions } = index;
  return [streams, rows, minOffsets, maxOffsets, headLengths, positions].reduce(
    (sum, a) => sum + a.byteLength,
    0,
  );
}

export function groupAt(index: PartIndex, i: number): GroupHandle {
  const position = index.positions[i]!;
  return {
    stream: index.streams[i]!,
    rows: index.rows[i]!,
    minOffset: index.minOffsets[i]!,
    maxOffset: index.maxOffsets[i]!,
    position,
    headLength: index.headLengths[i]!,
    length: index.positions[i + 1]! - position,
  };
}

/** The groups of a stream that reach into [from, to] (offsets, both inclusive), in order of time. */
export function groupsOf(index: PartIndex, stream: number, from: number, to: number): GroupHandle[] {
  const { streams, minOffsets, maxOffsets, count } = index;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const before = streams[middle]! < stream || (streams[middle]! === stream && maxOffsets[middle]! < from);
    if (before) low = middle + 1;
    else high = middle;
  }
  const groups: GroupHandle[] = [];
  for (let i = low; i < count && streams[i] === stream && minOffsets[i]! <= to; i++)
    groups.push(groupAt(index, i));
  return groups;
}

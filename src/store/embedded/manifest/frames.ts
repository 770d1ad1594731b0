import { crc32 } from 'node:zlib';

/**
 * What the files of the manifest are made of. Little endian.
 *
 *   0  u32  magic "PWC1"
 *   4  u32  length of the body in bytes
 *   8  f64  sequence: 0, 1, 2, … in a snapshot; that of the commit in a file of edits
 *  16  u32  number of the file, so that a frame of another one never passes for its own
 *  20  u32  kind: 1 head, 2 entries, 3 end
 *  24  u32  CRC-32 of the body and its padding
 *  28  u32  CRC-32 of the 28 bytes before
 *  32       body, padded with zeros to a multiple of 8
 *
 * Frames follow one another from the first byte to the last, and every byte is under one of the two checksums.
 */
export const frameMagic = 0x31435750;
export const frameHeaderBytes = 32;
/** Where a header has the number of its file, and its checksum. */
export const frameNumberAt = 16;
export const frameChecksumAt = 28;
export const FrameKind = { Head: 1, Entries: 2, End: 3 } as const;

export interface FrameHead {
  readonly sequence: number;
  readonly number: number;
  readonly kind: number;
}

/** A frame as it stands in its file. */
export interface Frame extends FrameHead {
  /** Where it begins, and where the next one does. */
  readonly at: number;
  readonly end: number;
  /** Valid until the next frame is asked for. */
  readonly body: Buffer;
}

/** Bytes [from, to) that are no frame. */
export interface NoFrame {
  readonly from: number;
  readonly to: number;
}

/** Where `length` bytes from `at` on are; fewer where the file ends. Valid until the next call. */
export type Peek = (at: number, length: number) => Buffer;

export function encodeFrame({ sequence, number, kind }: FrameHead, body: Uint8Array): Buffer {
  const bytes = Buffer.alloc(frameEnd(0, body.length));
  bytes.set(body, frameHeaderBytes);
  bytes.writeUInt32LE(frameMagic, 0);
  bytes.writeUInt32LE(body.length, 4);
  bytes.writeDoubleLE(sequence, 8);
  bytes.writeUInt32LE(number, frameNumberAt);
  bytes.writeUInt32LE(kind, 20);
  bytes.writeUInt32LE(crc32(bytes.subarray(frameHeaderBytes)), 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, frameChecksumAt)), frameChecksumAt);
  return bytes;
}

/** A frame whose body is JSON. */
export function encodeJsonFrame(head: FrameHead, value: unknown): Buffer {
  return encodeFrame(head, Buffer.from(JSON.stringify(value)));
}

export function jsonOf(frame: Pick<Frame, 'body'>): unknown {
  return JSON.parse(frame.body.toString());
}

function frameEnd(at: number, bodyBytes: number): number {
  return at + frameHeaderBytes + Math.ceil(bodyBytes / 8) * 8;
}

/** The frame at `at` of a file of `size` bytes; where only its body is damaged, where it ends; else undefined. */
export function readFrame(
  peek: Peek,
  at: number,
  size: number,
  number: number,
): Frame | { readonly end: number } | undefined {
  const header = peek(at, frameHeaderBytes);
  if (header.length < frameHeaderBytes || header.readUInt32LE(0) !== frameMagic) return undefined;
  if (header.readUInt32LE(frameChecksumAt) !== crc32(header.subarray(0, frameChecksumAt))) return undefined;
  if (header.readUInt32LE(frameNumberAt) !== number) return undefined;
  const length = header.readUInt32LE(4);
  const end = frameEnd(at, length);
  if (end > size) return undefined;
  const sequence = header.readDoubleLE(8);
  const kind = header.readUInt32LE(20);
  const checksum = header.readUInt32LE(24);
  const padded = peek(at + frameHeaderBytes, end - at - frameHeaderBytes);
  if (crc32(padded) !== checksum) return { end };
  return { at, end, sequence, number, kind, body: padded.subarray(0, length) };
}

/** All frames of a file, and what is none: after it the search goes on at each multiple of 8. */
export function* scanFrames(peek: Peek, size: number, number: number): Generator<Frame | NoFrame> {
  let from: number | undefined;
  let at = 0;
  while (at < size) {
    const found = readFrame(peek, at, size, number);
    if (found === undefined || !('body' in found)) {
      from ??= at;
      at = found?.end ?? at + 8;
      continue;
    }
    if (from !== undefined) yield { from, to: at };
    from = undefined;
    yield found;
    at = found.end;
  }
  if (from !== undefined) yield { from, to: size };
}

/** The one frame that is a file. */
export function onlyFrame(bytes: Buffer, number: number): Frame | undefined {
  const found = readFrame((at, length) => bytes.subarray(at, at + length), 0, bytes.length, number);
  return found !== undefined && 'body' in found && found.end === bytes.length ? found : undefined;
}

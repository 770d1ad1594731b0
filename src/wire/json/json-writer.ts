import { encodeBase64 } from './base64.ts';

/**
 * Writes JSON into byte chunks. Full chunks collect in `ready`, for the caller to send between two writes; each is
 * memory of its own, so it may wait in a queue.
 */
export interface JsonWriter {
  bytes: Buffer;
  /** Of the same memory as `bytes`. */
  view: DataView;
  at: number;
  ready: Buffer[];
}

/** The size of a chunk: large enough that a chunk costs little, small enough to reach the client soon. */
const chunkBytes = 64 * 1024;
/** The size up to which an answer is one chunk: it goes out whole, without being put together again. */
const wholeBytes = 320 * 1024;

/** `expected` is how many bytes are to be written in all, where that is known: then one chunk may hold them. */
export function createJsonWriter(expected = 0): JsonWriter {
  const isLong = expected > chunkBytes && expected <= wholeBytes;
  const { bytes, view } = isLong ? newChunk(expected) : takeChunk();
  return { bytes, view, at: 0, ready: [] };
}

interface Chunk {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/**
 * A chunk that a writer gave back. Most answers are short: their bytes are copied out of a chunk, and the next writer
 * begins in the same memory.
 */
let free: Chunk | undefined;
const shortBytes = chunkBytes / 4;

/** A chunk that no writer has. */
function takeChunk(): Chunk {
  const chunk = free ?? newChunk(chunkBytes);
  free = undefined;
  return chunk;
}

function newChunk(size: number): Chunk {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** The chunks that are full. */
export function takeReady(out: JsonWriter): Buffer[] {
  const { ready } = out;
  if (ready.length > 0) out.ready = [];
  return ready;
}

/** Everything that is left, at the end. The writer has no memory any more: what is written later goes into a new chunk. */
export function takeRest(out: JsonWriter): Buffer[] {
  const { bytes, view, at } = out;
  out.bytes = noBytes;
  out.view = noView;
  out.at = 0;
  const ready = takeReady(out);
  const rest = bytes.subarray(0, at);
  if (at > shortBytes || bytes.length !== chunkBytes) return [...ready, rest];
  free = { bytes, view };
  return [...ready, Buffer.from(rest)];
}

const noBytes = Buffer.alloc(0);
const noView = new DataView(new ArrayBuffer(0));

/** Makes room for `size` bytes at `at`. */
export function makeRoom(out: JsonWriter, size: number): void {
  if (out.at + size <= out.bytes.length) return;
  if (out.at > 0) out.ready.push(out.bytes.subarray(0, out.at));
  const { bytes, view } = newChunk(Math.max(chunkBytes, size));
  out.bytes = bytes;
  out.view = view;
  out.at = 0;
}

/** Text that is JSON already. */
export function writeText(out: JsonWriter, json: string): void {
  makeRoom(out, json.length * 3);
  if (json.length > shortText || !writeAscii(out, json)) out.at += out.bytes.write(json, out.at);
}

/** The length up to which writing the characters takes less time than leaving the engine. */
const shortText = 40;

/** False, and nothing written, where a character is not ASCII. */
function writeAscii(out: JsonWriter, text: string): boolean {
  const { bytes, at } = out;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    bytes[at + i] = code;
  }
  out.at = at + text.length;
  return true;
}

/** Writes a few bytes that are JSON already. */
export function writeBytes(out: JsonWriter, json: Uint8Array): void {
  makeRoom(out, json.length);
  const { bytes, at } = out;
  for (let i = 0; i < json.length; i++) bytes[at + i] = json[i]!;
  out.at = at + json.length;
}

const quote = 0x22;
const backslash = 0x5c;

/** The short escapes of JSON, by the byte that they stand for. */
const shortEscapes: Readonly<Record<number, number>> = {
  8: 0x62,
  9: 0x74,
  10: 0x6e,
  12: 0x66,
  13: 0x72,
  [quote]: quote,
  [backslash]: backslash,
};

/** The string whose UTF-8 is `text[start, end)`, escaped as JSON.stringify escapes. */
export function writeUtf8(out: JsonWriter, text: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start) * 6 + 2);
  out.bytes[out.at++] = quote;
  writeEscaped(out, text, start, end);
  out.bytes[out.at++] = quote;
}

/** A piece of such a string, without quotes around it. */
export function writeEscaped(out: JsonWriter, text: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start) * 6);
  const { bytes } = out;
  let { at } = out;
  for (let i = start; i < end; i++) {
    const byte = text[i]!;
    if (byte >= 0x20 && byte !== quote && byte !== backslash) {
      bytes[at++] = byte;
    } else {
      at = writeEscape(bytes, at, byte);
    }
  }
  out.at = at;
}

const zero = 0x30;
const hexDigits = Buffer.from('0123456789abcdef');

function writeEscape(bytes: Buffer, at: number, byte: number): number {
  const letter = shortEscapes[byte];
  bytes[at] = backslash;
  if (letter === undefined) {
    bytes[at + 1] = 0x75;
    bytes[at + 2] = zero;
    bytes[at + 3] = zero;
    bytes[at + 4] = hexDigits[byte >> 4]!;
    bytes[at + 5] = hexDigits[byte & 0x0f]!;
    return at + 6;
  }
  bytes[at + 1] = letter;
  return at + 2;
}

/** The bytes `data[start, end)` as a string of base64. */
export function writeBase64(out: JsonWriter, data: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start + 2) * 2 + 2);
  out.bytes[out.at++] = quote;
  writeBase64Piece(out, data, start, end);
  out.bytes[out.at++] = quote;
}

/** A piece of such a string, without quotes around it; of 3 bytes or a multiple, if another one follows. */
export function writeBase64Piece(out: JsonWriter, data: Uint8Array, start: number, end: number): void {
  makeRoom(out, (end - start + 2) * 2);
  out.at = encodeBase64(data, start, end, out.bytes, out.at);
}

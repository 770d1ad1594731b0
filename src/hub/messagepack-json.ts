import { fault } from '../wire/fault.ts';
import type { MemoryShare } from '../wire/json-memory.ts';
import { type Decimals, longestNumber, putDouble } from '../wire/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeReady,
  takeRest,
  writeBase64,
  writeBase64Piece,
  writeEscaped,
  writeText,
  writeUtf8,
} from '../wire/json-writer.ts';
import { tooLarge } from './message-buffer.ts';
import { need, type Pack, readFormat, readUnsigned, stringLength } from './messagepack-reader.ts';

/**
 * Writes an argument in MessagePack as the JSON that says the same, straight from bytes to bytes, so that one set of
 * decoders, with its rules, limits and messages, serves both protocols and HTTP:
 *
 *   integers        their digits, 64 bits exactly
 *   floats          the shortest decimal of the double, as the same client would have sent it in JSON: an official
 *                   client in JavaScript sends nanoseconds so, and `Date.now() * 1e6` means those digits
 *   NaN, infinities the strings that stand for them
 *   bin             base64, inside `binaryValues` only
 *
 * Throws `wrong_type` for other bin, for extension types and for names that are no strings, and `too_deep`.
 */
export function jsonOfPacked(pack: Pack, maxDepth: number): Uint8Array {
  const transcript = createTranscript(pack, { maxDepth, maxBytes: Number.POSITIVE_INFINITY });
  while (transcript.step());
  return transcript.json();
}

/** The same in steps of a fraction of a millisecond, for a large argument. */
export interface Transcript {
  /** Goes on; false when the value is whole. Throws as `jsonOfPacked`, `body_too_large` (413), and what the share throws. */
  step(): boolean;
  /** The JSON, once it is whole. */
  json(): Uint8Array;
}

export interface TranscriptLimits {
  readonly maxDepth: number;
  /** Of JSON. */
  readonly maxBytes: number;
  /** Where the memory of the JSON counts. */
  readonly share?: MemoryShare;
}

/** Values of a step: numbers, the slowest of them, take a fraction of a microsecond each. */
const stepValues = 1000;
/** Bytes of a step, about: of texts, mostly. */
const stepBytes = 32 * 1024;
/** Chunks of a step that puts them together. */
const stepChunks = 8;
/** Longer texts and binaries are written in pieces of so many bytes, a multiple of 3. */
const pieceBytes = 3072;

export function createTranscript(pack: Pack, limits: TranscriptLimits): Transcript {
  const writing: Writing = {
    pack,
    out: createJsonWriter(),
    limits,
    decimals: { guess: 0 },
    property: '',
    open: [],
    long: undefined,
  };
  const done: Buffer[] = [];
  let bytes = 0;
  const collect = (): void => {
    for (const chunk of takeReady(writing.out)) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw tooLarge('an argument, as JSON,', limits.maxBytes);
      limits.share?.take(chunk.length);
      done.push(chunk);
    }
  };
  let json: Buffer | undefined;
  /** Chunks of it, and bytes in them, that are put together. */
  let joined = 0;
  let at = 0;
  const beginToJoin = (): boolean => {
    done.push(...takeRest(writing.out));
    if (done.length === 1) json = done[0]!;
    else json = Buffer.allocUnsafe(done.reduce((sum, chunk) => sum + chunk.length, 0));
    return done.length > 1;
  };
  const join = (whole: Buffer): boolean => {
    for (const chunk of done.slice(joined, joined + stepChunks)) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    joined += stepChunks;
    return joined < done.length;
  };
  return {
    step() {
      if (json !== undefined) return join(json);
      const hasMore = writeValues(writing, stepValues);
      collect();
      return hasMore || beginToJoin();
    },

    json: () => json!,
  };
}

interface Writing {
  readonly pack: Pack;
  readonly out: JsonWriter;
  readonly limits: TranscriptLimits;
  readonly decimals: Decimals;
  /** The property of the outermost object that is being written. */
  property: string;
  /** Arrays and maps that are not whole, the outermost first. */
  readonly open: Open[];
  /** What is written in pieces and is not whole. */
  long: Long | undefined;
}

/** The rest of a long text, or of long binary data. */
interface Long {
  readonly end: number;
  readonly writePiece: (out: JsonWriter, bytes: Uint8Array, start: number, end: number) => void;
  readonly isName: boolean;
}

interface Open {
  readonly isMap: boolean;
  /** Elements or members that are to come. */
  left: number;
  isFirst: boolean;
}

/** Writes so many values, or fewer where the outermost is whole then: false. */
function writeValues(writing: Writing, count: number): boolean {
  const { pack } = writing;
  const stepEnd = pack.at + stepBytes;
  for (let i = 0; i < count && pack.at < stepEnd; i++) {
    if (writing.long === undefined) writeValue(writing);
    else if (writePiece(writing, writing.long)) continue;
    if (writing.long === undefined && !goOn(writing)) return false;
  }
  return true;
}

/** A piece; true where the next value may be written, because it ends a name. */
function writePiece(writing: Writing, { end, writePiece, isName }: Long): boolean {
  const { pack, out } = writing;
  const pieceEnd = Math.min(end, pack.at + pieceBytes);
  writePiece(out, pack.bytes, pack.at, pieceEnd);
  pack.at = pieceEnd;
  if (pieceEnd < end) return false;
  writeText(out, isName ? '":' : '"');
  writing.long = undefined;
  return isName;
}

/** Writes what stands before the next value; false where there is none. */
function goOn(writing: Writing): boolean {
  const { open, out } = writing;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.left > 0) {
      if (!top.isFirst) writeText(out, ',');
      top.isFirst = false;
      top.left--;
      if (top.isMap) writeName(writing);
      return true;
    }
    writeText(out, top.isMap ? '}' : ']');
    open.pop();
  }
  return false;
}

function writeValue(writing: Writing): void {
  const { pack, out } = writing;
  const format = readFormat(pack);
  if (format < 0x80) writeText(out, String(format));
  else if (format < 0x90) begin(writing, true, format & 0x0f);
  else if (format < 0xa0) begin(writing, false, format & 0x0f);
  else if (format >= 0xe0) writeText(out, String(format - 0x100));
  else {
    const length = stringLength(pack, format);
    if (length >= 0) writeString(writing, length);
    else writeOther(writing, format);
  }
}

/** What is named by a whole byte. */
function writeOther(writing: Writing, format: number): void {
  const { pack, out } = writing;
  switch (format) {
    case 0xc0:
      writeText(out, 'null');
      break;
    case 0xc2:
      writeText(out, 'false');
      break;
    case 0xc3:
      writeText(out, 'true');
      break;
    case 0xc4:
      writeBinary(writing, readUnsigned(pack, 1));
      break;
    case 0xc5:
      writeBinary(writing, readUnsigned(pack, 2));
      break;
    case 0xc6:
      writeBinary(writing, readUnsigned(pack, 4));
      break;
    case 0xca:
      writeDouble(writing, take(pack, 4).readFloatBE());
      break;
    case 0xcb:
      writeDouble(writing, take(pack, 8).readDoubleBE());
      break;
    case 0xcc:
      writeText(out, String(readUnsigned(pack, 1)));
      break;
    case 0xcd:
      writeText(out, String(readUnsigned(pack, 2)));
      break;
    case 0xce:
      writeText(out, String(readUnsigned(pack, 4)));
      break;
    case 0xcf:
      writeText(out, String(take(pack, 8).readBigUInt64BE()));
      break;
    case 0xd0:
      writeText(out, String(take(pack, 1).readInt8()));
      break;
    case 0xd1:
      writeText(out, String(take(pack, 2).readInt16BE()));
      break;
    case 0xd2:
      writeText(out, String(take(pack, 4).readInt32BE()));
      break;
    case 0xd3:
      writeText(out, String(take(pack, 8).readBigInt64BE()));
      break;
    case 0xdc:
      begin(writing, false, readUnsigned(pack, 2));
      break;
    case 0xdd:
      begin(writing, false, readUnsigned(pack, 4));
      break;
    case 0xde:
      begin(writing, true, readUnsigned(pack, 2));
      break;
    case 0xdf:
      begin(writing, true, readUnsigned(pack, 4));
      break;
    default:
      throw fault('wrong_type', writing.property, 'holds a MessagePack extension, which has no meaning here');
  }
}

/** Begins an array or a map of so many elements. */
function begin({ out, open, limits: { maxDepth } }: Writing, isMap: boolean, left: number): void {
  if (open.length >= maxDepth) throw fault('too_deep', '', `is nested deeper than ${maxDepth} levels`);
  writeText(out, isMap ? '{' : '[');
  open.push({ isMap, left, isFirst: true });
}

function writeName(writing: Writing): void {
  const { pack, out, open } = writing;
  const length = stringLength(pack, readFormat(pack));
  if (length < 0) throw fault('wrong_type', writing.property, 'has a name that is no string');
  need(pack, length);
  if (open.length === 1)
    writing.property = pack.bytes.toString('utf8', pack.at, pack.at + Math.min(length, longestProperty));
  if (length > pieceBytes) {
    beginLong(writing, length, writeEscaped, true);
  } else {
    writeString(writing, length);
    writeText(out, ':');
  }
}

/** Of a longer name messages show the begin. */
const longestProperty = 1024;

function beginLong(writing: Writing, length: number, writePiece: Long['writePiece'], isName: boolean): void {
  const { pack, out, limits } = writing;
  if (length > limits.maxBytes) throw tooLarge('an argument, as JSON,', limits.maxBytes);
  writeText(out, '"');
  writing.long = { end: pack.at + length, writePiece, isName };
}

function writeDouble({ out, decimals }: Writing, value: number): void {
  makeRoom(out, longestNumber);
  out.at = putDouble(out.bytes, out.at, value, decimals);
}

function writeString(writing: Writing, length: number): void {
  const { pack, out } = writing;
  need(pack, length);
  if (length > pieceBytes) {
    beginLong(writing, length, writeEscaped, false);
    return;
  }
  writeUtf8(out, pack.bytes, pack.at, pack.at + length);
  pack.at += length;
}

function writeBinary(writing: Writing, length: number): void {
  const { pack, out, property } = writing;
  need(pack, length);
  if (property !== 'binaryValues' && property !== 'BinaryValues') {
    throw fault('wrong_type', property, 'holds binary data, which only binaryValues can');
  }
  if (length > pieceBytes) {
    beginLong(writing, length, writeBase64Piece, false);
    return;
  }
  writeBase64(out, pack.bytes, pack.at, pack.at + length);
  pack.at += length;
}

function take(pack: Pack, size: number): Buffer {
  need(pack, size);
  pack.at += size;
  return pack.bytes.subarray(pack.at - size, pack.at);
}

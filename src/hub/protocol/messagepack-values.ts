import { fault } from '../../wire/base/fault.ts';
import { type Decimals, longestNumber, putDouble } from '../../wire/json/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  writeBase64,
  writeBase64Piece,
  writeEscaped,
  writeText,
  writeUtf8,
} from '../../wire/json/json-writer.ts';
import { tooLarge } from './message-buffer.ts';
import { need, type Pack, readFormat, readUnsigned, stringLength } from './messagepack-reader.ts';

/** A value that is being written as JSON. */
export interface Writing {
  readonly pack: Pack;
  readonly out: JsonWriter;
  readonly limits: WritingLimits;
  readonly decimals: Decimals;
  /** The property of the outermost object that is being written, or of one in a list of them. */
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

export interface WritingLimits {
  readonly maxDepth: number;
  /** Of JSON. */
  readonly maxBytes: number;
}

/** Values of a step: numbers, the slowest of them, take a fraction of a microsecond each. */
const stepValues = 1000;
/** Bytes of a step, about: of texts, mostly. */
const stepBytes = 32 * 1024;
/** The size of the pieces in which longer texts and binaries are written, a multiple of 3. */
const pieceBytes = 3072;

export function beginWriting(pack: Pack, limits: WritingLimits): Writing {
  return {
    pack,
    out: createJsonWriter(),
    limits,
    decimals: { guess: 0 },
    property: '',
    open: [],
    long: undefined,
  };
}

/** Writes some values, or pieces of one, for a fraction of a millisecond; false where the outermost is whole then. */
export function writeStep(writing: Writing): boolean {
  const { pack } = writing;
  const stepEnd = pack.at + stepBytes;
  for (let i = 0; i < stepValues && pack.at < stepEnd; i++) {
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
      writeFloat(writing, take(pack, 4).readFloatBE());
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
  if (open.length === 1 || (open.length === 2 && !open[0]!.isMap))
    writing.property = pack.bytes.toString('utf8', pack.at, pack.at + Math.min(length, longestProperty));
  if (length > pieceBytes) {
    beginLong(writing, length, writeEscaped, true);
  } else {
    writeString(writing, length);
    writeText(out, ':');
  }
}

/** The most characters of a name that messages show. */
const longestProperty = 1024;

function beginLong(writing: Writing, length: number, writePiece: Long['writePiece'], isName: boolean): void {
  const { pack, out, limits } = writing;
  if (length > limits.maxBytes) throw tooLarge('an argument, as JSON,', limits.maxBytes);
  writeText(out, '"');
  writing.long = { end: pack.at + length, writePiece, isName };
}

const times = /^(?:timestamps?|epoch)$/i;
/** Beyond it a float of 32 bits does not tell a whole number from its neighbours. */
const mostInFloat = 2 ** 24;

/** Writes a float of 32 bits. Throws `bad_timestamp` for a time, which it is a minute beside. */
function writeFloat(writing: Writing, value: number): void {
  if (Math.abs(value) > mostInFloat && times.test(writing.property))
    throw fault(
      'bad_timestamp',
      writing.property,
      'holds a float of 32 bits, which has no room for a timestamp',
    );
  writeDouble(writing, value);
}

function writeDouble({ out, decimals }: Writing, value: number): void {
  makeRoom(out, longestNumber);
  out.at = putDouble(out, out.at, value, decimals);
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

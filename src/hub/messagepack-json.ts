import { fault } from '../wire/fault.ts';
import { type Decimals, longestNumber, putDouble } from '../wire/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeRest,
  writeBase64,
  writeText,
  writeUtf8,
} from '../wire/json-writer.ts';
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
  const out = createJsonWriter();
  writeValue({ pack, out, maxDepth, decimals: { guess: 0 }, property: '' }, 0);
  const chunks = takeRest(out);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

interface Transcript {
  readonly pack: Pack;
  readonly out: JsonWriter;
  readonly maxDepth: number;
  readonly decimals: Decimals;
  /** The property of the outermost object that is being written. */
  property: string;
}

function writeValue(transcript: Transcript, depth: number): void {
  const { pack, out } = transcript;
  const format = readFormat(pack);
  if (format < 0x80) writeText(out, String(format));
  else if (format < 0x90) writeMap(transcript, format & 0x0f, depth + 1);
  else if (format < 0xa0) writeArray(transcript, format & 0x0f, depth + 1);
  else if (format >= 0xe0) writeText(out, String(format - 0x100));
  else {
    const length = stringLength(pack, format);
    if (length >= 0) writeString(transcript, length);
    else writeOther(transcript, format, depth);
  }
}

/** What is named by a whole byte. */
function writeOther(transcript: Transcript, format: number, depth: number): void {
  const { pack, out } = transcript;
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
      writeBinary(transcript, readUnsigned(pack, 1));
      break;
    case 0xc5:
      writeBinary(transcript, readUnsigned(pack, 2));
      break;
    case 0xc6:
      writeBinary(transcript, readUnsigned(pack, 4));
      break;
    case 0xca:
      writeDouble(transcript, take(pack, 4).readFloatBE());
      break;
    case 0xcb:
      writeDouble(transcript, take(pack, 8).readDoubleBE());
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
      writeArray(transcript, readUnsigned(pack, 2), depth + 1);
      break;
    case 0xdd:
      writeArray(transcript, readUnsigned(pack, 4), depth + 1);
      break;
    case 0xde:
      writeMap(transcript, readUnsigned(pack, 2), depth + 1);
      break;
    case 0xdf:
      writeMap(transcript, readUnsigned(pack, 4), depth + 1);
      break;
    default:
      throw fault(
        'wrong_type',
        transcript.property,
        'holds a MessagePack extension, which has no meaning here',
      );
  }
}

function writeArray(transcript: Transcript, count: number, depth: number): void {
  const { out } = transcript;
  checkDepth(transcript, depth);
  writeText(out, '[');
  for (let i = 0; i < count; i++) {
    if (i > 0) writeText(out, ',');
    writeValue(transcript, depth);
  }
  writeText(out, ']');
}

function writeMap(transcript: Transcript, count: number, depth: number): void {
  const { pack, out } = transcript;
  checkDepth(transcript, depth);
  writeText(out, '{');
  for (let i = 0; i < count; i++) {
    if (i > 0) writeText(out, ',');
    const length = stringLength(pack, readFormat(pack));
    if (length < 0) throw fault('wrong_type', transcript.property, 'has a name that is no string');
    need(pack, length);
    if (depth === 1) transcript.property = pack.bytes.toString('utf8', pack.at, pack.at + length);
    writeString(transcript, length);
    writeText(out, ':');
    writeValue(transcript, depth);
  }
  writeText(out, '}');
}

function writeDouble({ out, decimals }: Transcript, value: number): void {
  makeRoom(out, longestNumber);
  out.at = putDouble(out.bytes, out.at, value, decimals);
}

function writeString({ pack, out }: Transcript, length: number): void {
  need(pack, length);
  writeUtf8(out, pack.bytes, pack.at, pack.at + length);
  pack.at += length;
}

function writeBinary({ pack, out, property }: Transcript, length: number): void {
  need(pack, length);
  if (property !== 'binaryValues' && property !== 'BinaryValues') {
    throw fault('wrong_type', property, 'holds binary data, which only binaryValues can');
  }
  writeBase64(out, pack.bytes, pack.at, pack.at + length);
  pack.at += length;
}

function take(pack: Pack, size: number): Buffer {
  need(pack, size);
  pack.at += size;
  return pack.bytes.subarray(pack.at - size, pack.at);
}

function checkDepth({ maxDepth }: Transcript, depth: number): void {
  if (depth > maxDepth) throw fault('too_deep', '', `is nested deeper than ${maxDepth} levels`);
}

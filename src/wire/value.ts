import { fault } from './fault.ts';
import {
  checkBodySize,
  createJsonMemory,
  type JsonLimits,
  type JsonMemory,
  type MemoryShare,
  ValueBytes,
} from './json-memory.ts';
import { beyondDouble, readNumber } from './json-number.ts';
import {
  Byte,
  describeNext,
  endScan,
  nextElement,
  nextMember,
  openArray,
  openObject,
  openScan,
  peek,
  readWord,
  type Scan,
} from './json-scanner.ts';
import { readKey, readString } from './json-string.ts';
import { excerpt } from './name.ts';

/** Any JSON as plain data, for the small bodies; objects are maps, so that `__proto__` is a name like others. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number as it was written, for integers beyond 2^53, and as a double. */
export interface JsonNumber {
  readonly text: string;
  readonly value: number;
}

export const emptyObject: JsonObject = new Map();

/**
 * Reads a whole body, as large as it may be for its purpose; the memory of its values is taken from `share` as it is needed.
 * Throws `bad_utf8`, `bad_json`, `too_deep`, `duplicate_property`, `invalid_value` for a number beyond double, and
 * `body_too_large` (413) for what goes beyond the limits. A body of nothing but white space stands for `whenEmpty`, if there is
 * one.
 */
export function decodeBody(
  body: Uint8Array,
  limits: JsonLimits,
  whenEmpty?: JsonValue,
  share?: MemoryShare,
): JsonValue {
  checkBodySize(body, limits);
  const scan = openScan(body);
  if (whenEmpty !== undefined && peek(scan) === -1) return whenEmpty;
  const value = readValue({ scan, memory: createJsonMemory(limits.maxValueBytes, share) }, []);
  endScan(scan);
  return value;
}

/** Reads JSON of any size, for who holds it in memory already and is alone there: a file of the command line. */
export function decodeJson(json: Uint8Array): JsonValue {
  return decodeBody(json, unlimited);
}

const unlimited: JsonLimits = {
  maxBytes: Number.POSITIVE_INFINITY,
  maxValueBytes: Number.POSITIVE_INFINITY,
  what: 'JSON',
};

/**
 * Reads a body one element after another, so that a long array is never in memory as a whole: `read` gets each
 * element of an array with its path, or with the empty path the one value that is no array. No element may take more than
 * `maxElementBytes` of memory, of which the largest counts against the share. Throws as `decodeBody`.
 */
export function decodeElements(
  body: Uint8Array,
  read: (value: JsonValue, path: string) => void,
  share?: MemoryShare,
): void {
  const scan = openScan(body);
  const memory = createJsonMemory(maxElementBytes, share);
  const readNext = (place: Place): JsonValue => {
    memory.again();
    return readValue({ scan, memory }, place);
  };
  if (peek(scan) !== Byte.OpenArray) {
    read(readNext([]), '');
  } else if (openArray(scan)) {
    let index = 0;
    do {
      read(readNext([index]), `[${index}]`);
      index++;
    } while (nextElement(scan));
  }
  endScan(scan);
}

/** An event of 256 tags of 64 KiB each is well below. */
const maxElementBytes = 48 * 1024 * 1024;

interface Reader {
  readonly scan: Scan;
  readonly memory: JsonMemory;
}

/** Counts what is about to be made. */
function take({ memory }: Reader, bytes: number, place: Place): void {
  memory.left -= bytes;
  if (memory.left < 0) memory.more(() => pathOf(place));
}

/** Names of members and indexes of elements, from the body to the value being read. */
type Place = (string | number)[];

function readValue(reader: Reader, place: Place): JsonValue {
  const { scan } = reader;
  switch (peek(scan)) {
    case Byte.OpenObject:
      return readObject(reader, place);
    case Byte.OpenArray:
      return readArray(reader, place);
    case Byte.Quote:
      return readText(reader, place);
    default:
      return describeNext(scan) === 'a number' ? readJsonNumber(reader, place) : readLiteral(scan);
  }
}

function readText(reader: Reader, place: Place): string {
  const { scan } = reader;
  const start = scan.at;
  const text = readString(scan);
  take(reader, ValueBytes.Text + scan.at - start, place);
  return text;
}

function readObject(reader: Reader, place: Place): JsonObject {
  const { scan } = reader;
  take(reader, ValueBytes.Object, place);
  const members = new Map<string, JsonValue>();
  if (openObject(scan)) {
    do {
      const start = scan.at;
      const name = readKey(scan);
      if (members.has(name)) {
        throw fault('duplicate_property', pathOf(place), `has the property ${excerpt(name)} twice`);
      }
      place.push(name);
      take(reader, ValueBytes.Member + ValueBytes.Text + scan.at - start, place);
      members.set(name, readValue(reader, place));
      place.pop();
    } while (nextMember(scan));
  }
  return members;
}

function readArray(reader: Reader, place: Place): JsonValue[] {
  const { scan } = reader;
  take(reader, ValueBytes.Array, place);
  const elements: JsonValue[] = [];
  if (openArray(scan)) {
    do {
      place.push(elements.length);
      take(reader, ValueBytes.Element, place);
      elements.push(readValue(reader, place));
      place.pop();
    } while (nextElement(scan));
  }
  return elements;
}

function readJsonNumber(reader: Reader, place: Place): JsonNumber {
  const { scan } = reader;
  const start = scan.at;
  const value = readNumber(scan);
  if (!Number.isFinite(value)) throw fault('invalid_value', pathOf(place), beyondDouble);
  take(reader, ValueBytes.Number + scan.at - start, place);
  return { text: scan.bytes.toString('latin1', start, scan.at), value };
}

function pathOf(place: Place): string {
  return place.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : memberPath(path, step)),
    '',
  );
}

function readLiteral(scan: Scan): null | boolean {
  switch (peek(scan)) {
    case 0x74:
      readWord(scan, 'true');
      return true;
    case 0x66:
      readWord(scan, 'false');
      return false;
    default:
      readWord(scan, 'null');
      return null;
  }
}

/** The path of a member of the object at `path`, which is empty for the body itself. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

export function describeValue(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  if (Array.isArray(value)) return 'an array';
  return value instanceof Map ? 'an object' : 'a number';
}

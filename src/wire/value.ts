import { fault } from './fault.ts';
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
 * Reads a whole body. Throws `bad_utf8`, `bad_json`, `too_deep`, `duplicate_property`, and `invalid_value` for a
 * number beyond double. With `whenEmpty`, a body of nothing but white space stands for that.
 */
export function decodeJson(body: Uint8Array, whenEmpty?: JsonValue): JsonValue {
  const scan = openScan(body);
  if (whenEmpty !== undefined && peek(scan) === -1) return whenEmpty;
  const value = readValue(scan, []);
  endScan(scan);
  return value;
}

/**
 * Reads a body one element after another, so that a long array is never in memory as a whole: `read` gets each
 * element of an array with its path, or with the empty path the one value that is no array. Throws as `decodeJson`.
 */
export function decodeElements(body: Uint8Array, read: (value: JsonValue, path: string) => void): void {
  const scan = openScan(body);
  if (peek(scan) !== Byte.OpenArray) {
    read(readValue(scan, []), '');
  } else if (openArray(scan)) {
    let index = 0;
    do {
      read(readValue(scan, [index]), `[${index}]`);
      index++;
    } while (nextElement(scan));
  }
  endScan(scan);
}

/** Names of members and indexes of elements, from the body to the value being read. */
type Place = (string | number)[];

function readValue(scan: Scan, place: Place): JsonValue {
  switch (peek(scan)) {
    case Byte.OpenObject:
      return readObject(scan, place);
    case Byte.OpenArray:
      return readArray(scan, place);
    case Byte.Quote:
      return readString(scan);
    default:
      return describeNext(scan) === 'a number' ? readJsonNumber(scan, place) : readLiteral(scan);
  }
}

function readObject(scan: Scan, place: Place): JsonObject {
  const members = new Map<string, JsonValue>();
  if (openObject(scan)) {
    do {
      const name = readKey(scan);
      if (members.has(name)) {
        throw fault('duplicate_property', pathOf(place), `has the property ${excerpt(name)} twice`);
      }
      place.push(name);
      members.set(name, readValue(scan, place));
      place.pop();
    } while (nextMember(scan));
  }
  return members;
}

function readArray(scan: Scan, place: Place): JsonValue[] {
  const elements: JsonValue[] = [];
  if (openArray(scan)) {
    do {
      place.push(elements.length);
      elements.push(readValue(scan, place));
      place.pop();
    } while (nextElement(scan));
  }
  return elements;
}

function readJsonNumber(scan: Scan, place: Place): JsonNumber {
  const start = scan.at;
  const value = readNumber(scan);
  if (!Number.isFinite(value)) throw fault('invalid_value', pathOf(place), beyondDouble);
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

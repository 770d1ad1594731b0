import { fault } from './fault.ts';
import { readNumber } from './json-number.ts';
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
import { beyondDouble } from './numeric-column.ts';

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
  const value = readValue(scan, '');
  endScan(scan);
  return value;
}

function readValue(scan: Scan, path: string): JsonValue {
  switch (peek(scan)) {
    case Byte.OpenObject:
      return readObject(scan, path);
    case Byte.OpenArray:
      return readArray(scan, path);
    case Byte.Quote:
      return readString(scan);
    default:
      return describeNext(scan) === 'a number' ? readJsonNumber(scan, path) : readLiteral(scan);
  }
}

function readObject(scan: Scan, path: string): JsonObject {
  const members = new Map<string, JsonValue>();
  if (openObject(scan)) {
    do {
      const name = readKey(scan);
      if (members.has(name))
        throw fault('duplicate_property', path, `has the property ${excerpt(name)} twice`);
      members.set(name, readValue(scan, memberPath(path, name)));
    } while (nextMember(scan));
  }
  return members;
}

function readArray(scan: Scan, path: string): JsonValue[] {
  const elements: JsonValue[] = [];
  if (openArray(scan)) {
    do elements.push(readValue(scan, `${path}[${elements.length}]`));
    while (nextElement(scan));
  }
  return elements;
}

function readJsonNumber(scan: Scan, path: string): JsonNumber {
  const start = scan.at;
  const value = readNumber(scan);
  if (!Number.isFinite(value)) throw fault('invalid_value', path, beyondDouble);
  return { text: scan.bytes.toString('latin1', start, scan.at), value };
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

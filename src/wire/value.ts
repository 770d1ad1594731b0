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
  if (body.length >= largeBytes) {
    const before = readBefore.get(body);
    if (before !== undefined) {
      // The body may stay for longer.
      readBefore.delete(body);
      return before();
    }
  }
  const scan = openScan(body);
  if (whenEmpty !== undefined && peek(scan) === -1) return whenEmpty;
  const reader = createReader(scan, createJsonMemory(limits.maxValueBytes, share));
  readOn(reader);
  endScan(scan);
  return reader.value;
}

/** From here on a body is worth reading step by step; below, it takes a few milliseconds. */
export const largeBytes = 64 * 1024;

/** What is read step by step: so many values at most in each, until one gives true. Throws where reading at once does. */
export type Steps = (values: number) => boolean;

/** Reads a body step by step; `onValue` gets its value before the last one ends, if it is not blank. */
export function bodySteps(
  body: Uint8Array,
  limits: JsonLimits,
  share: MemoryShare | undefined,
  onValue: (value: JsonValue) => void,
): Steps {
  let reader: Reader | undefined;
  return (values) => {
    if (reader === undefined) {
      checkBodySize(body, limits);
      const scan = openScan(body);
      if (peek(scan) === -1) return true;
      reader = createReader(scan, createJsonMemory(limits.maxValueBytes, share));
    }
    reader.left = values;
    if (!readOn(reader)) return false;
    endScan(reader.scan);
    onValue(reader.value);
    return true;
  };
}

/** Has `decodeBody` take the value of these bytes from `value`, which may throw, instead of reading them; once. */
export function keepRead(body: Uint8Array, value: () => JsonValue): void {
  readBefore.set(body, value);
}

const readBefore = new WeakMap<Uint8Array, () => JsonValue>();

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
  elementSteps(body, read, share)(Number.POSITIVE_INFINITY);
}

/** The same step by step. The body must stay as it is until the last one. */
export function elementSteps(
  body: Uint8Array,
  read: (value: JsonValue, path: string) => void,
  share?: MemoryShare,
): Steps {
  let reader: Reader | undefined;
  let isArray = false;
  let isOver = false;
  const begin = (): Reader => {
    const scan = openScan(body);
    const begun = createReader(scan, createJsonMemory(maxElementBytes, share));
    isArray = peek(scan) === Byte.OpenArray;
    if (isArray) {
      isOver = !openArray(scan);
      begun.index = 0;
    }
    return begun;
  };
  return (values) => {
    reader ??= begin();
    const { scan, memory } = reader;
    reader.left = values;
    while (!isOver) {
      if (!readOn(reader)) return false;
      read(reader.value, isArray ? `[${reader.index}]` : '');
      memory.again();
      reader.index++;
      isOver = !isArray || !nextElement(scan);
    }
    endScan(scan);
    return true;
  };
}

/** An event of 256 tags of 64 KiB each is well below. */
const maxElementBytes = 48 * 1024 * 1024;

/** One value after another, each as deep as it may be. Its own stack lets it stop between any two values. */
interface Reader {
  readonly scan: Scan;
  readonly memory: JsonMemory;
  /** The innermost object or array that has begun and not ended. */
  open: Open | undefined;
  /** Which element of the body is read; -1 where it is the whole body. */
  index: number;
  /** How many values may be read before it stops. */
  left: number;
  /** The last one that was read whole. */
  value: JsonValue;
}

/** An object whose member `name` is read, or an array whose next element is. */
interface Open {
  readonly members: Map<string, JsonValue> | undefined;
  readonly elements: JsonValue[];
  name: string;
  readonly outer: Open | undefined;
}

function createReader(scan: Scan, memory: JsonMemory): Reader {
  return { scan, memory, open: undefined, index: -1, left: Number.POSITIVE_INFINITY, value: null };
}

/** Counts what is about to be made. */
function take(reader: Reader, bytes: number): void {
  const { memory } = reader;
  memory.left -= bytes;
  if (memory.left < 0) memory.more(() => pathOf(reader));
}

/** Reads `left` values at most, those within others counted; true when the outermost one is whole. */
function readOn(reader: Reader): boolean {
  const { scan } = reader;
  while (reader.left-- > 0) {
    let value: JsonValue;
    switch (peek(scan)) {
      case Byte.OpenObject: {
        take(reader, ValueBytes.Object);
        const members = new Map<string, JsonValue>();
        if (openObject(scan)) {
          reader.open = { members, elements: noElements, name: '', outer: reader.open };
          beginMember(reader, reader.open, members);
          continue;
        }
        value = members;
        break;
      }
      case Byte.OpenArray: {
        take(reader, ValueBytes.Array);
        const elements: JsonValue[] = [];
        if (openArray(scan)) {
          reader.open = { members: undefined, elements, name: '', outer: reader.open };
          take(reader, ValueBytes.Element);
          continue;
        }
        value = elements;
        break;
      }
      case Byte.Quote:
        value = readText(reader);
        break;
      default:
        value = describeNext(scan) === 'a number' ? readJsonNumber(reader) : readLiteral(scan);
    }
    for (;;) {
      const { open } = reader;
      if (open === undefined) {
        reader.value = value;
        return true;
      }
      const { members, elements } = open;
      if (members !== undefined) {
        members.set(open.name, value);
        if (nextMember(scan)) {
          beginMember(reader, open, members);
          break;
        }
        value = members;
      } else {
        elements.push(value);
        if (nextElement(scan)) {
          take(reader, ValueBytes.Element);
          break;
        }
        value = elements;
      }
      reader.open = open.outer;
    }
  }
  return false;
}

const noElements: JsonValue[] = [];

/** Reads the name of the next member of the innermost object. */
function beginMember(reader: Reader, object: Open, members: ReadonlyMap<string, JsonValue>): void {
  const { scan } = reader;
  const start = scan.at;
  const name = readKey(scan);
  if (members.has(name)) {
    reader.open = object.outer;
    throw fault('duplicate_property', pathOf(reader), `has the property ${excerpt(name)} twice`);
  }
  object.name = name;
  take(reader, ValueBytes.Member + ValueBytes.Text + scan.at - start);
}

function readText(reader: Reader): string {
  const { scan } = reader;
  const start = scan.at;
  const text = readString(scan);
  take(reader, ValueBytes.Text + scan.at - start);
  return text;
}

function readJsonNumber(reader: Reader): JsonNumber {
  const { scan } = reader;
  const start = scan.at;
  const value = readNumber(scan);
  if (!Number.isFinite(value)) throw fault('invalid_value', pathOf(reader), beyondDouble);
  take(reader, ValueBytes.Number + scan.at - start);
  return { text: scan.bytes.toString('latin1', start, scan.at), value };
}

/** Where in the body the value is that is being read. */
function pathOf({ index, open }: Reader): string {
  const body = index < 0 ? '' : `[${index}]`;
  const pathIn = (place: Open | undefined): string => {
    if (place === undefined) return body;
    const { members, elements, name, outer } = place;
    return members === undefined ? `${pathIn(outer)}[${elements.length}]` : memberPath(pathIn(outer), name);
  };
  return pathIn(open);
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

import { checkBodySize, createJsonMemory, type JsonLimits, type MemoryShare } from './json-memory.ts';
import { Byte, endScan, nextElement, openArray, openScan, peek } from './json-scanner.ts';
import type { JsonValue } from './json-value.ts';
import { createReader, type Reader, readOn } from './value-reader.ts';

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

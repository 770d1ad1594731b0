import type { Steps } from '../../turns/steps.ts';
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

/** The size from which on a body is read step by step; below it, reading takes a few milliseconds. */
export const largeBytes = 64 * 1024;

/** Values that are read in one step: well below a millisecond, unless the texts are long. */
const valuesOfStep = 64;

/**
 * Reads a body in steps, and throws where reading at once does. Its value is undefined where it is blank. The body must stay as
 * it is until the last step.
 */
export function* bodySteps(
  body: Uint8Array,
  limits: JsonLimits,
  share: MemoryShare | undefined,
  values = valuesOfStep,
): Steps<JsonValue | undefined> {
  checkBodySize(body, limits);
  const scan = openScan(body);
  if (peek(scan) === -1) return undefined;
  const reader = createReader(scan, createJsonMemory(limits.maxValueBytes, share));
  yield* valueSteps(reader, values);
  endScan(scan);
  return reader.value;
}

/** Reads one value. */
function* valueSteps(reader: Reader, values: number): Steps<void> {
  for (;;) {
    reader.left = values;
    if (readOn(reader)) return;
    yield;
  }
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
 * `maxElementBytes` of memory, of which the largest counts against the share. Throws as `decodeBody`. The body must stay as
 * it is until the last step.
 */
export function* elementSteps(
  body: Uint8Array,
  read: (value: JsonValue, path: string) => void,
  share?: MemoryShare,
  values = valuesOfStep,
): Steps<void> {
  const scan = openScan(body);
  const memory = createJsonMemory(maxElementBytes, share);
  const reader = createReader(scan, memory);
  const isArray = peek(scan) === Byte.OpenArray;
  let isOver = isArray && !openArray(scan);
  reader.left = values;
  for (let index = 0; !isOver; index++) {
    if (isArray) reader.index = index;
    while (!readOn(reader)) {
      yield;
      reader.left = values;
    }
    read(reader.value, isArray ? `[${index}]` : '');
    memory.again();
    isOver = !isArray || !nextElement(scan);
  }
  endScan(scan);
}

/** The most memory of an element of an array: an event of 256 tags of 64 KiB each is well below. */
const maxElementBytes = 48 * 1024 * 1024;

import { isDeepStrictEqual } from 'node:util';
import { PitwallError } from '../../src/errors.ts';
import { whole } from '../../src/turns/steps.ts';
import { type JsonLimits, queryLimits } from '../../src/wire/json/json-memory.ts';
import type { JsonValue } from '../../src/wire/json/json-value.ts';
import { bodySteps, decodeBody, decodeJson, elementSteps } from '../../src/wire/json/value.ts';
import { jsonCorpus, jsonWords } from './corpus.ts';
import { createJsonText } from './json-text.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const generated = createJsonText();

/** JSON of all forms; some of it mutated, and some mutations of documents from the docs and the tests. */
export function makeJson(random: Random): Buffer {
  const corpus = jsonCorpus();
  switch (random.below(8)) {
    case 0:
      return mutate(random.pick(corpus), random, jsonWords, corpus);
    case 1:
    case 2: {
      const document = generated.make(random);
      return mutate(document, random, jsonWords, corpus);
    }
    default:
      return generated.make(random);
  }
}

/**
 * `decodeJson` gives what JSON.parse gives, or both refuse. It alone refuses what the contract does: bytes that are not
 * UTF-8, names that stand twice, lone surrogates, more than 64 levels and numbers beyond double.
 */
export const jsonTarget: Target = {
  name: 'json',
  short: 20_000,
  make: makeJson,
  check: (input) =>
    compare(
      input,
      read(() => decodeJson(input)),
    ),
};

/** The same of `elementSteps`, which gives an array one element after another. */
export const jsonListTarget: Target = {
  name: 'json-list',
  short: 5000,
  make: makeJson,
  check(input) {
    const elements: JsonValue[] = [];
    let only: { readonly value: JsonValue } | undefined;
    const decode = (): JsonValue => {
      whole(
        elementSteps(input, (value, path) => {
          if (path === '') only = { value };
          else if (path === `[${elements.length}]`) elements.push(value);
          else throw new Error(`element ${elements.length} has the path ${path}`);
        }),
      );
      return only === undefined ? elements : only.value;
    };
    compare(input, read(decode));
  },
};

/** Limits that some of the inputs go beyond. */
const tight: JsonLimits = { ...queryLimits, maxBytes: 1000, maxValueBytes: 2000 };

/** Read step by step, however long the steps, a body gives the same as at once: the same value, elements, paths and faults. */
export const jsonStepsTarget: Target = {
  name: 'json-steps',
  short: 5000,
  make: makeJson,
  check(input) {
    const values = 1 + (input.length % 5);
    for (const limits of [queryLimits, tight]) {
      const stepwise = outcome(() => readBySteps(input, limits, values));
      if (
        !isDeepStrictEqual(
          stepwise,
          outcome(() => decodeBody(input, limits)),
        )
      ) {
        throw new Error(`gives something else in steps of ${values} values`);
      }
    }
    const atOnce: unknown[] = [];
    const inSteps: unknown[] = [];
    const error = outcome(() =>
      whole(elementSteps(input, (...element) => atOnce.push(element), undefined, Number.POSITIVE_INFINITY)),
    );
    const errorInSteps = outcome(() =>
      whole(elementSteps(input, (...element) => inSteps.push(element), undefined, values)),
    );
    if (!isDeepStrictEqual([errorInSteps, inSteps], [error, atOnce])) {
      throw new Error(`gives other elements in steps of ${values} values`);
    }
  },
};

function readBySteps(input: Buffer, limits: JsonLimits, values: number): JsonValue {
  const value = whole(bodySteps(input, limits, undefined, values));
  // Blank.
  return value === undefined ? decodeBody(input, limits) : value;
}

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof PitwallError) return [error.code, error.errors];
    throw error;
  }
}

type Found = { readonly value: JsonValue } | { readonly code: string };

function read(decode: () => JsonValue): Found {
  try {
    return { value: decode() };
  } catch (error) {
    if (error instanceof PitwallError) return { code: error.code };
    throw error;
  }
}

const fatal = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, without the byte order mark that may lead it; undefined for bytes that are none. */
export function textOf(input: Buffer): string | undefined {
  let text = input.toString();
  // A replacement character stands in the text, or for what is not UTF-8.
  if (text.includes('\ufffd')) {
    try {
      text = fatal.decode(input);
    } catch {
      return undefined;
    }
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function compare(input: Buffer, found: Found): void {
  const text = textOf(input);
  if (text === undefined) {
    if ('value' in found || found.code !== 'bad_utf8') throw new Error('takes what is not UTF-8');
    return;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    if ('value' in found) throw new Error('takes what JSON.parse refuses');
    if (!refusals.includes(found.code)) throw new Error(`refuses what is no JSON with ${found.code}`);
    return;
  }
  const flaws = { depth: 0, members: 0, isFinite: true, isWellFormed: true };
  const hasTwice = (): boolean => countMembers(input) !== flaws.members;
  if ('value' in found) {
    if (!same(found.value, parsed, flaws, 0)) throw new Error('reads another value than JSON.parse');
    if (flaws.depth > 64) throw new Error(`takes ${flaws.depth} levels`);
    if (!flaws.isFinite) throw new Error('takes a number beyond double');
    if (hasTwice()) throw new Error('takes a name twice in one object');
    return;
  }
  look(parsed, flaws, 0);
  const isRight =
    (found.code === 'too_deep' && flaws.depth > 64) ||
    (found.code === 'invalid_value' && (!flaws.isFinite || hasTwice())) ||
    (found.code === 'bad_json' && (!flaws.isWellFormed || hasTwice())) ||
    (found.code === 'duplicate_property' && hasTwice());
  if (!isRight) throw new Error(`refuses with ${found.code} what JSON.parse takes`);
}

/** What else may be wrong before the place where JSON ends to be JSON. */
const refusals = ['bad_json', 'too_deep', 'invalid_value', 'duplicate_property'];

interface Flaws {
  depth: number;
  /** Of all objects. */
  members: number;
  isFinite: boolean;
  isWellFormed: boolean;
}

function same(ours: JsonValue, parsed: unknown, flaws: Flaws, depth: number): boolean {
  if (depth > flaws.depth) flaws.depth = depth;
  if (typeof ours !== 'object' || ours === null) return ours === parsed;
  if ('text' in ours) {
    if (!Number.isFinite(ours.value)) flaws.isFinite = false;
    return Object.is(ours.value, parsed) && Object.is(Number(ours.text), parsed);
  }
  if (typeof parsed !== 'object' || parsed === null) return false;
  if (ours instanceof Map) {
    if (Array.isArray(parsed)) return false;
    const keys = Object.keys(parsed);
    flaws.members += keys.length;
    if (keys.length !== ours.size) return false;
    for (const key of keys) {
      const member = (ours as ReadonlyMap<string, JsonValue>).get(key);
      if (member === undefined || !same(member, (parsed as Record<string, unknown>)[key], flaws, depth + 1))
        return false;
    }
    if (depth + 1 > flaws.depth) flaws.depth = depth + 1;
    return true;
  }
  const elements = ours as readonly JsonValue[];
  if (!Array.isArray(parsed) || parsed.length !== elements.length) return false;
  if (depth + 1 > flaws.depth) flaws.depth = depth + 1;
  return elements.every((element, i) => same(element, parsed[i], flaws, depth + 1));
}

/** Looks for what JSON.parse takes and the contract does not. */
function look(parsed: unknown, flaws: Flaws, depth: number): void {
  if (typeof parsed === 'number' && !Number.isFinite(parsed)) flaws.isFinite = false;
  if (typeof parsed === 'string' && !parsed.isWellFormed()) flaws.isWellFormed = false;
  if (typeof parsed !== 'object' || parsed === null) return;
  if (depth + 1 > flaws.depth) flaws.depth = depth + 1;
  if (Array.isArray(parsed)) {
    for (const element of parsed) look(element, flaws, depth + 1);
    return;
  }
  for (const [name, member] of Object.entries(parsed)) {
    flaws.members++;
    if (!name.isWellFormed()) flaws.isWellFormed = false;
    look(member, flaws, depth + 1);
  }
}

/** How many members the objects of a valid document have, those that stand twice counted twice: its colons. */
function countMembers(input: Buffer): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < input.length; at++) {
    const byte = input[at]!;
    if (byte === 0x22) inString = !inString;
    else if (inString && byte === 0x5c) at++;
    else if (!inString && byte === 0x3a) count++;
  }
  return count;
}

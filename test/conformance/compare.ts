import type { JsonNumber, JsonObject, JsonValue } from '../../src/wire/json/json-value.ts';
import { encode } from './fill.ts';

/**
 * Where an answer is other than expected, one line a place; empty where it is as expected. Integers are compared
 * digit by digit and other numbers bit by bit, objects without regard to the order of their members. With
 * `partial`, an object may have more members than expected; arrays have as many elements as expected either way.
 *
 * A text like `<uuid>` stands for what is not known beforehand: see `patterns`, and
 *
 *   <any>             whatever is there, also null
 *   <absent>          no such member
 *   <matches REGEX>   a text in which the regular expression is found
 *   <not TEXT>        any other text
 *   <near NUMBER>     a number within a relative 1e-12 of it
 */
export function differences(
  expected: JsonValue,
  actual: JsonValue,
  { partial = false, path = 'the answer' }: { partial?: boolean; path?: string } = {},
): string[] {
  if (typeof expected === 'string') return isLike(expected, actual) ? [] : [differ(path, expected, actual)];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [differ(path, expected, actual)];
    if (actual.length !== expected.length) {
      return [`${path} has ${actual.length} elements, not ${expected.length}: ${shown(actual)}`];
    }
    return expected.flatMap((element: JsonValue, i) =>
      differences(element, actual[i] as JsonValue, { partial, path: `${path}[${i}]` }),
    );
  }
  if (expected instanceof Map) {
    if (!(actual instanceof Map)) return [differ(path, expected, actual)];
    return differentMembers(expected as JsonObject, actual as JsonObject, partial, path);
  }
  const isSame = isNumber(expected)
    ? isNumber(actual) && isSameNumber(expected, actual)
    : expected === actual;
  return isSame ? [] : [differ(path, expected, actual)];
}

function differentMembers(
  expected: JsonObject,
  actual: JsonObject,
  partial: boolean,
  path: string,
): string[] {
  const found: string[] = [];
  for (const [name, member] of expected) {
    const given = actual.get(name);
    if (member === '<absent>') {
      if (given !== undefined) found.push(`${path}.${name} is there: ${shown(given)}`);
    } else if (given === undefined) {
      found.push(`${path}.${name} is missing, expected ${shown(member)}`);
    } else {
      found.push(...differences(member, given, { partial, path: `${path}.${name}` }));
    }
  }
  if (partial) return found;
  for (const [name, member] of actual) {
    if (!expected.has(name)) found.push(`${path}.${name} was not expected: ${shown(member)}`);
  }
  return found;
}

const patterns: ReadonlyMap<string, RegExp> = new Map([
  ['<string>', /^/],
  ['<uuid>', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ['<ISO time>', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/],
]);

/** True if the text, which may be a pattern, stands for the value. */
export function isLike(expected: string, actual: JsonValue): boolean {
  if (expected === '<any>') return true;
  if (expected === '<integer>') return isNumber(actual) && /^-?\d+$/.test(actual.text);
  const [, near] = /^<near (.+)>$/.exec(expected) ?? [];
  if (near !== undefined) return isNumber(actual) && isNear(Number(near), actual.value);
  const [, unlike] = /^<not (.+)>$/.exec(expected) ?? [];
  if (unlike !== undefined) return typeof actual === 'string' && actual !== unlike;
  const [, source] = /^<matches (.+)>$/s.exec(expected) ?? [];
  const pattern = source === undefined ? patterns.get(expected) : new RegExp(source);
  if (pattern !== undefined) return typeof actual === 'string' && pattern.test(actual);
  return actual === expected;
}

function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'text' in value;
}

const integerText = /^-?\d+$/;

function isSameNumber(expected: JsonNumber, actual: JsonNumber): boolean {
  if (integerText.test(expected.text) && integerText.test(actual.text)) return expected.text === actual.text;
  return Object.is(expected.value, actual.value);
}

function isNear(expected: number, actual: number): boolean {
  return Math.abs(actual - expected) <= 1e-12 * Math.abs(expected);
}

function differ(path: string, expected: JsonValue, actual: JsonValue): string {
  return `${path} is ${shown(actual)}, expected ${shown(expected)}`;
}

function shown(value: JsonValue): string {
  const text = encode(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Enough of a value to see what it is. */
const longestShown = 600;

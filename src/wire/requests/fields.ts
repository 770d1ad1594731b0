import { fault } from '../base/fault.ts';
import { checkName, excerpt } from '../base/name.ts';
import { nearest } from '../base/nearest.ts';
import { type PropertyNames, propertyNamed } from '../base/property-names.ts';
import {
  describeValue,
  type JsonNumber,
  type JsonObject,
  type JsonValue,
  memberPath,
} from '../json/json-value.ts';
import { integer64OfDigits, integer64OfNumber } from '../json/timestamp-text.ts';

/**
 * A typed look at the small bodies. An object is opened with the names that it may have, and each field is read
 * by a `Read`, which checks one value and throws a fault that names its path:
 *
 *   const fields = readFields(value, propertyNames(['name', 'parents']), '');
 *   const name = fields.get('name', text);
 *   const parents = fields.get('parents', listOf(text));
 */
export type Read<Value> = (value: JsonValue, path: string) => Value;

export interface Fields<Name extends string> {
  /** undefined where the field is absent or null. */
  get<Value>(name: Name, read: Read<Value>): Value | undefined;
  /** Throws `missing_property` where the field is absent or null. */
  require<Value>(name: Name, read: Read<Value>): Value;
}

/** Opens an object. Throws `wrong_type`, `unknown_property`, and `duplicate_property` for two spellings of one name. */
export function readFields<Name extends string>(
  value: JsonValue,
  names: PropertyNames<Name>,
  path: string,
): Fields<Name> {
  const given = new Map<Name, JsonValue>();
  for (const [spelt, member] of object(value, path)) {
    const name = propertyNamed(names, spelt, path);
    if (given.has(name)) throw fault('duplicate_property', memberPath(path, name), 'stands twice');
    given.set(name, member);
  }
  const get = <Value>(name: Name, read: Read<Value>): Value | undefined => {
    const member = given.get(name) ?? null;
    return member === null ? undefined : read(member, memberPath(path, name));
  };
  return {
    get,
    require(name, read) {
      const found = get(name, read);
      if (found === undefined) throw fault('missing_property', memberPath(path, name), 'is missing');
      return found;
    },
  };
}

export const object: Read<JsonObject> = (value, path) => {
  if (value instanceof Map) return value;
  throw wrongType(value, path, 'an object');
};

export const text: Read<string> = (value, path) => {
  if (typeof value === 'string') return value;
  throw wrongType(value, path, 'a string');
};

export const flag: Read<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw wrongType(value, path, 'true or false');
};

/** At most `limit` bytes of UTF-8. Throws `string_too_long`. */
export const textWithin =
  (limit: number): Read<string> =>
  (value, path) => {
    const given = text(value, path);
    // A code unit takes three bytes at most, so most texts need no counting.
    if (given.length * 3 > limit && Buffer.byteLength(given) > limit) {
      const message = `has ${Buffer.byteLength(given)} bytes; ${limit} are allowed`;
      throw fault('string_too_long', path, message);
    }
    return given;
  };

/** A finite number. */
export const double: Read<number> = (value, path) => {
  if (!isNumber(value)) throw wrongType(value, path, 'a number');
  if (Number.isFinite(value.value)) return value.value;
  throw fault('invalid_value', path, 'must be a finite number');
};

/** A name or id; see `checkName`. */
export const nameWithin =
  (limit: number): Read<string> =>
  (value, path) =>
    checkName(text(value, path), path, limit);

/** Nanoseconds: a number or a string of digits that is an int64. Throws `bad_timestamp`. */
export const integer64: Read<bigint> = (value, path) => {
  if (isNumber(value)) return integer64OfNumber(value.text, path);
  if (typeof value === 'string') return integer64OfDigits(value, path);
  throw fault('bad_timestamp', path, `must be a 64-bit integer, not ${describeValue(value)}`);
};

/** A whole number from `minimum` to 2^53 - 1. */
export const integerFrom =
  (minimum: number): Read<number> =>
  (value, path) => {
    if (!isNumber(value)) throw wrongType(value, path, 'a number');
    if (Number.isSafeInteger(value.value) && value.value >= minimum) return value.value;
    const most = value.value > Number.MAX_SAFE_INTEGER ? ` to ${Number.MAX_SAFE_INTEGER}` : '';
    throw fault(
      'invalid_value',
      path,
      `must be a whole number from ${minimum}${most}, not ${excerpt(value.text).slice(1, -1)}`,
    );
  };

/** One of the known words, in any case; comes as it is known. */
export const oneOf =
  <Word extends string>(known: readonly Word[]): Read<Word> =>
  (value, path) => {
    const word = text(value, path);
    if (known.includes(word as Word)) return word as Word;
    const lower = word.toLowerCase();
    const found = known.find((candidate) => candidate.toLowerCase() === lower);
    if (found !== undefined) return found;
    const message = `must be one of ${known.join(', ')}, not ${excerpt(word)}; the nearest is ${nearest(word, known)}`;
    throw fault('invalid_value', path, message);
  };

/** An array; undefined for an empty one, which is the same as an absent one. */
export const listOf =
  <Value>(read: Read<Value>): Read<readonly Value[] | undefined> =>
  (value, path) => {
    if (!Array.isArray(value)) throw wrongType(value, path, 'an array');
    const elements = value as readonly JsonValue[];
    return elements.length === 0 ? undefined : elements.map((element, i) => read(element, `${path}[${i}]`));
  };

/** Copies a record without the properties that are undefined. */
export function defined<Values extends object>(record: Values): Defined<Values> {
  const found: Defined<Values> = {};
  for (const key of Object.keys(record) as (keyof Values)[]) {
    const value = record[key];
    if (value !== undefined) found[key] = value as Defined<Values>[typeof key];
  }
  return found;
}

type Defined<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'text' in value;
}

function wrongType(value: JsonValue, path: string, expected: string) {
  return fault('wrong_type', path, `must be ${expected}, not ${describeValue(value)}`);
}

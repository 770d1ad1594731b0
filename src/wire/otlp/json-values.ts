import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import {
  describeValue,
  type JsonNumber,
  type JsonObject,
  type JsonValue,
  memberPath,
} from '../json/json-value.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { object } from '../requests/fields.ts';

/**
 * Fields of messages of protobuf in JSON (protobuf.dev/programming-guides/json): 64-bit integers are texts or numbers, doubles are
 * numbers or texts, with NaN and infinities as words, enums are numbers or names. What is absent or null is undefined.
 * Throws `wrong_type` and `invalid_value`, which name the place.
 */
export class MessageFields {
  readonly #members: JsonObject;
  readonly #path: string;

  constructor(value: JsonValue, path: string) {
    this.#members = object(value, path);
    this.#path = path;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Also where it is null. */
  has(name: string): boolean {
    return this.#members.has(name);
  }

  pathOf(name: string): string {
    return memberPath(this.#path, name);
  }

  message(name: string): MessageFields | undefined {
    const value = this.#members.get(name) ?? null;
    return value === null ? undefined : new MessageFields(value, this.pathOf(name));
  }

  /** The elements of an array; none where it is absent. */
  list(name: string): readonly JsonValue[] {
    const value = this.#members.get(name) ?? null;
    if (value === null) return [];
    if (Array.isArray(value)) return value as readonly JsonValue[];
    throw wrong(value, this.pathOf(name), 'an array');
  }

  text(name: string): string | undefined {
    const value = this.#members.get(name) ?? null;
    if (value === null || typeof value === 'string') return value ?? undefined;
    throw wrong(value, this.pathOf(name), 'a string');
  }

  flag(name: string): boolean | undefined {
    const value = this.#members.get(name) ?? null;
    if (value === null || typeof value === 'boolean') return value ?? undefined;
    throw wrong(value, this.pathOf(name), 'true or false');
  }

  double(name: string): number | undefined {
    const value = this.#members.get(name) ?? null;
    return value === null ? undefined : doubleOf(value, this.pathOf(name));
  }

  /** Whether a double that is there is another number than was written. */
  isRounded(name: string): boolean {
    const value = this.#members.get(name) ?? null;
    if (typeof value === 'string') return isRounded(value, Number(value));
    return isNumber(value) && isRounded(value.text, value.value);
  }

  /** As it was written. */
  number(name: string): JsonNumber | undefined {
    const value = this.#members.get(name) ?? null;
    if (value === null || isNumber(value)) return value ?? undefined;
    throw wrong(value, this.pathOf(name), 'a number');
  }

  /** A whole number of 64 bits, with a sign where nothing else is said. */
  integer(name: string, range = signed): bigint | undefined {
    const value = this.#members.get(name) ?? null;
    return value === null ? undefined : integerOf(value, this.pathOf(name), range);
  }

  /** A whole number of 32 bits with a sign. */
  integer32(name: string): number | undefined {
    const value = this.integer(name);
    if (value === undefined) return undefined;
    if (BigInt.asIntN(32, value) === value) return Number(value);
    throw fault('invalid_value', this.pathOf(name), `must be a 32-bit integer, not ${value}`);
  }

  /** The place of a word in a list, which may stand as its number. */
  word(name: string, words: readonly string[]): number | undefined {
    const value = this.#members.get(name) ?? null;
    if (value === null) return undefined;
    const number =
      typeof value === 'string' ? words.indexOf(value) : Number(integerOf(value, this.pathOf(name), signed));
    if (number >= 0) return number;
    const given = typeof value === 'string' ? excerpt(value) : String(number);
    throw fault('invalid_value', this.pathOf(name), `must be one of ${words.join(', ')}, not ${given}`);
  }
}

const words: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The whole numbers that 64 bits hold. */
interface WholeRange {
  readonly least: bigint;
  readonly most: bigint;
}

export const signed: WholeRange = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
export const unsigned: WholeRange = { least: 0n, most: 2n ** 64n - 1n };

/** A number, or a text of one: NaN, Infinity and -Infinity among them. */
export function doubleOf(value: JsonValue, path: string): number {
  if (isNumber(value)) return value.value;
  if (typeof value !== 'string') throw wrong(value, path, 'a number');
  const number = Number(value);
  if (words.has(value) || (decimal.test(value) && Number.isFinite(number))) return number;
  throw fault('invalid_value', path, `must be a number, NaN, Infinity or -Infinity, not ${excerpt(value)}`);
}

/** A whole number of this range. */
export function integerOf(value: JsonValue, path: string, { least, most }: WholeRange): bigint {
  const text = isNumber(value) ? value.text : value;
  if (typeof text !== 'string') throw wrong(value, path, 'a whole number');
  const number = wholeOf(text);
  if (number !== undefined && number >= least && number <= most) return number;
  throw fault('invalid_value', path, `must be a whole number of 64 bits, not ${excerpt(text)}`);
}

function wholeOf(text: string): bigint | undefined {
  if (/^-?\d{1,20}$/.test(text)) return BigInt(text);
  // As JSON may write it: 1e3, 5.0
  const value = Number(text);
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isSafeInteger(value)
    ? BigInt(value)
    : undefined;
}

export function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'text' in value;
}

export function wrong(value: JsonValue, path: string, expected: string) {
  return fault('wrong_type', path, `must be ${expected}, not ${describeValue(value)}`);
}

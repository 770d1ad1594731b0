import type { NumberCell } from '../tables/table-source.ts';

/** Any JSON as plain data: numbers keep their digits, and objects are maps, so that `__proto__` is a name like others. */
export type JsonValue = null | boolean | string | NumberCell | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** What of a text is no JSON. */
export class JsonFault extends Error {}

const deepest = 64;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
/** Doubles that JSON has no number for, as Python's `json.dumps` and others write them. */
const word = /true|false|null|NaN|-?Infinity/y;
/** A text up to its end, or to what must be looked at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const plain = /[^"\\\u0000-\u001f]*/y;
const space = /[ \t\r\n]*/y;

/**
 * Reads a text as JSON (RFC 8259), and the bare NaN, Infinity and -Infinity as these doubles. Throws a JsonFault, also for a name
 * that stands twice in an object and for a number beyond a double.
 */
export function parseJson(text: string): JsonValue {
  let at = 0;
  const broken = (what: string, from = at): JsonFault => new JsonFault(`${what} at character ${from + 1}`);
  const found = (): string => (at >= text.length ? 'the end' : JSON.stringify(text.slice(at, at + 12)));
  const take = (form: RegExp): string => {
    form.lastIndex = at;
    const taken = form.exec(text)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  const skipSpace = (): void => {
    const code = text.charCodeAt(at);
    if (code === 0x20 || (code < 0x20 && code >= 0x09)) take(space);
  };
  const expect = (mark: string): void => {
    if (text[at] !== mark) throw broken(`${mark} is missing before ${found()}`);
    at++;
  };

  const readText = (): string => {
    const from = at;
    at++;
    let isPlain = true;
    for (take(plain); text[at] !== '"'; take(plain)) {
      if (text[at] !== '\\') {
        throw broken(
          at >= text.length ? 'a text without its end' : 'a control character',
          at >= text.length ? from : at,
        );
      }
      isPlain = false;
      at += 2;
    }
    at++;
    if (isPlain) return text.slice(from + 1, at - 1);
    let value: string;
    try {
      value = JSON.parse(text.slice(from, at)) as string;
    } catch {
      throw broken('a text with a wrong escape', from);
    }
    if (!value.isWellFormed()) throw broken('a text with half a character', from);
    return value;
  };

  const readNumber = (): NumberCell => {
    const from = at;
    const digits = take(number);
    const value = Number(digits);
    if (digits === '') throw broken(`no value before ${found()}`);
    if (!Number.isFinite(value)) throw broken(`the number ${digits} is larger than any double`, from);
    return { text: digits, value };
  };

  const readWord = (): JsonValue => {
    const taken = take(word);
    switch (taken) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      case '':
        return readNumber();
      default:
        return { text: taken, value: Number(taken) };
    }
  };

  const readArray = (depth: number): JsonValue[] => {
    const values: JsonValue[] = [];
    at++;
    skipSpace();
    if (text[at] === ']') {
      at++;
      return values;
    }
    for (;;) {
      values.push(readValue(depth + 1));
      if (text[at] !== ',') break;
      at++;
    }
    expect(']');
    return values;
  };

  const readObject = (depth: number): JsonObject => {
    const members = new Map<string, JsonValue>();
    at++;
    skipSpace();
    if (text[at] === '}') {
      at++;
      return members;
    }
    for (;;) {
      skipSpace();
      if (text[at] !== '"') throw broken(`a name is missing before ${found()}`);
      const from = at;
      const name = readText();
      skipSpace();
      expect(':');
      if (members.has(name)) throw broken(`the name ${JSON.stringify(name)} stands twice`, from);
      members.set(name, readValue(depth + 1));
      if (text[at] !== ',') break;
      at++;
    }
    expect('}');
    return members;
  };

  /** With the space round it. */
  const readValue = (depth: number): JsonValue => {
    if (depth > deepest) throw broken(`values are nested more than ${deepest} deep`);
    skipSpace();
    const value = readBare(text.charCodeAt(at), depth);
    skipSpace();
    return value;
  };
  const readBare = (code: number, depth: number): JsonValue => {
    if (code === 0x22) return readText();
    if (code === 0x7b) return readObject(depth);
    if (code === 0x5b) return readArray(depth);
    return code >= 0x30 && code <= 0x39 ? readNumber() : readWord();
  };

  const value = readValue(0);
  if (at < text.length) throw broken(`there is more: ${found()}`);
  return value;
}

export function isNumberCell(value: JsonValue): value is NumberCell {
  return typeof value === 'object' && value !== null && 'text' in value;
}

export function describeJson(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  if (Array.isArray(value)) return 'an array';
  return value instanceof Map ? 'an object' : 'a number';
}

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
  return new JsonText(text).read();
}

class JsonText {
  readonly #text;
  /** The next character that is not read. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads all of the text as one value. */
  read(): JsonValue {
    const value = this.#value(0);
    if (this.#at < this.#text.length) throw this.#fault(`there is more: ${this.#found()}`);
    return value;
  }

  /** A value with the space round it. */
  #value(depth: number): JsonValue {
    if (depth > deepest) throw this.#fault(`values are nested more than ${deepest} deep`);
    this.#skipSpace();
    const value = this.#bareValue(this.#text.charCodeAt(this.#at), depth);
    this.#skipSpace();
    return value;
  }

  #bareValue(code: number, depth: number): JsonValue {
    if (code === 0x22) return this.#string();
    if (code === 0x7b) return this.#object(depth);
    if (code === 0x5b) return this.#array(depth);
    return code >= 0x30 && code <= 0x39 ? this.#number() : this.#word();
  }

  #string(): string {
    const text = this.#text;
    const from = this.#at++;
    let isPlain = true;
    for (this.#take(plain); text[this.#at] !== '"'; this.#take(plain)) {
      if (this.#at >= text.length) throw this.#fault('a text without its end', from);
      if (text[this.#at] !== '\\') throw this.#fault('a control character');
      isPlain = false;
      this.#at += 2;
    }
    this.#at++;
    if (isPlain) return text.slice(from + 1, this.#at - 1);
    let value: string;
    try {
      value = JSON.parse(text.slice(from, this.#at)) as string;
    } catch {
      throw this.#fault('a text with a wrong escape', from);
    }
    if (!value.isWellFormed()) throw this.#fault('a text with half a character', from);
    return value;
  }

  #number(): NumberCell {
    const from = this.#at;
    const digits = this.#take(number);
    const value = Number(digits);
    if (digits === '') throw this.#fault(`no value before ${this.#found()}`);
    if (!Number.isFinite(value)) throw this.#fault(`the number ${digits} is larger than any double`, from);
    return { text: digits, value };
  }

  #word(): JsonValue {
    const taken = this.#take(word);
    switch (taken) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      case '':
        return this.#number();
      default:
        return { text: taken, value: Number(taken) };
    }
  }

  #array(depth: number): JsonValue[] {
    const values: JsonValue[] = [];
    if (this.#isEmpty(']')) return values;
    do values.push(this.#value(depth + 1));
    while (this.#hasNext());
    this.#expect(']');
    return values;
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    if (this.#isEmpty('}')) return members;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#fault(`a name is missing before ${this.#found()}`);
      const from = this.#at;
      const name = this.#string();
      this.#skipSpace();
      this.#expect(':');
      if (members.has(name)) throw this.#fault(`the name ${JSON.stringify(name)} stands twice`, from);
      members.set(name, this.#value(depth + 1));
    } while (this.#hasNext());
    this.#expect('}');
    return members;
  }

  /** Reads the opening mark of an array or object, and the closing one where it follows. */
  #isEmpty(close: string): boolean {
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] !== close) return false;
    this.#at++;
    return true;
  }

  /** Reads a comma, if there is one. */
  #hasNext(): boolean {
    if (this.#text[this.#at] !== ',') return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    if (this.#text[this.#at] !== mark) throw this.#fault(`${mark} is missing before ${this.#found()}`);
    this.#at++;
  }

  #skipSpace(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 0x20 || (code < 0x20 && code >= 0x09)) this.#take(space);
  }

  /** Reads what a form matches here. */
  #take(form: RegExp): string {
    form.lastIndex = this.#at;
    const taken = form.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }

  #fault(what: string, from = this.#at): JsonFault {
    return new JsonFault(`${what} at character ${from + 1}`);
  }

  /** What a message says of the text that is left. */
  #found(): string {
    const at = this.#at;
    return at >= this.#text.length ? 'the end' : JSON.stringify(this.#text.slice(at, at + 12));
  }
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

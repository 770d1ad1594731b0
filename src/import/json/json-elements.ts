import type { FileBytes } from '../file-bytes.ts';
import { TableFault } from '../tables/table-fault.ts';
import { JsonFault, type JsonValue, parseJson } from './parse-json.ts';

/** One value of a JSON file: an element of the array that the file is, or one of the values that stand one after the other. */
export interface JsonElement {
  /** From 1. */
  readonly number: number;
  /** The line that it begins on, from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

const pieceBytes = 256 * 1024;

/** The largest element: it is parsed as a whole; a file of any length may be an array of smaller ones. */
const maxElementBytes = 128 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const lineFeed = 0x0a;

/**
 * Cuts a JSON file into the elements of its outermost array, or into the values that stand one after the other, as in lines of
 * JSON, without reading more than one into memory. What they hold is for the reader to judge. Throws a TableFault.
 */
export async function* readElements(file: FileBytes): AsyncGenerator<JsonElement, void, void> {
  const cutter = new ElementCutter();
  for (let at = 0; at < file.size; at += pieceBytes)
    yield* cutter.add(await file.read(at, Math.min(pieceBytes, file.size - at)));
  yield* cutter.end();
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws a TableFault that names the element and its line. */
export function parseElement({ number, line, bytes }: JsonElement): JsonValue {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new TableFault(`element ${number}, line ${line}: it is not UTF-8`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new TableFault(`element ${number}, line ${line}: it is not valid JSON: ${error.message}`);
  }
}

type State = 'before' | 'array' | 'between' | 'value' | 'word' | 'after';

class ElementCutter {
  #state: State = 'before';
  /** How many objects and arrays are open inside the outermost array, or in all. */
  #depth = 0;
  #inString = false;
  /** The byte before, in a string, was a backslash. */
  #escaped = false;
  /** The outermost array had a comma. */
  #hasComma = false;
  /** The line of the next byte, from 1. */
  #line = 1;
  /** Of the element at hand: the line that it begins on, 0 before it begins; its bytes so far; how many these are. */
  #firstLine = 0;
  #parts: Uint8Array[] = [];
  #size = 0;
  /** Of the last element that was given. */
  #number = 0;

  *add(chunk: Uint8Array): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
        continue;
      }
      if (byte === lineFeed) this.#line++;
      if (isSpace(byte)) {
        if (this.#state !== 'word') continue;
        yield this.#endValue(chunk.subarray(from, at));
        continue;
      }
      if (this.#state === 'after') {
        throw broken(`there is more behind the end of the array, in line ${this.#line}`);
      }
      if (this.#state === 'before' || this.#state === 'between') {
        if (this.#state === 'before' && isMark(byte)) continue;
        const begun = this.#begin(byte);
        from = begun === 'array' ? at + 1 : at;
        if (begun === 'array') continue;
      }
      if (this.#firstLine === 0) this.#firstLine = this.#line;
      if (byte === quote) this.#inString = true;
      else if (byte === openArray || byte === openObject) this.#depth++;
      else if (this.#state === 'array' && this.#depth === 0 && (byte === comma || byte === closeArray)) {
        const element = this.#endElement(chunk.subarray(from, at), byte);
        if (element !== undefined) yield element;
        from = at + 1;
      } else if (byte === closeArray || byte === closeObject) {
        this.#depth--;
        if (this.#depth > 0 || this.#state !== 'value') continue;
        yield this.#endValue(chunk.subarray(from, at + 1));
      }
    }
    if (this.#state === 'array' || this.#state === 'value' || this.#state === 'word') {
      this.#keep(chunk.subarray(from));
    }
  }

  *end(): Generator<JsonElement> {
    if (this.#state === 'array') throw broken('the array does not end');
    if (this.#state === 'before') throw broken('it is empty');
    if (this.#state === 'value') throw broken(`what begins in line ${this.#firstLine} does not end`);
    const last = this.#element();
    if (last !== undefined) yield last;
  }

  /** Notes what begins with a byte: the outermost array, or a value that stands by itself. */
  #begin(byte: number): State {
    if (this.#state === 'before' && byte === openArray) this.#state = 'array';
    else this.#state = byte === openArray || byte === openObject ? 'value' : 'word';
    return this.#state;
  }

  /** The element of the array that ends before a mark. */
  #endElement(bytes: Uint8Array, mark: number): JsonElement | undefined {
    this.#keep(bytes);
    const element = this.#element();
    if (mark === comma) {
      this.#hasComma = true;
      if (element === undefined)
        throw broken(`there is a comma without an element before it, in line ${this.#line}`);
    } else {
      this.#state = 'after';
      if (element === undefined && this.#hasComma)
        throw broken('there is a comma before the end of the array');
    }
    return element;
  }

  /** The value outside an array that ends here. */
  #endValue(bytes: Uint8Array): JsonElement {
    this.#keep(bytes);
    this.#state = 'between';
    return this.#element()!;
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > maxElementBytes) {
      throw new TableFault(
        `element ${this.#number + 1} has more than ${maxElementBytes} bytes; write rows as lines of JSON, or split it`,
      );
    }
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  /** What was kept, as the next element; undefined for nothing but space. */
  #element(): JsonElement | undefined {
    const [parts, line] = [this.#parts, this.#firstLine];
    const bytes = parts.length === 1 ? parts[0]! : joined(parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    this.#firstLine = 0;
    return bytes.every(isSpace) ? undefined : { number: ++this.#number, line, bytes };
  }
}

function broken(what: string): TableFault {
  return new TableFault(`it is not valid JSON: ${what}`);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The bytes of a byte order mark. */
function isMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}

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

/** An element is parsed as a whole; a file of any length may be an array of smaller ones. */
const maxElementBytes = 128 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const lineFeed = 0x0a;

/**
 * Cuts a JSON file into the elements of its outermost array, or into the values that stand one after the other, as in lines of
 * JSON, without reading more than one into memory. What they hold is for the reader to judge. Throws a TableFault.
 */
export async function* readElements(file: FileBytes): AsyncGenerator<JsonElement, void, void> {
  const cut = createCutter();
  for (let at = 0; at < file.size; at += pieceBytes)
    yield* cut.add(await file.read(at, Math.min(pieceBytes, file.size - at)));
  yield* cut.end();
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

function createCutter() {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  let line = 1;
  /** Of the element. */
  let firstLine = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let state: State = 'before';
  let hasComma = false;

  const broken = (what: string): TableFault => new TableFault(`it is not valid JSON: ${what}`);
  const keep = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > maxElementBytes) {
      throw new TableFault(
        `element ${number + 1} has more than ${maxElementBytes} bytes; write rows as lines of JSON, or split it`,
      );
    }
    if (bytes.length > 0) parts.push(bytes);
  };
  /** Undefined for nothing but space. */
  const finish = (): JsonElement | undefined => {
    const bytes = parts.length === 1 ? parts[0]! : joined(parts, size);
    const begun = firstLine;
    parts = [];
    size = 0;
    firstLine = 0;
    if (bytes.every(isSpace)) return undefined;
    number++;
    return { number, line: begun, bytes };
  };

  return {
    *add(chunk: Uint8Array): Generator<JsonElement> {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inString = false;
          continue;
        }
        if (byte === lineFeed) line++;
        if (isSpace(byte)) {
          if (state !== 'word') continue;
          keep(chunk.subarray(from, at));
          state = 'between';
          yield finish()!;
          continue;
        }
        if (state === 'after') throw broken(`there is more behind the end of the array, in line ${line}`);
        if (firstLine === 0) firstLine = line;
        if (state === 'before' || state === 'between') {
          if (isMark(byte) && state === 'before') {
            firstLine = 0;
            continue;
          }
          if (state === 'before' && byte === 0x5b) {
            firstLine = 0;
            state = 'array';
            from = at + 1;
            continue;
          }
          state = byte === 0x7b || byte === 0x5b ? 'value' : 'word';
          from = at;
        }
        if (byte === quote) inString = true;
        else if (byte === 0x5b || byte === 0x7b) depth++;
        else if (byte === 0x5d && depth === 0 && state === 'array') {
          keep(chunk.subarray(from, at));
          const last = finish();
          if (last !== undefined) yield last;
          else if (hasComma) throw broken('there is a comma before the end of the array');
          state = 'after';
        } else if (byte === 0x5d || byte === 0x7d) {
          depth--;
          if (depth > 0 || state !== 'value') continue;
          keep(chunk.subarray(from, at + 1));
          state = 'between';
          yield finish()!;
        } else if (byte === comma && depth === 0 && state === 'array') {
          keep(chunk.subarray(from, at));
          from = at + 1;
          hasComma = true;
          const element = finish();
          if (element === undefined)
            throw broken(`there is a comma without an element before it, in line ${line}`);
          yield element;
        }
      }
      if (state === 'array' || state === 'value' || state === 'word') keep(chunk.subarray(from));
    },
    *end(): Generator<JsonElement> {
      if (state === 'array') throw broken('the array does not end');
      if (state === 'before') throw broken('it is empty');
      if (state === 'value') throw broken(`what begins in line ${firstLine} does not end`);
      const last = finish();
      if (last !== undefined) yield last;
    },
  };
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

import { createReadStream } from 'node:fs';
import { CommandError } from './command.ts';

/** One value of a JSON file: the only one, or an element of the array that the file is. */
export interface JsonElement {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** An element is parsed as a whole; a file of any length may be an array of smaller ones. */
const maxElementBytes = 128 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Cuts a JSON file into the elements of its outermost array, without reading more than one into memory; a file that
 * is no array is one element. What they hold is for the reader to judge. Throws a CommandError.
 */
export async function* readElements(path: string): AsyncGenerator<JsonElement, void, void> {
  const cut = createCutter(path);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }))
      yield* cut.add(chunk as Buffer);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
  yield* cut.end();
}

function createCutter(path: string) {
  let parts: Buffer[] = [];
  let size = 0;
  let number = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let state: 'before' | 'array' | 'value' | 'after' = 'before';
  let hasComma = false;

  const broken = (what: string): CommandError => new CommandError(`${path} is not valid JSON: ${what}`);
  const keep = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > maxElementBytes) {
      throw new CommandError(
        `${path}: element ${number + 1} has more than ${maxElementBytes} bytes; split it, or load CSV or Parquet`,
      );
    }
    if (bytes.length > 0) parts.push(bytes);
  };
  const finish = (): JsonElement | undefined => {
    const bytes = Buffer.concat(parts, size);
    parts = [];
    size = 0;
    if (isBlank(bytes)) return undefined;
    number++;
    return { number, bytes };
  };

  return {
    *add(chunk: Buffer): Generator<JsonElement> {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inString = false;
          continue;
        }
        if (state === 'before') {
          if (isSpace(byte) || isMark(byte)) continue;
          state = byte === 0x5b ? 'array' : 'value';
          from = state === 'array' ? at + 1 : at;
          if (state === 'array') continue;
        }
        if (state === 'after') {
          if (isSpace(byte)) continue;
          throw broken('there is more behind the end of the array');
        }
        if (byte === quote) inString = true;
        else if (byte === 0x5b || byte === 0x7b) depth++;
        else if (byte === 0x5d && depth === 0 && state === 'array') {
          keep(Buffer.from(chunk.subarray(from, at)));
          const last = finish();
          if (last !== undefined) yield last;
          else if (hasComma) throw broken('there is a comma before the end of the array');
          state = 'after';
        } else if (byte === 0x5d || byte === 0x7d) depth--;
        else if (byte === comma && depth === 0 && state === 'array') {
          keep(Buffer.from(chunk.subarray(from, at)));
          from = at + 1;
          hasComma = true;
          const element = finish();
          if (element === undefined) throw broken('there is a comma without an element before it');
          yield element;
        }
      }
      if (state === 'array' || state === 'value') keep(Buffer.from(chunk.subarray(from)));
    },
    *end(): Generator<JsonElement> {
      if (state === 'array') throw broken('the array does not end');
      const only = finish();
      if (only !== undefined) yield only;
      if (state === 'before') throw broken('it is empty');
    },
  };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(isSpace);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The bytes of a byte order mark. */
function isMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}

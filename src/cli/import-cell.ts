import { Kind } from '../domain/parameter-data.ts';
import { isTimestamp } from '../domain/timestamp.ts';
import { plainText } from '../import/text/text-layout.ts';
import { decodeBase64 } from '../wire/base64.ts';
import type { JsonNumber } from '../wire/json-value.ts';
import { CommandError } from './command.ts';

/**
 * What a column of a file becomes. Columns for stream and topic say of each row where it goes; a column without a
 * single value is empty and left out, one that has no meaning here is ignored.
 */
export type ColumnUse =
  | 'timestamp'
  | 'stream'
  | 'topic'
  | 'tag'
  | 'numeric'
  | 'string'
  | 'binary'
  | 'empty'
  | 'ignored';

/** A value as a file has it: text, a number with its digits, or bytes. */
export type Cell = null | string | JsonNumber | Uint8Array;

/** Finds out, row by row, what a column of values holds. */
export interface ColumnSurvey {
  /** Throws a CommandError that begins with the place where the value cannot be part of the column. */
  see(cell: Cell, place: () => string): void;
  use(): Extract<ColumnUse, 'numeric' | 'string' | 'binary' | 'empty'>;
  /** Where most values are numbers and the column is string all the same: why. */
  note(): string | undefined;
}

/** A column is numeric if each of its values is a number that a double holds, else string; or of the kind given. */
export function createColumnSurvey(kind: Kind | undefined): ColumnSurvey {
  let use: ReturnType<ColumnSurvey['use']> = 'empty';
  let numbers = 0;
  let texts = 0;
  let why: string | undefined;
  return {
    see(cell, place) {
      if (cell === null) return;
      const needed = kind === undefined ? useOf(cell) : checkKind(cell, kind, place);
      if (needed === 'numeric') numbers++;
      else texts++;
      if (needed === 'string') why ??= `${place()} is '${textStart(cell)}', so that the column is text`;
      if (use === 'empty' || use === needed) use = needed;
      else if (use === 'binary' || needed === 'binary')
        throw new CommandError(`${place()} mixes binaries with others`);
      else use = 'string';
    },
    use: () => use,
    note: () => (use === 'string' && numbers > texts ? why : undefined),
  };
}

function textStart(cell: Cell): string {
  return plainText(typeof cell === 'string' ? cell.slice(0, 40) : (cell as JsonNumber).text);
}

function useOf(cell: NonNullable<Cell>): 'numeric' | 'string' | 'binary' {
  if (typeof cell === 'string') return 'string';
  if (cell instanceof Uint8Array) return 'binary';
  return isNumber(cell.text) ? 'numeric' : 'string';
}

function checkKind(
  cell: NonNullable<Cell>,
  kind: Kind,
  place: () => string,
): 'numeric' | 'string' | 'binary' {
  if (kind === Kind.Numeric) {
    if (typeof cell === 'string' || cell instanceof Uint8Array)
      throw new CommandError(`${place()} is not a number`);
    return 'numeric';
  }
  if (kind !== Kind.Binary) return cell instanceof Uint8Array ? 'binary' : 'string';
  if (!(cell instanceof Uint8Array) && (typeof cell !== 'string' || !isBase64(cell)))
    throw new CommandError(`${place()} is not base64`);
  return 'binary';
}

function isBase64(text: string): boolean {
  const bytes = Buffer.from(text);
  return decodeBase64(bytes, 0, bytes.length, Buffer.alloc(bytes.length), 0) >= 0;
}

/** A value as JSON, in a column of that use. */
export function encodeCell(cell: Cell, use: ColumnUse): string {
  if (cell === null) return 'null';
  if (cell instanceof Uint8Array)
    return `"${Buffer.from(cell.buffer, cell.byteOffset, cell.length).toString('base64')}"`;
  if (typeof cell === 'string') return JSON.stringify(cell);
  return use === 'numeric' && !spelledNumbers.has(cell.text) ? cell.text : `"${cell.text}"`;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Doubles that JSON has no number for; they travel as strings. */
export const spelledNumbers: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * True for a JSON number that a double can hold. A whole number that would come back with other digits (a long serial
 * number, say) is text: its digits matter.
 */
export function isNumber(text: string): boolean {
  const match = jsonNumber.exec(text);
  if (match === null) return spelledNumbers.has(text);
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const isWhole = match[1] === undefined && match[2] === undefined;
  return !isWhole || String(value) === text || BigInt(text) === BigInt(value);
}

/** A timestamp as its digits. Throws a CommandError that begins with the place. */
export function timestampDigits(digits: string, place: () => string): string {
  if (!/^-?\d{1,19}$/.test(digits) || !isTimestamp(BigInt(digits))) {
    throw new CommandError(`${place()}: '${digits}' is not a timestamp in whole nanoseconds`);
  }
  return String(BigInt(digits));
}

/** A number as JSON; NaN and the infinities are spelled. */
export function numberText(value: number | null): string {
  if (value === null) return 'null';
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return `"${value}"`;
}

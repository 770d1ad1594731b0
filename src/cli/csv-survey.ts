import { isTimestamp } from '../domain/timestamp.ts';
import { CommandError } from './command.ts';
import type { CsvRow } from './csv-rows.ts';

/** What a column of the file becomes. A column without a single value is left out. */
export type ColumnUse = 'timestamp' | 'tag' | 'numeric' | 'string' | 'empty';

export interface CsvColumn {
  readonly name: string;
  readonly use: ColumnUse;
}

export interface CsvSurvey {
  readonly columns: readonly CsvColumn[];
  readonly rows: number;
}

/**
 * The first pass over a file: every row is checked, and every column becomes numeric if each of its cells is a
 * number that a double holds, else string. Nothing is sent before the whole file is known to be good.
 * Throws a CommandError that names line and column.
 */
export async function surveyCsv(
  rows: AsyncIterable<CsvRow>,
  timestampColumn: string,
  tagColumns: readonly string[],
): Promise<CsvSurvey> {
  let header: readonly string[] | undefined;
  let uses: ColumnUse[] = [];
  let count = 0;
  for await (const { line, cells } of rows) {
    if (header === undefined) {
      header = checkHeader(cells, timestampColumn, tagColumns);
      uses = header.map((name) => firstUse(name, timestampColumn, tagColumns));
      continue;
    }
    if (cells.length !== header.length) {
      throw new CommandError(`line ${line} has ${cells.length} cells; the header has ${header.length}`);
    }
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      const use = uses[i]!;
      if (use === 'timestamp') readTimestamp(cell, line, header[i]!);
      else if ((use === 'empty' || use === 'numeric') && cell !== '')
        uses[i] = isNumber(cell) ? 'numeric' : 'string';
    }
    count++;
  }
  if (header === undefined) throw new CommandError('the file has no header line');
  return { columns: header.map((name, i) => ({ name, use: uses[i]! })), rows: count };
}

/** The digits of a timestamp cell. */
export function readTimestamp(cell: string, line: number, column: string): string {
  if (!/^-?\d{1,19}$/.test(cell) || !isTimestamp(BigInt(cell))) {
    throw new CommandError(
      `line ${line}, column ${column}: '${cell}' is not a timestamp in whole nanoseconds`,
    );
  }
  return String(BigInt(cell));
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Doubles that JSON has no number for; they travel as strings. */
export const spelledNumbers: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * True for a JSON number that a double can hold. A whole number that would come back with other digits (a long serial
 * number, say) is text: its digits matter.
 */
export function isNumber(cell: string): boolean {
  const match = jsonNumber.exec(cell);
  if (match === null) return spelledNumbers.has(cell);
  const value = Number(cell);
  if (!Number.isFinite(value)) return false;
  const isWhole = match[1] === undefined && match[2] === undefined;
  return !isWhole || String(value) === cell || BigInt(cell) === BigInt(value);
}

function checkHeader(
  header: readonly string[],
  timestampColumn: string,
  tagColumns: readonly string[],
): readonly string[] {
  header.forEach((name, i) => {
    if (name === '') throw new CommandError(`column ${i + 1} has no name in the header`);
    if (header.indexOf(name) !== i) throw new CommandError(`the header names the column ${name} twice`);
  });
  for (const name of [timestampColumn, ...tagColumns]) {
    if (!header.includes(name)) {
      throw new CommandError(`there is no column ${name}; the header has ${header.join(', ')}`);
    }
  }
  return header;
}

function firstUse(name: string, timestampColumn: string, tagColumns: readonly string[]): ColumnUse {
  if (name === timestampColumn) return 'timestamp';
  return tagColumns.includes(name) ? 'tag' : 'empty';
}

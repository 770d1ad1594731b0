import { plainName } from '../channel-names.ts';
import { isExportedNumber, isPadded, namesZone, numberOfCell, timeOfCell, timeProblem } from './cells.ts';
import { dayOfCell } from './compact-times.ts';
import { nsOfDay } from './dates.ts';
import type { DelimitedRow } from './delimited.ts';
import { durationOf } from './durations.ts';
import { isMissing } from './missing-values.ts';
import { withoutUnit } from './odd-numbers.ts';
import { raceCaptureHeader } from './race-capture.ts';
import { plainText, type TextColumn, type TextLayout, type TimeForm } from './text-layout.ts';
import { timeWithoutGroups, withoutGroups } from './thousands.ts';
import { zoneOffset } from './zones.ts';

/** A row as the layout reads it, its cells aligned with the columns of the layout. */
export interface MappedRow {
  readonly line: number;
  /** ns since the Unix epoch. */
  readonly time: bigint;
  readonly cells: readonly (number | string | null)[];
}

/** What is wrong with a row. */
export interface RowFault {
  readonly line: number;
  readonly message: string;
  /** The column and the cell, where the cell is no number and its column has numbers. */
  readonly notNumber?: { readonly header: string; readonly cell: string };
}

export function isFault(row: MappedRow | RowFault): row is RowFault {
  return 'message' in row;
}

/** How a cell counts; what it makes of its column says `settleColumns`. */
export type CellKind = 'number' | 'text' | 'missing' | 'empty';

/**
 * Cells in quotes are text, empty or not, where quotes say so. A cell that had to be quoted, for its comma, may be a number.
 */
export function cellKind({ cells, quoted }: DelimitedRow, i: number, layout: TextLayout): CellKind {
  const text = cells[i] ?? '';
  if (quoted[i] === true && layout.quotesSay && !text.includes(layout.separator)) return 'text';
  if (layout.isExport && text !== '' && !isExportedNumber(text)) return 'text';
  const bare = text.trim();
  if (bare === '') return 'empty';
  if (isMissing(bare, layout.missing)) return 'missing';
  if (layout.separator !== ' ' && isPadded(bare)) return 'text';
  return numberOf(bare, layout.columns[i]?.cellUnit, layout) === undefined ? 'text' : 'number';
}

/** A number, without the unit that the cells of its column have. */
export function numberOf(bare: string, unit: string | undefined, layout: TextLayout): number | undefined {
  const text = unit === undefined ? bare : withoutUnit(bare, unit);
  return text === undefined ? undefined : numberOfCell(withoutGroups(text, layout), layout.decimal);
}

/** Why a cell is text: it stands in quotes that say so, or its digits are a name (`007`, a long serial number). */
export type TextReason = 'in quotes' | 'zeros in front' | 'more digits than a number keeps' | 'no number';

export function textReason({ cells, quoted }: DelimitedRow, i: number, layout: TextLayout): TextReason {
  const bare = (cells[i] ?? '').trim();
  if (quoted[i] === true && layout.quotesSay) return 'in quotes';
  if (!/^[-+]?\d+$/.test(bare) || layout.columns[i]?.cellUnit !== undefined) return 'no number';
  return isPadded(bare) ? 'zeros in front' : 'more digits than a number keeps';
}

const commentForm = /^\s*#(?!N\/A|NV)/;

/** Whether a row is a comment among rows: gnuplot, NumPy and others write them so. */
export function isComment({ cells, quoted }: DelimitedRow): boolean {
  const first = cells[0] ?? '';
  return (
    commentForm.test(first) &&
    quoted[0] === false &&
    !isMissing(first.trim()) &&
    !cells.some((cell) => /[\r\n]/.test(cell))
  );
}

const hour = nsOfDay / 24n;

/** Whether a clock that goes back has passed midnight. One that counts from a start begins anew, unless it was near the end of a day. */
function isNextDay(time: bigint, before: bigint, isElapsed: boolean): boolean {
  return time < before - (isElapsed ? 22n * hour : nsOfDay / 2n);
}

/**
 * Reads rows one after the other, in their order: a clock that goes back has passed midnight. Undefined for what is no
 * row: one without a value, the names or the units once more, or a comment.
 */
export function rowMapper(layout: TextLayout): (row: DelimitedRow) => MappedRow | RowFault | undefined {
  const { columns, width, timeForm, beacons, unitCells } = layout;
  const at = columns.findIndex(({ role }) => role === 'time');
  const dayAt = columns.findIndex(({ role }) => role === 'day');
  const headers = columns.slice(0, width).map(({ header }) => header);
  let days = 0n;
  let before: bigint | undefined;
  let first: bigint | undefined;

  const timeOfRow = (cells: readonly string[]): bigint | undefined => {
    const start = dayAt < 0 ? layout.start : dayOfCell(cells[dayAt]!, layout.dayOrder);
    const time =
      start === undefined ? undefined : timeOfCell(timeWithoutGroups(cells[at]!, layout), timeForm, start);
    if (time === undefined || dayAt >= 0 || (timeForm !== 'clock' && timeForm !== 'hhmmss')) return time;
    const isNext = before !== undefined && isNextDay(time + days, before, layout.isElapsed);
    if (isNext && durationOf(cells[at]!) === undefined) days += nsOfDay;
    before = time + days;
    return before;
  };

  /** Whether a row that begins like a comment is one of the table, whose first column has texts. */
  const isData = ({ cells }: DelimitedRow): boolean =>
    at > 0 &&
    columns[0]!.role !== 'number' &&
    cells.length === width &&
    timeOfCell(cells[at]!, timeForm, 0n) !== undefined;

  return (row) => {
    const { line } = row;
    const cells = row.cells.slice(0, width);
    const filled = row.cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    if (filled === 0) return undefined;
    const fault = (message: string): RowFault => ({ line, message });
    if (row.cells[0]!.includes('#') && isComment(row) && !isData(row)) return undefined;
    if (row.cells.length < layout.fewestCells || filled > width) {
      const { length } = row.cells;
      return fault(`${length} ${length === 1 ? 'cell' : 'cells'}; the header has ${width}`);
    }
    if (at < 0) return fault('no column is the time');
    const local = timeOfRow(cells);
    const time = local === undefined ? undefined : inUtc(local, cells[at]!, layout);
    if (typeof time === 'object')
      return fault(`column ${columns[at]!.header}: ${quoted(cells[at]!)}: ${time.problem}`);
    if (time === undefined) {
      if (cells.every((cell, i) => cell === headers[i] || plainHeader(cell) === headers[i])) return undefined;
      if (unitCells.length > 0 && cells.every((cell, i) => cell === (unitCells[i] ?? ''))) return undefined;
      if (dayAt >= 0 && dayOfCell(cells[dayAt]!, layout.dayOrder) === undefined)
        return fault(`column ${columns[dayAt]!.header}: ${quoted(cells[dayAt]!)} is no day`);
      const problem = timeProblem(cells[at]!, timeForm);
      return fault(
        `column ${columns[at]!.header}: ${quoted(cells[at]!)} is no time as ${timeFormText[timeForm]}${problem === undefined ? '' : `: ${problem}`}`,
      );
    }
    first ??= time;
    const zero = layout.isElapsed ? layout.start : first;
    const values: (number | string | null)[] = [];
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      if (i >= width) values.push(String(lapAt(beacons, time - zero)));
      else {
        const value = valueOfCell(row, i, column, layout);
        if (value === undefined) {
          const { role, header, cellUnit } = column;
          const cell = cells[i] ?? '';
          const noNumber = `is not a number${cellUnit === undefined ? '' : ` in ${cellUnit}`}`;
          const found = fault(`column ${header}: ${quoted(cell)} ${problems[role] ?? noNumber}`);
          return role === 'number' ? { ...found, notNumber: { header, cell } } : found;
        }
        values.push(value);
      }
    }
    return { line, time, cells: values };
  };
}

/** The time of a clock of the zone that the name of its column has, or what keeps it from being read. */
function inUtc(
  time: bigint,
  cell: string,
  { zone, timeForm }: TextLayout,
): bigint | { readonly problem: string } {
  if (zone === undefined || namesZone(cell, timeForm)) return time;
  const offset = zoneOffset(zone, undefined, time);
  return typeof offset === 'bigint' ? time - offset : offset;
}

function plainHeader(cell: string): string {
  return raceCaptureHeader(cell)?.name ?? plainName(cell);
}

const problems: Readonly<Partial<Record<TextColumn['role'], string>>> = {
  binary: 'is not base64',
  stream: 'names no stream',
  topic: 'names no topic',
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Undefined for a cell that cannot be part of its column. */
function valueOfCell(
  row: DelimitedRow,
  i: number,
  { role, divisor, cellUnit, isQuoted }: TextColumn,
  layout: TextLayout,
): number | string | null | undefined {
  const text = row.cells[i] ?? '';
  const bare = text.trim();
  // Loggers put spaces behind their commas.
  const isAsWritten = layout.isExport || row.quoted[i] === true;
  switch (role) {
    case 'number': {
      if (bare === '' || isMissing(bare, layout.missing)) return null;
      const value = numberOf(bare, cellUnit, layout);
      return value === undefined || divisor === 1 ? value : value / divisor;
    }
    case 'text':
    case 'tag': {
      if (isQuoted && row.quoted[i] !== true && isMissing(bare, layout.missing)) return null;
      // An empty text in quotes is a value; a tag of an export may have it.
      if (cellKind(row, i, layout) !== 'empty') return isAsWritten ? text : bare;
      return role === 'tag' && isAsWritten && text !== '' ? text : null;
    }
    case 'binary':
      if (cellKind(row, i, layout) === 'empty') return null;
      return base64.test(text) ? text : undefined;
    case 'stream':
    case 'topic':
      return text === '' ? undefined : text;
    default:
      return null;
  }
}

/** Laps count from 1, one more at each beacon. */
function lapAt(beacons: readonly bigint[], passed: bigint): number {
  let from = 0;
  let to = beacons.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (beacons[middle]! <= passed) from = middle + 1;
    else to = middle;
  }
  return from + 1;
}

export const timeFormText: Readonly<Record<TimeForm, string>> = {
  iso: 'date and time (2021-05-08 14:03:10)',
  'day-first': 'date and time, day first (8/5/2021 14:03:10)',
  'month-first': 'date and time, month first (5/8/2021 14:03:10)',
  clock: 'a clock (14:03:10.5), or a time that passed (1 days 02:03:04.5)',
  hhmmss: 'a clock without colons (140310.5)',
  excel: 'days of a spreadsheet (44324.58)',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};

function quoted(text: string): string {
  return plainText(`'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`);
}

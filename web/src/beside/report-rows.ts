import { shownText } from '../lines/conversions.ts';
import { exactText } from '../lines/reading.ts';
import type { Measure, ReportRow } from './report-load.ts';

/** A row as the table tells it. */
export interface NamedRow extends ReportRow {
  readonly run: string;
  /** Seconds from line to line; undefined of a lap that is not whole, and where it is not known. */
  readonly seconds: number | undefined;
}

/** A column that rows can be in order of. */
export interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

/** `least(Water)` */
export function columnOf(measure: Measure, channel: string): string {
  return `${measure}(${channel})`;
}

export function orderOf(text: string): Order {
  return text.startsWith('-') ? { column: text.slice(1), isDown: true } : { column: text, isDown: false };
}

/** What a click on a column makes of an order: the least first, then the largest, then as it was. */
export function nextOrder(text: string, column: string): string {
  const now = orderOf(text);
  if (now.column !== column) return column;
  return now.isDown ? '' : `-${column}`;
}

/** In the order of a column; rows without a value come last. Rows of the same value stay as they were. */
export function inOrder(rows: readonly NamedRow[], text: string): readonly NamedRow[] {
  const { column, isDown } = orderOf(text);
  if (column === '') return rows;
  const known = rows.map((row) => ({ row, value: cellValue(row, column) }));
  return known
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined);
      return isDown ? compared(b.value, a.value) : compared(a.value, b.value);
    })
    .map(({ row }) => row);
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

function cellValue(row: NamedRow, column: string): number | string | undefined {
  if (column === 'run') return row.run;
  if (column === 'lap') return row.lap ?? undefined;
  if (column === 'time') return row.seconds;
  const [, measure, channel] = /^(least|largest|mean)\((.*)\)$/s.exec(column) ?? [];
  return row.values.get(channel ?? '')?.[measure as Measure];
}

/** The table as CSV (RFC 4180): every number with all digits that mean anything. */
export function csvOf(
  rows: readonly NamedRow[],
  channels: readonly { readonly id: string; readonly unit: string }[],
  columns: readonly Measure[],
): string {
  const isOfLaps = rows.some(({ lap }) => lap !== undefined);
  const head = [
    'Topic',
    'Stream',
    'Run',
    ...(isOfLaps ? ['Lap', 'Time (s)'] : []),
    ...channels.flatMap(({ id, unit }) =>
      columns.map((own) => `${id} ${own}${unit === '' ? '' : ` (${unit})`}`),
    ),
  ];
  const lines = rows.map((row) => [
    row.stream.topic,
    row.stream.streamId,
    row.run,
    ...(isOfLaps ? [row.lap ?? '', row.seconds === undefined ? '' : exactText(row.seconds)] : []),
    ...channels.flatMap(({ id }) => columns.map((own) => valueCell(id, row.values.get(id)?.[own]))),
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function valueCell(channel: string, value: number | undefined): string {
  return value === undefined ? '' : shownText(channel, value);
}

function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import type { DelimitedRow } from './delimited.ts';
import type { Separator } from './text-layout.ts';

/** How the serial monitor of Arduino begins a line: `14:03:10.123 -> 512`. */
const stamp = /^(\d\d:\d\d:\d\d\.\d{3}) -> ?/;

/** Whether a text is what a serial monitor has shown. */
export function isSerialMonitor(text: string): boolean {
  return stamp.test(text);
}

/** The row with its stamp as a cell of its own. */
export function withoutStamp(row: DelimitedRow): DelimitedRow {
  const [first = '', ...others] = row.cells;
  // Between spaces the arrow is a cell.
  if (others[0] === '->') return { ...row, cells: [first, ...others.slice(1)], quoted: row.quoted.slice(1) };
  const [whole, time] = stamp.exec(first) ?? [];
  if (whole === undefined || time === undefined) return row;
  return { ...row, cells: [time, first.slice(whole.length), ...others], quoted: [false, ...row.quoted] };
}

/**
 * Finds the separators that stand between values of the first lines; a comma where none does. Without them the stamp
 * alone makes columns.
 */
export function separatorsBehindStamps(text: string, all: readonly Separator[]): readonly Separator[] {
  const lines = text.slice(0, 10_000).split(/[\r\n]+/);
  const values = lines.map((line) => line.replace(stamp, '').trim());
  const found = all.filter((separator) => values.some((value) => value.includes(separator)));
  return found.length === 0 ? [','] : found;
}

const valueForm = /^\s*[-+]?[.,]?\d/;

/** The rows of a file that stand above the first values have names: that of the stamps is `Time`. */
export function namedStamps(rows: readonly DelimitedRow[]): readonly DelimitedRow[] {
  const first = rows.findIndex(({ cells }) => cells.slice(1).some((cell) => valueForm.test(cell)));
  return rows.map((row, i) => (i < first ? { ...row, cells: ['Time', ...row.cells.slice(1)] } : row));
}

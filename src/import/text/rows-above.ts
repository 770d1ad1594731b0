import { numberOfCell, timeOfCell } from './cells.ts';
import type { DelimitedRow } from './delimited.ts';
import type { FoundCells, Separator, TimeForm } from './text-layout.ts';

interface Table {
  readonly headerLine: number;
  readonly unitsLine: number;
  readonly dataLine: number;
  readonly separator: Separator;
  readonly decimal: '.' | ',';
  readonly timeForm: TimeForm;
  /** The place of the column with the time. */
  readonly time: number;
}

/**
 * Rows above a table that have a time where the table has its times, and numbers beside it; and rows of several cells
 * between its names and its first row, such as types.
 */
export function rowsLeftOut(
  rows: readonly DelimitedRow[],
  table: Table,
): { readonly rowsAbove: FoundCells | undefined; readonly rowsBetween: FoundCells | undefined } {
  const { headerLine, unitsLine, dataLine, separator, decimal, timeForm, time } = table;
  const before = rows.filter(({ line }) => line < dataLine);
  const isRow = ({ cells }: DelimitedRow): boolean =>
    timeOfCell(cells[time] ?? '', timeForm, 0n) !== undefined &&
    cells.some((cell, i) => i !== time && numberOfCell(cell.trim(), decimal) !== undefined);
  const isBetween = ({ line, cells }: DelimitedRow): boolean =>
    headerLine > 0 &&
    line > headerLine &&
    line !== unitsLine &&
    cells.filter((cell) => cell.trim() !== '').length > 1;
  return {
    rowsAbove: foundRows(before.filter(isRow), separator),
    rowsBetween: foundRows(
      before.filter((row) => isBetween(row) && !isRow(row)),
      separator,
    ),
  };
}

function foundRows(rows: readonly DelimitedRow[], separator: Separator): FoundCells | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const cell = first.cells.join(separator).slice(0, 100);
  return { count: rows.length, first: { line: first.line, cell } };
}

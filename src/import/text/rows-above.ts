import { numberOfCell, timeOfCell } from './cells.ts';
import type { DelimitedRow } from './delimited.ts';
import type { FoundCells, Separator, TimeForm } from './text-layout.ts';

interface Table {
  readonly dataLine: number;
  readonly separator: Separator;
  readonly decimal: '.' | ',';
  readonly timeForm: TimeForm;
  /** The place of the column with the time. */
  readonly time: number;
}

/** Rows above a table that have a time where the table has its times, and numbers beside it. */
export function rowsAbove(
  rows: readonly DelimitedRow[],
  { dataLine, separator, decimal, timeForm, time }: Table,
): FoundCells | undefined {
  const above = rows.filter(
    ({ line, cells }) =>
      line < dataLine &&
      timeOfCell(cells[time] ?? '', timeForm, 0n) !== undefined &&
      cells.some((cell, i) => i !== time && numberOfCell(cell.trim(), decimal) !== undefined),
  );
  const [first] = above;
  if (first === undefined) return undefined;
  const cell = first.cells.join(separator).slice(0, 100);
  return { count: above.length, first: { line: first.line, cell } };
}

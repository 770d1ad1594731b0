import { type CompactDay, compactDaysOf, type DayForm } from './compact-times.ts';
import { amOrPm, type DateOrder, momentOf } from './dates.ts';
import type { TextColumn, TimeDoubt, TimeForm } from './text-layout.ts';
import { dateNames } from './time-sizes.ts';

/** A column with its first cells. */
export interface SampledColumn {
  readonly column: TextColumn;
  readonly cells: readonly string[];
}

/** The column with the days of clocks, -1 where there is none; and how they are written. */
export interface FoundDay {
  readonly day: number;
  /** Undefined where they say so themselves. */
  readonly dayOrder: DayForm | undefined;
  readonly doubt?: TimeDoubt;
}

/** The share of cells that tells what a column is; others are faults that are named by their lines. */
export const most = 0.6;

/**
 * The days of the clocks in a column.
 * @param order of the numbers of dates, where it is known
 */
export function dayColumn(
  columns: readonly SampledColumn[],
  at: number,
  order: DateOrder,
  given: TimeForm | undefined,
): FoundDay {
  const day = columns.findIndex(({ cells }, i) => i !== at && hasDaysAlone(cells, order));
  if (day >= 0) return { day, dayOrder: hasDaysAlone(columns[day]!.cells, undefined) ? undefined : order };
  for (const [i, { column, cells }] of columns.entries()) {
    if (i === at || !dateNames.test(column.name)) continue;
    const filled = cells.filter((cell) => cell.trim() !== '');
    const possible = compactDaysOf(filled, `${column.header} ${column.unit}`);
    const [form] = possible;
    if (form === undefined) continue;
    const said = compactForms[given ?? 's']?.find((one) => one.length === form.length);
    if (said !== undefined || possible.length === 1) return { day: i, dayOrder: said ?? form };
    return { day: i, dayOrder: form, doubt: ambiguous(column.header, filled[0]!) };
  }
  return { day: -1, dayOrder: undefined };
}

/** What an order of dates means for days of digits, six and eight of them. */
const compactForms: Readonly<Partial<Record<TimeForm, readonly CompactDay[]>>> = {
  'day-first': ['ddmmyy', 'ddmmyyyy'],
  'month-first': ['mmddyy', 'mmddyyyy'],
  iso: ['yymmdd', 'yyyymmdd'],
};

function ambiguous(header: string, cell: string): TimeDoubt {
  const message = `the days of ${header}, such as '${cell}', can be read in several ways; --time-format day-first takes the day first, month-first the month, iso the year`;
  return { message, proposed: 'day-first' };
}

export function hasDaysAlone(cells: readonly string[], order: DateOrder | undefined): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const days = filled.filter((cell) => momentOf(cell, order)?.hasClock === false);
  return filled.length > 0 && days.length >= filled.length * most;
}

export function isDateOrder(form: TimeForm | undefined): form is DateOrder {
  return form === 'day-first' || form === 'month-first';
}

/** Tells the order of dates by their clocks: who writes AM and PM writes the month first. */
export function orderOfClocks(cells: readonly string[]): DateOrder {
  return cells.some((cell) => amOrPm.test(cell.trim())) ? 'month-first' : 'day-first';
}

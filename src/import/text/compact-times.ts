import { compactClockOf, type DateOrder, dayOfDate, momentOf, yearOf } from './dates.ts';

/** How a number says a day: `080521`, `210508`, `050821`, `20210508` and `08052021`. */
export type CompactDay = 'ddmmyy' | 'mmddyy' | 'yymmdd' | 'ddmmyyyy' | 'mmddyyyy' | 'yyyymmdd';

/** How the days of clocks are written. */
export type DayForm = DateOrder | CompactDay;

const shortDays: readonly CompactDay[] = ['ddmmyy', 'yymmdd', 'mmddyy'];
const longDays: readonly CompactDay[] = ['yyyymmdd', 'ddmmyyyy', 'mmddyyyy'];
const digitsForm = /^\d{5,8}$/;

/** Midnight of a day, ns since the Unix epoch. Written as numbers, days lack zeros in front. */
function compactDayOf(text: string, form: CompactDay): bigint | undefined {
  const trimmed = text.trim();
  if (!digitsForm.test(trimmed) || trimmed.length > form.length) return undefined;
  const digits = trimmed.padStart(form.length, '0');
  const part = (letter: string): string => digits.slice(form.indexOf(letter), form.lastIndexOf(letter) + 1);
  return dayOfDate(yearOf(part('y')), Number(part('m')), Number(part('d')));
}

/** Midnight of a day, ns since the Unix epoch; undefined for what is no day in this form. */
export function dayOfCell(text: string, form: DayForm | undefined): bigint | undefined {
  if (form === undefined || form === 'day-first' || form === 'month-first') return momentOf(text, form)?.time;
  return compactDayOf(text, form);
}

/** The forms in which all cells are days that somebody may have logged on. */
export function compactDaysOf(cells: readonly string[], named: string): CompactDay[] {
  if (cells.length === 0) return [];
  const isLong = cells.some((cell) => cell.trim().length > 6);
  const all = (isLong ? longDays : shortDays).filter((form) =>
    cells.every((cell) => {
      const day = compactDayOf(cell, form);
      return day !== undefined && day >= firstDay && day < lastDay;
    }),
  );
  const said = all.find((form) =>
    named
      .toLowerCase()
      .replaceAll(/[^dmy]/g, '')
      .includes(form),
  );
  return said === undefined ? all : [said];
}

const firstDay = dayOfDate(1990, 1, 1)!;
const lastDay = dayOfDate(2070, 1, 1)!;

/** What speaks for numbers that are clocks without colons: `140310.50`. */
export interface CompactClocks {
  /** All are clocks of a day. */
  readonly isPossible: boolean;
  /** One has zeros in front, or they step over the end of a minute as clocks do. */
  readonly isShown: boolean;
}

const secondNs = 1_000_000_000;
const padded = /^0\d{5}(?:[.,]\d*)?$/;

export function compactClocks(cells: readonly string[]): CompactClocks {
  const clocks = cells.map((cell) => compactClockOf(cell));
  if (clocks.length === 0 || clocks.includes(undefined)) return { isPossible: false, isShown: false };
  const numbers = cells.map((cell) => Number(cell.trim().replace(',', '.')));
  const passed = clocks.map((clock) => Number(clock) / secondNs);
  const stepsOf = (values: readonly number[]): number[] =>
    values.slice(1).map((value, i) => value - values[i]!);
  const [asNumbers, asClocks] = [stepsOf(numbers), stepsOf(passed)];
  const usual = medianStep(asClocks);
  const usualNumber = medianStep(asNumbers);
  const isOverMinute = (step: number, i: number): boolean =>
    step > 0 && step <= 2 * usual + 0.001 && asNumbers[i]! > 1.5 * usualNumber + 30;
  const isPadded = cells.some((cell) => padded.test(cell.trim()));
  return { isPossible: true, isShown: isPadded || (usual > 0 && asClocks.some(isOverMinute)) };
}

/** The median of the steps that go on, the lower one of two; 0 where there is none. */
export function medianStep(steps: readonly number[]): number {
  const forward = steps.filter((step) => step > 0).sort((a, b) => a - b);
  return forward[(forward.length - 1) >> 1] ?? 0;
}

import { timestampName } from '../../domain/table-names.ts';
import { compactClocks, compactDaysOf, medianStep } from './compact-times.ts';
import { momentOf } from './dates.ts';
import type { TextColumn, TimeDoubt, TimeForm } from './text-layout.ts';
import { isUnknownUnit, otherTimeUnit, type TimeUnit, unitOfName, unitOfUnit } from './time-names.ts';

/** How a column of numbers says the time, and why that must be confirmed before it is used, if it must. */
export interface NumberForm {
  readonly form: TimeForm;
  readonly doubt?: TimeDoubt;
}

/** Numbers in such a column may be days of a spreadsheet, or dates of digits. */
export const dateNames = /^(?:date|datum)/i;
const clockNames = /(?:^|[^a-z])utc(?:$|[^a-z])|hhmmss/i;

const inSecond: readonly (readonly [TimeUnit, number])[] = [
  ['s', 1],
  ['ms', 1e3],
  ['us', 1e6],
  ['ns', 1e9],
];
/** From 1995 to 2070 loggers log. Ticks of .NET and seconds since 1904 (LabVIEW) are beyond it. */
const [firstSecond, lastSecond] = [788_918_400, 3_155_760_000];
/** The most seconds from a start of a session: three years and more. */
const mostSeconds = 1e8;

/**
 * Tells the form of times that are numbers by the unit of the name or the row of units; else by what the numbers can
 * be. Where seconds are hardly meant, the form is a proposal, with a doubt.
 */
export function numberForm({ header, name, unit }: TextColumn, cells: readonly string[]): NumberForm {
  const named = unitOfUnit(unit) ?? unitOfName(name);
  if (named !== undefined) return { form: named };
  const other = otherTimeUnit(name, unit);
  if (other !== undefined)
    return doubt(header, `are in '${other}', which no form of times stands for`, undefined);
  const numbers = cells
    .map((cell) => Number(cell.trim().replace(',', '.')))
    .filter((number) => Number.isFinite(number));
  const size = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  const isWhole = numbers.every((number) => Number.isInteger(number));
  // What an export writes; other clocks since 1970 have other sizes.
  if (header === timestampName && isWhole && (size < 5e8 || size >= 1e17)) return { form: 'ns' };
  const step = medianStep(numbers.slice(1).map((number, i) => number - numbers[i]!));
  const middle = numbers.map(Math.abs).sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
  const since1970 = inSecond.find(
    ([, times]) => middle >= firstSecond * times && middle < lastSecond * times,
  );
  if (since1970 !== undefined) {
    const [form, times] = since1970;
    return step / times < 1000 || isNearCalendar(step / times) ? { form } : unlikely(header, size, step);
  }
  if (size > 30_000 && size < 60_000 && !isWhole && step > 0 && step < 0.0005)
    return doubt(header, `go on by ${step.toPrecision(1)}, as days of a spreadsheet do`, 'excel');
  const trimmed = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const compact = compactForm(name, header, trimmed, numbers);
  if (compact !== undefined) return compact;
  if (size > 20_000 && size < 80_000 && dateNames.test(name)) return { form: 'excel' };
  if (size >= mostSeconds && !isWhole)
    return doubt(
      header,
      `have no unit, are too large for seconds of a session (${size}) and are none since 1970`,
      undefined,
    );
  if (size >= mostSeconds || (isWhole && !isCalendar(step))) return unlikely(header, size, step);
  if (isUnknownUnit(unit))
    return doubt(header, `are in '${unit}', which is no known unit of time`, undefined);
  return { form: 's' };
}

/** Clocks and dates of digits. */
function compactForm(
  name: string,
  header: string,
  cells: readonly string[],
  numbers: readonly number[],
): NumberForm | undefined {
  const first = numbers[0] ?? 0;
  if (cells.every((cell) => /^(?:19|20)\d{12}/.test(cell) && momentOf(cell, undefined) !== undefined))
    return { form: 'iso' };
  const [day] = cells.every((cell) => /^(?:19|20)\d{6}$/.test(cell)) ? compactDaysOf(cells, 'yyyymmdd') : [];
  if (day !== undefined) {
    return dateNames.test(name) ? { form: 'iso' } : doubt(header, 'look like dates (20210508)', 'iso');
  }
  const { isPossible, isShown } = compactClocks(cells);
  if (!isPossible) return undefined;
  if (isShown || (clockNames.test(name) && first >= 10_000)) return { form: 'hhmmss' };
  return first >= 10_000 ? doubt(header, 'may be clocks without colons (140310.5)', 'hhmmss') : undefined;
}

/** Steps that people choose, in seconds: up to a minute, or parts of a day in minutes. */
function isCalendar(step: number): boolean {
  return step <= 60 || (step % 60 === 0 && (86_400 % step === 0 || step % 86_400 === 0));
}

/** Whether a step is one of the calendar, for clocks that are a little late. */
function isNearCalendar(step: number): boolean {
  const near = (to: number): boolean => Math.abs(step - to) <= Math.min(to, 86_400) * 0.05;
  const days = Math.max(1, Math.round(step / 86_400)) * 86_400;
  return isCalendar(step) || [1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, days].some(near);
}

/** Numbers that are hardly seconds: most likely since the logger was switched on. */
function unlikely(header: string, size: number, step: number): NumberForm {
  const form = size >= 1e11 ? 'ns' : step <= 2000 && size <= 86_400_000 ? 'ms' : 'us';
  const steps = step === 0 ? '' : ` with steps of ${step}`;
  const what = step === 0 ? `such as ${size}` : `up to ${size}${steps}`;
  return doubt(header, `have no unit, and numbers ${what} are hardly seconds`, form);
}

const words: Readonly<Partial<Record<TimeForm, string>>> = {
  ...{ ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds', s: 'seconds', excel: 'such days' },
  ...{ hhmmss: 'such clocks', iso: 'such dates' },
};

/** A form that is no more than a proposal. */
export function doubt(header: string, why: string, proposed: TimeForm | undefined): NumberForm {
  const way =
    proposed === undefined
      ? '--time-format FORM says what they are'
      : `--time-format ${proposed} takes them for ${words[proposed]}, another form says otherwise`;
  const message = `the times of ${header} ${why}; ${way}`;
  return { form: proposed ?? 's', doubt: { message, proposed } };
}

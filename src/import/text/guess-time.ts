import { timestampName } from '../../domain/table-names.ts';
import { type Pace, withoutPause } from '../pace.ts';
import { timeOfCell } from './cells.ts';
import { type DateOrder, momentOf } from './dates.ts';
import type { TextColumn, TextSettings, TimeForm } from './text-layout.ts';

/** A column with its first cells. */
export interface SampledColumn {
  readonly column: TextColumn;
  readonly cells: readonly string[];
}

/** The column that is the time, and how it says it. */
export interface FoundTime {
  readonly at: number;
  readonly form: TimeForm;
  /** The column with the day of a clock; -1 where there is none. */
  readonly day: number;
  /** Which number of its dates is the day; undefined where they say so themselves. */
  readonly dayOrder: DateOrder | undefined;
}

/** Numbers in such a column may be days of a spreadsheet. */
const dateNames = /^(?:date|datum)/i;

interface Candidate {
  readonly at: number;
  readonly form: TimeForm;
  readonly isNamed: boolean;
  /** So many of its cells differ. */
  readonly variety: number;
}

const timeNames =
  /^(?:(?:gps|device|log|sample|measurement|unix|utc|abs(?:olute)?|rel(?:ative)?|elapsed|session|local)?[ _.-]?(?:time|timestamp|date|datetime|date.?time|time.?stamp)(?:[ _.-]?(?:s|ms|us|µs|ns|utc|stamp))?|ts|utc|t|zeit|datum|uhrzeit|zeitstempel|offset|x_value|seconds|sec|temps|tiempo|tempo|tid)$/i;

/** Most cells tell what a column is; others are faults that are named by their lines. */
const most = 0.6;

/**
 * Of several columns of times the one with the most different cells. Undefined where none is a time; a column that is
 * given must be one.
 */
export async function findTime(
  columns: readonly SampledColumn[],
  { time: given, timeForm: givenForm }: Pick<TextSettings, 'time' | 'timeForm'>,
  order: DateOrder | undefined,
  pace: Pace = withoutPause,
): Promise<FoundTime | undefined> {
  const candidates: Candidate[] = [];
  for (const [at, { column, cells }] of columns.entries()) {
    await pace();
    const isGiven = column.header === given;
    if (given !== undefined && !isGiven) continue;
    if (!isGiven && at > 0 && isPlainNumbers(column, cells)) continue;
    const form =
      (givenForm !== undefined && isClocksOf(givenForm, cells) ? 'clock' : givenForm) ??
      formOf(column, cells, order);
    if (isGiven) candidates.push({ at, form: form ?? 's', isNamed: true, variety: 1 });
    else if (column.header === timestampName)
      candidates.push({ at, form: form ?? 'ns', isNamed: true, variety: 1 });
    else if (form !== undefined && ['auto', 'number', 'text'].includes(column.role))
      candidates.push({ at, form, isNamed: timeNames.test(column.name), variety: new Set(cells).size });
  }
  const exact = candidates.find(({ at }) => columns[at]!.column.header === timestampName);
  const named = candidates.filter(({ isNamed }) => isNamed);
  const dated = candidates.filter(({ form }) => isDate(form) || form === 'clock');
  const rising = candidates.filter(({ at }) => at === 0 && isRising(columns[0]!.cells));
  const [first, ...others] = [named, dated, rising].find((some) => some.length > 0) ?? [];
  if (first === undefined) return undefined;
  const found = exact ?? others.reduce(moreVaried, first);
  const [clock, ...clocks] = [first, ...others].filter(({ form }) => form === 'clock');
  const isDays = hasDaysAlone(columns[found.at]!.cells, order ?? 'day-first');
  const chosen = isDays && clock !== undefined ? clocks.reduce(moreVaried, clock) : found;
  const dayOrder = order ?? (isDateOrder(givenForm) ? givenForm : orderOfClocks(columns[chosen.at]!.cells));
  const day = dayOf(columns, chosen, dayOrder);
  const isOrdered = day >= 0 && !hasDaysAlone(columns[day]!.cells, undefined);
  return { at: chosen.at, form: chosen.form, day, dayOrder: isOrdered ? dayOrder : undefined };
}

function moreVaried(one: Candidate, other: Candidate): Candidate {
  return other.variety > one.variety ? other : one;
}

function isDateOrder(form: TimeForm | undefined): form is DateOrder {
  return form === 'day-first' || form === 'month-first';
}

/** Whether cells are the clocks of days in another column, where it is said how dates are written. */
function isClocksOf(form: TimeForm, cells: readonly string[]): boolean {
  if (!isDateOrder(form)) return false;
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.every((cell) => timeOfCell(cell, 'clock', 0n) !== undefined);
}

/** Who writes AM and PM writes the month first. */
function orderOfClocks(cells: readonly string[]): DateOrder {
  return cells.some((cell) => amOrPm.test(cell.trim())) ? 'month-first' : 'day-first';
}

const amOrPm = /[AP]\.?M\.?$/i;

/** Whether a column is numbers and not called like a time: most of a file's are, and no time is looked for in them. */
function isPlainNumbers({ name, header }: TextColumn, cells: readonly string[]): boolean {
  if (header === timestampName || timeNames.test(name) || dateNames.test(name)) return false;
  const filled = cells.filter((cell) => cell.trim() !== '');
  const numbers = filled.filter((cell) => /^\s*[-+]?\d{1,9}(?:[.,]\d{1,30})?\s*$/.test(cell));
  return filled.length > 0 && numbers.length >= filled.length * most;
}

/** Days alone are no times of rows where a clock stands beside them. */
function dayOf(
  columns: readonly SampledColumn[],
  { at, form }: { readonly at: number; readonly form: TimeForm },
  order: DateOrder,
): number {
  if (form !== 'clock' && form !== 'hhmmss') return -1;
  return columns.findIndex(({ cells }, i) => i !== at && hasDaysAlone(cells, order));
}

function hasDaysAlone(cells: readonly string[], order: DateOrder | undefined): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const days = filled.filter((cell) => momentOf(cell, order)?.hasClock === false);
  return filled.length > 0 && days.length >= filled.length * most;
}

export function isDate(form: TimeForm): boolean {
  return form === 'iso' || form === 'day-first' || form === 'month-first' || form === 'excel';
}

function isRising(cells: readonly string[]): boolean {
  const numbers = cells.map((cell) => Number(cell.replace(',', '.')));
  return numbers.length > 1 && numbers.every((number, i) => i === 0 || number > numbers[i - 1]!);
}

/** The form in which most of the cells are times. */
function formOf(
  column: TextColumn,
  cells: readonly string[],
  order: DateOrder | undefined,
): TimeForm | undefined {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return column.header === timestampName ? 'ns' : undefined;
  const isMost = (form: TimeForm): boolean =>
    filled.filter((cell) => timeOfCell(cell, form, 0n) !== undefined).length >= filled.length * most;
  if (isMost('ns')) return numberForm(column, filled);
  if (isMost('clock')) {
    // Rows that have a date as well are dates.
    return 'clock';
  }
  const dates: readonly TimeForm[] = ['iso', order ?? 'day-first', 'month-first'];
  const withClock = dates.find((form) => isMost(form));
  if (withClock === undefined) return undefined;
  return withClock === 'day-first' ? (order ?? orderOfClocks(filled)) : withClock;
}

/** Times of our days have so many digits in each unit. */
const digits: readonly (readonly [number, TimeForm])[] = [
  [1e17, 'ns'],
  [1e14, 'us'],
  [1e11, 'ms'],
];

const unitNames: ReadonlyMap<string, TimeForm> = new Map(
  Object.entries({
    ...{ s: 's', sec: 's', secs: 's', second: 's', seconds: 's', ms: 'ms', msec: 'ms', milliseconds: 'ms' },
    ...{ us: 'us', µs: 'us', μs: 'us', usec: 'us', microseconds: 'us', ns: 'ns', nanoseconds: 'ns' },
    ...{ min: 'min', mins: 'min', minutes: 'min', h: 'h', hr: 'h', hours: 'h' },
  }),
);

function numberForm({ header, name, unit }: TextColumn, cells: readonly string[]): TimeForm {
  const size = Math.max(...cells.map((cell) => Math.abs(Number(cell.replace(',', '.')) || 0)));
  const named =
    unitNames.get(unit.toLowerCase()) ??
    unitNames.get(/[_ .-]([a-zµμ]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '');
  if (named !== undefined) return named;
  const bySize = digits.find(([least]) => size >= least)?.[1];
  if (bySize !== undefined) return bySize;
  const isWhole = cells.every((cell) => /^[-+]?\d+$/.test(cell.trim()));
  // What an export writes; seconds since 1970 have ten digits.
  if (header === timestampName && isWhole && !(size >= 5e8 && size < 5e9)) return 'ns';
  return dateNames.test(name) && size > 20_000 && size < 80_000 ? 'excel' : 's';
}

/** Whether numbers of a form are so large that they count from 1970. */
export function isFrom1970(form: TimeForm, cells: readonly string[]): boolean {
  const least = { s: 5e8, ms: 5e11, us: 5e14, ns: 5e17 }[form as 's'];
  return least !== undefined && cells.some((cell) => Number(cell.replace(',', '.')) >= least);
}

/** Which of the numbers of dates is the day: undefined where no cell tells. */
export function orderOf(texts: readonly string[]): DateOrder | undefined {
  for (const text of texts) {
    const match = /^(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d\d)\b/.exec(text.trim());
    if (match === null) continue;
    if (Number(match[1]) > 12 || match[2] === '.') return 'day-first';
    if (Number(match[3]) > 12 || amOrPm.test(text.trim())) return 'month-first';
  }
  return undefined;
}

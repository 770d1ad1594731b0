import { timestampName } from '../../domain/table-names.ts';
import { type Pace, withoutPause } from '../../turns/pace.ts';
import { timeOfCell, timeProblem } from './cells.ts';
import { compactClocks, compactDaysOf, type DayForm } from './compact-times.ts';
import { amOrPm, type DateOrder } from './dates.ts';
import {
  dayColumn,
  hasDaysAlone,
  isDateOrder,
  most,
  orderOfClocks,
  type SampledColumn,
} from './guess-day.ts';
import { doubtOfClockParts, doubtOfCount, doubtOfParts, hasParts } from './second-parts.ts';
import type { TextColumn, TextSettings, TimeDoubt, TimeForm } from './text-layout.ts';
import { type TimeNaming, timeNaming, unitOfUnit, zoneOfName } from './time-names.ts';
import { dateNames, doubt, type NumberForm, numberForm } from './time-sizes.ts';
import { isUnit } from './units.ts';
import { doubtOfYears } from './year-first.ts';

/** The column that is the time, and how it says it. */
export interface FoundTime {
  readonly at: number;
  readonly form: TimeForm;
  /** What must be confirmed first. */
  readonly doubt: TimeDoubt | undefined;
  /** The column with the day of a clock; -1 where there is none. */
  readonly day: number;
  /** How its days are written; undefined where they say so themselves. */
  readonly dayOrder: DayForm | undefined;
}

interface Candidate extends NumberForm {
  readonly at: number;
  readonly naming: TimeNaming;
  /** So many of its cells differ. */
  readonly variety: number;
}

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
  for (const [at, sampled] of columns.entries()) {
    const pause = pace();
    if (pause !== undefined) await pause;
    const isGiven = sampled.column.header === given;
    if (given !== undefined && !isGiven) continue;
    const found = candidateOf(sampled, at, isGiven, givenForm, order);
    if (found !== undefined) candidates.push(found);
  }
  const exact = candidates.find(({ at }) => columns[at]!.column.header === timestampName);
  const whole = wholeOf(candidates, columns);
  const named = whole.filter(({ naming }) => naming !== 'none');
  const dated = whole.filter(({ form }) => isDate(form) || form === 'clock');
  const counted = candidates.filter(({ at }) => at === 0).flatMap((one) => risingFrom(one, columns[0]!));
  const [first, ...others] = [named, dated, counted].find((some) => some.length > 0) ?? [];
  if (first === undefined) return beginsAsTime(columns, order);
  const guessed = exact ?? others.reduce(better, first);
  // Times that say nothing of a zone are taken for UTC: those that say so are right.
  const zoneOf = ({ at }: Candidate) => zoneOfName(columns[at]!.column.name);
  const isUtc = (one: Candidate): boolean =>
    one.form === guessed.form && one.variety >= guessed.variety && zoneOf(one) === 'utc';
  const hasOther = isDate(guessed.form) || zoneOf(guessed) === 'local';
  const found = (hasOther ? [first, ...others].find(isUtc) : undefined) ?? guessed;
  const [clock, ...clocks] = [first, ...others].filter(
    ({ at, form }) => (form === 'clock' || form === 'hhmmss') && !isDays(columns[at]!, order),
  );
  const chosen =
    isDays(columns[found.at]!, order) && clock !== undefined ? clocks.reduce(better, clock) : found;
  const timed = withDay(columns, chosen, order, givenForm);
  if (timed.doubt !== undefined || givenForm !== undefined) return timed;
  const { at, form, day } = timed;
  const dates = day >= 0 ? day : isDate(form) ? at : -1;
  // A clock without a day says no more than a count does.
  const clocked = dated.find(
    (one) =>
      !isDays(columns[one.at]!, order) &&
      (isDate(one.form) || withDay(columns, one, order, undefined).day >= 0),
  );
  const isCount = given === undefined && !isFrom1970(form, columns[at]!.cells);
  return {
    ...timed,
    doubt:
      doubtOfClockParts(columns, at, form) ??
      (isCount ? doubtOfCount(columns, at, form, clocked?.at) : undefined) ??
      doubtOfParts(columns, at, form) ??
      (dates < 0 ? undefined : doubtOfYears(columns[dates]!)),
  };
}

/** Without parts of seconds, where the seconds stand in another column. */
function wholeOf(candidates: readonly Candidate[], columns: readonly SampledColumn[]): readonly Candidate[] {
  const whole = candidates.filter(({ at }) => !hasParts(columns[at]!));
  const hasSeconds = whole.some(
    ({ form, naming }) => isDate(form) || form === 'clock' || (form === 's' && naming !== 'none'),
  );
  return hasSeconds ? whole : candidates;
}

/**
 * A column that is named like a time and whose first cell is one, though too few others are: what is no time there is a
 * fault with a place.
 */
function beginsAsTime(
  columns: readonly SampledColumn[],
  order: DateOrder | undefined,
): FoundTime | undefined {
  for (const [at, { column, cells }] of columns.entries()) {
    if (timeNaming(column.name) !== 'strong' || column.role !== 'auto') continue;
    const form = formOf(column, firstFilled(cells), order)?.form;
    if (form !== undefined && isDate(form))
      return { at, form, doubt: undefined, day: -1, dayOrder: undefined };
  }
  return undefined;
}

function firstFilled(cells: readonly string[]): string[] {
  return cells.filter((cell) => cell.trim() !== '').slice(0, 1);
}

/** A column that may be the time, whatever the others are. */
function candidateOf(
  { column, cells }: SampledColumn,
  at: number,
  isGiven: boolean,
  givenForm: TimeForm | undefined,
  order: DateOrder | undefined,
): Candidate | undefined {
  const naming = timeNaming(column.name);
  const isExact = column.header === timestampName;
  if (!isGiven && !isExact && at > 0 && naming === 'none' && isPlainNumbers(column, cells)) return undefined;
  const said = givenForm === undefined ? undefined : clocksOfDays(givenForm, cells);
  const guessed = said !== undefined ? { form: said } : formOf(column, cells, order);
  const variety = new Set(cells).size;
  if (isGiven)
    return {
      at,
      form: 's',
      ...formOf(column, firstFilled(cells), order),
      ...guessed,
      naming: 'strong',
      variety,
    };
  if (isExact) return { at, form: 'ns', ...guessed, naming: 'strong', variety };
  if (guessed === undefined || !['auto', 'number', 'text'].includes(column.role)) return undefined;
  if (naming !== 'strong') {
    // Distances go on as times do, and lengths of time stand in cells as well.
    const isOther = isUnit(column.unit) && unitOfUnit(column.unit) === undefined;
    const isLength =
      guessed.form === 'clock' && partsOnly.test(cells.find((cell) => cell.trim() !== '') ?? '');
    if (isOther || isLength || (naming === 'weak' && !isGoingOn(cells))) return undefined;
  }
  return { at, ...guessed, naming, variety };
}

/** `12.5 s`, and what may be a length of any kind. */
const partsOnly = /^\s*[-+]?\d[^:]*\p{L}\s*$/u;

/** What is named more surely wins where both differ as much. */
function better(one: Candidate, other: Candidate): Candidate {
  if (other.variety !== one.variety) return other.variety > one.variety ? other : one;
  return other.naming === 'strong' && one.naming === 'weak' ? other : one;
}

function withDay(
  columns: readonly SampledColumn[],
  { at, form, doubt: own }: Candidate,
  order: DateOrder | undefined,
  given: TimeForm | undefined,
): FoundTime {
  const none = { at, form, doubt: given === undefined ? own : undefined, day: -1, dayOrder: undefined };
  if (form !== 'clock' && form !== 'hhmmss') return none;
  const ofDates = order ?? (isDateOrder(given) ? given : orderOfClocks(columns[at]!.cells));
  const { day, dayOrder, doubt: ofDay } = dayColumn(columns, at, ofDates, given);
  if (day < 0) return none;
  // A clock whose day stands beside it is one.
  return { at, form, doubt: ofDay ?? (form === 'hhmmss' ? undefined : none.doubt), day, dayOrder };
}

function isDays({ column, cells }: SampledColumn, order: DateOrder | undefined): boolean {
  if (hasDaysAlone(cells, order ?? 'day-first')) return true;
  return (
    dateNames.test(column.name) &&
    compactDaysOf(
      cells.filter((cell) => cell.trim() !== ''),
      '',
    ).length > 0
  );
}

/** What is said of dates is said of the days in another column, where cells are clocks. */
function clocksOfDays(form: TimeForm, cells: readonly string[]): TimeForm {
  if (!isDateOrder(form) && form !== 'iso') return form;
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return form;
  if (filled.every((cell) => timeOfCell(cell, 'clock', 0n) !== undefined)) return 'clock';
  const isCompact =
    filled.every((cell) => /^\d{1,6}(?:[.,]\d*)?$/.test(cell.trim())) && compactClocks(filled).isPossible;
  return isCompact ? 'hhmmss' : form;
}

/** Whether a column is numbers: most of a file's are, and no time is looked for in them. */
function isPlainNumbers({ name }: TextColumn, cells: readonly string[]): boolean {
  if (dateNames.test(name)) return false;
  const filled = cells.filter((cell) => cell.trim() !== '');
  const numbers = filled.filter((cell) => /^\s*[-+]?\d{1,9}(?:[.,]\d{1,30})?\s*$/.test(cell));
  return filled.length > 0 && numbers.length >= filled.length * most;
}

export function isDate(form: TimeForm): boolean {
  return form === 'iso' || form === 'day-first' || form === 'month-first' || form === 'excel';
}

/** A first column of numbers that rise is the time where no other is. One that counts rows must be confirmed. */
function risingFrom(candidate: Candidate, { column, cells }: SampledColumn): Candidate[] {
  const numbers = numbersOf(cells);
  if (numbers.length < 2 || !numbers.every((number, i) => i === 0 || number > numbers[i - 1]!)) return [];
  const isCount = numbers.every((number, i) => i === 0 || number === numbers[i - 1]! + 1);
  if (!isCount || candidate.doubt !== undefined) return [candidate];
  const why = `count rows, and nothing says that they are times; --timestamp '${column.header}' says so`;
  return [{ ...candidate, doubt: { ...doubt(column.header, why, 's').doubt! } }];
}

/** Whether numbers mostly go on, as a clock does that may begin anew with its first time. */
function isGoingOn(cells: readonly string[]): boolean {
  const numbers = numbersOf(cells);
  if (numbers.some((number) => Number.isNaN(number))) return true;
  const onwards = numbers.filter((number, i) => number === numbers[0] || number >= numbers[i - 1]!).length;
  return onwards >= numbers.length * 0.8;
}

function numbersOf(cells: readonly string[]): number[] {
  return cells.filter((cell) => cell.trim() !== '').map((cell) => Number(cell.replace(',', '.')));
}

/** The form in which most of the cells are times. */
function formOf(
  column: TextColumn,
  cells: readonly string[],
  order: DateOrder | undefined,
): NumberForm | undefined {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return column.header === timestampName ? { form: 'ns' } : undefined;
  const isMost = (form: TimeForm): boolean =>
    filled.filter((cell) => timeOfCell(cell, form, 0n) !== undefined || timeProblem(cell, form) !== undefined)
      .length >=
    filled.length * most;
  if (isMost('ns')) return numberForm(column, filled);
  if (isMost('clock')) return { form: 'clock' };
  const dates: readonly TimeForm[] = ['iso', order ?? 'day-first', 'month-first'];
  const form = dates.find((one) => isMost(one));
  if (form === undefined) return undefined;
  return { form: form === 'day-first' ? (order ?? orderOfClocks(filled)) : form };
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

/** Which of two numbers of a date like 5/8/2021 is the day. */
export type DateOrder = 'day-first' | 'month-first';

export const nsOfDay = 86_400_000_000_000n;
const second = 1_000_000_000n;

const clock =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,:](?<fraction>\\d+))?)?(?:\\s?(?<half>[AaPp])\\.?[Mm]\\.?)?';
const zone = '(?:\\s?(?<zone>Z|z|UTC|GMT|(?:UTC|GMT)?[-+]\\d\\d(?::?\\d\\d)?))?';
const month = '(?<name>[A-Za-z]{3,9})';
const behind = `(?:(?:,?\\s+(?:at\\s+)?|[Tt]\\s*|,)${clock}${zone})?`;

const yearFirst = '(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})';
const yearLast = '(?<first>\\d{1,2})(?<mark>[-/.])(?<next>\\d{1,2})\\k<mark>(?<year>\\d{4}|\\d\\d)';
/** `8-May-2021`, `Saturday, 8 May 2021` */
const dayNamed = `(?:[A-Za-z]{3,9},?\\s+)?(?<day>\\d{1,2})[-\\s./]+${month}[-\\s./,]+(?<year>\\d{4})`;
/** `Saturday, May 8, 2021` */
const monthNamed = `(?:[A-Za-z]{3,9},?\\s+)?${month}\\.?\\s+(?<day>\\d{1,2}),?\\s+(?<year>\\d{4})`;

const forms = [
  ...[yearFirst, yearLast, dayNamed, monthNamed].map((day) => new RegExp(`^${day}${behind}$`)),
  // As Java writes dates: `Sat May 08 10:23:11 GMT+02:00 2021`.
  new RegExp(`^[A-Za-z]{3}\\s+${month}\\s+(?<day>\\d{1,2})\\s+${clock}${zone}\\s+(?<year>\\d{4})$`),
];

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Longer texts are no dates; without a bound hostile ones could take long. */
const longest = 64;

export interface Moment {
  /** ns since the Unix epoch; without a zone it is UTC. */
  readonly time: bigint;
  readonly hasClock: boolean;
}

/**
 * A date, with a clock behind it or none. Dates of numbers with the year last are read where their order is given.
 * Undefined for what is no date, such as 30 February.
 */
export function momentOf(text: string, order: DateOrder | undefined): Moment | undefined {
  if (text.length > longest) return undefined;
  const trimmed = text.trim();
  for (const form of forms) {
    const groups = form.exec(trimmed)?.groups;
    if (groups !== undefined) return momentOfGroups(groups, order);
  }
  return undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

function momentOfGroups(groups: Groups, order: DateOrder | undefined): Moment | undefined {
  const day = dayOf(groups, order);
  if (day === undefined) return undefined;
  if (groups['hour'] === undefined) return { time: day, hasClock: false };
  const ofDay = clockOfGroups(groups, 23);
  if (ofDay === undefined) return undefined;
  const offset = zoneOffset(groups['zone']);
  return offset === undefined ? undefined : { time: day + ofDay - offset, hasClock: true };
}

function dayOf(groups: Groups, order: DateOrder | undefined): bigint | undefined {
  const { first, next, name } = groups;
  if (first !== undefined && order === undefined) return undefined;
  const day = first === undefined ? groups['day'] : order === 'day-first' ? first : next;
  const monthText = first === undefined ? groups['month'] : order === 'day-first' ? next : first;
  const month = name === undefined ? Number(monthText) : months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  const year = yearOf(groups['year']!);
  if (month < 1 || month > 12) return undefined;
  const millis = Date.UTC(year, month - 1, Number(day));
  if (year < 100 || new Date(millis).getUTCDate() !== Number(day)) return undefined;
  return BigInt(millis) * 1_000_000n;
}

/** Years of two digits are from 1970 to 2069: nothing was logged before. */
function yearOf(text: string): number {
  const year = Number(text);
  if (text.length !== 2) return year;
  return year + (year < 70 ? 2000 : 1900);
}

function clockOfGroups(groups: Groups, mostHours: number): bigint | undefined {
  const { half } = groups;
  let hour = Number(groups['hour']);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  const minute = Number(groups['minute']);
  const seconds = Number(groups['second'] ?? 0);
  if (hour > mostHours || minute > 59 || seconds > 59) return undefined;
  return BigInt(hour * 3600 + minute * 60 + seconds) * second + fractionOf(groups['fraction']);
}

/** What stands behind the point of a second, ns; what is finer is cut off. */
function fractionOf(digits = ''): bigint {
  return BigInt(digits.slice(0, 9).padEnd(9, '0'));
}

function zoneOffset(text: string | undefined): bigint | undefined {
  const match = /([-+])(\d\d):?(\d\d)?$/.exec(text ?? '');
  if (match === null) return 0n;
  const [, sign, hours, minutes = '0'] = match;
  if (Number(hours) > 18 || Number(minutes) > 59) return undefined;
  const offset = BigInt(Number(hours) * 3600 + Number(minutes) * 60) * second;
  return sign === '-' ? -offset : offset;
}

const wholeClock = new RegExp(`^${clock.replace('\\d{1,2}', '\\d{1,4}')}$`);
const minutesClock = /^(\d{1,4}):(\d\d)[.,](\d+)$/;

/** `14:03:10.5`, `2:03 PM`, or minutes `93:31.5`: ns since midnight, or since a start. */
export function clockOf(text: string): bigint | undefined {
  if (text.length > longest) return undefined;
  const trimmed = text.trim();
  const minutes = minutesClock.exec(trimmed);
  if (minutes !== null) {
    const [, minute, seconds, fraction] = minutes;
    if (Number(seconds) > 59) return undefined;
    return BigInt(Number(minute) * 60 + Number(seconds)) * second + fractionOf(fraction);
  }
  const groups = wholeClock.exec(trimmed)?.groups;
  return groups === undefined ? undefined : clockOfGroups(groups, 9999);
}

/** `140310.5`, as GPS receivers write a clock: ns since midnight. */
export function compactClockOf(text: string): bigint | undefined {
  const [, digits, fraction] = /^(\d{1,6})(?:[.,](\d{1,20}))?$/.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  // Written as numbers, they lack zeros in front.
  const [hour, minute, second] = digits.padStart(6, '0').match(/../g)!;
  return clockOfGroups({ hour, minute, second, fraction }, 23);
}

/** The first date in a line, at its midnight, and the first clock: `Log created on 8/5/2021 at 10:23:11`. */
export function findMoment(
  line: string,
  order: DateOrder,
): { readonly day: bigint | undefined; readonly clock: bigint | undefined } {
  const text = line.slice(0, 400);
  const found = findDay(text, order);
  const clockText = new RegExp(`(?<![\\d:])${clock}(?![\\d:])`).exec(text)?.[0];
  return { day: found, clock: clockText === undefined ? undefined : clockOf(clockText) };
}

function findDay(text: string, order: DateOrder): bigint | undefined {
  for (const form of [yearFirst, yearLast, dayNamed, monthNamed]) {
    for (const [found] of text.matchAll(new RegExp(`(?<![\\d.])${form}(?!\\d)`, 'g'))) {
      const other = order === 'day-first' ? 'month-first' : 'day-first';
      const moment = momentOf(found, order) ?? momentOf(found, other);
      if (moment !== undefined) return moment.time;
    }
  }
  return undefined;
}

import { durationOf, fractionOf } from './durations.ts';
import { zoneOffset, zonePattern } from './zones.ts';

/** Which of two numbers of a date like 5/8/2021 is the day. */
export type DateOrder = 'day-first' | 'month-first';

/** Behind a clock of twelve hours. */
export const amOrPm = /[AP]\.?M\.?$/i;

export const nsOfDay = 86_400_000_000_000n;
const second = 1_000_000_000n;

const clock =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,:](?<fraction>\\d+))?)?(?:\\s?(?<half>[AaPp])\\.?[Mm]\\.?)?';
/** ISO 8601 without colons, in a date: `T145139.5`. */
const compactClock = '(?<hour>\\d\\d)(?<minute>\\d\\d)(?:(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?';
const month = '(?<name>[A-Za-z]{3,9})';
const behind = `(?:(?:,?\\s+(?:at\\s+)?|[Tt]\\s*|,)${clock}${zonePattern})?`;

const yearFirst = '(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})';
const yearLast = '(?<first>\\d{1,2})(?<mark>[-/.])(?<next>\\d{1,2})\\k<mark>(?<year>\\d{4}|\\d\\d)';
/** `8-May-2021`, `Saturday, 8 May 2021` */
const dayNamed = `(?:[A-Za-z]{3,9},?\\s+)?(?<day>\\d{1,2})[-\\s./]+${month}[-\\s./,]+(?<year>\\d{4})`;
/** `Saturday, May 8, 2021` */
const monthNamed = `(?:[A-Za-z]{3,9},?\\s+)?${month}\\.?\\s+(?<day>\\d{1,2}),?\\s+(?<year>\\d{4})`;
/** A week and its day, the day of a year. */
const weekDate = '(?<year>\\d{4})(?:-W(?<week>\\d\\d)-(?<weekday>[1-7])|W(?<week2>\\d\\d)(?<weekday2>[1-7]))';
const ordinalDate = '(?<year>\\d{4})-(?<ordinal>\\d{3})';

const forms = [
  ...[yearFirst, yearLast, dayNamed, monthNamed, weekDate, ordinalDate].map((day) => `${day}${behind}`),
  // As Java writes dates: `Sat May 08 10:23:11 GMT+02:00 2021`.
  `[A-Za-z]{3}\\s+${month}\\s+(?<day>\\d{1,2})\\s+${clock}${zonePattern}\\s+(?<year>\\d{4})`,
  // The basic form of ISO 8601; without a mark before the clock the seconds are there, and perhaps milliseconds.
  `(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)[Tt_ -]${compactClock}${zonePattern}`,
  `(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)[Tt_ -]${clock}${zonePattern}`,
  `(?<year>(?:19|20)\\d\\d)(?<month>\\d\\d)(?<day>\\d\\d)(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)[.,]?(?<fraction>\\d{3}|\\d{6})?${zonePattern}`,
  '(?<year>(?:19|20)\\d\\d)(?<month>\\d\\d)(?<day>\\d\\d)',
  `${yearFirst}[Tt ]${compactClock}${zonePattern}`,
  `(?<year>\\d{4})(?<ordinal>\\d{3})[Tt]${compactClock}${zonePattern}`,
].map((form) => new RegExp(`^${form}$`));

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** The longest text that may be a date; without a bound hostile ones could take long. */
const longest = 80;

export interface Moment {
  /** ns since the Unix epoch; without a zone it is UTC. */
  readonly time: bigint;
  readonly hasClock: boolean;
  /** Whether the text says by how much its clock is off UTC. */
  readonly hasZone: boolean;
}

/** What has the form of a date, and why it is none. */
export interface NoMoment {
  readonly problem: string;
}

/**
 * A date, with a clock behind it or none. Dates of numbers with the year last are read where their order is given.
 * Undefined for what is no date, such as 30 February.
 */
export function momentOf(text: string, order: DateOrder | undefined): Moment | undefined {
  const read = readMoment(text, order);
  return read === undefined || 'problem' in read ? undefined : read;
}

/** As `momentOf`, with the cause where a text has the form of a date and cannot be placed in time. */
export function readMoment(text: string, order: DateOrder | undefined): Moment | NoMoment | undefined {
  if (text.length > longest || !mayBeDate(text)) return undefined;
  const trimmed = text.trim();
  for (const form of forms) {
    const groups = form.exec(trimmed)?.groups;
    if (groups !== undefined) return momentOfGroups(groups, order);
  }
  return undefined;
}

/** Whether a text has as many digits as the shortest date, `1/2/21`; one that begins with a letter has spaces as well. */
function mayBeDate(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first >= 65 && first <= 122 && !/\s/.test(text)) return false;
  let digits = 0;
  for (let i = 0; i < text.length && digits < 4; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) digits++;
  }
  return digits === 4;
}

type Groups = Readonly<Record<string, string | undefined>>;

function momentOfGroups(groups: Groups, order: DateOrder | undefined): Moment | NoMoment | undefined {
  const day = dayOf(groups, order);
  if (day === undefined) return undefined;
  if (groups['hour'] === undefined) return { time: day, hasClock: false, hasZone: false };
  // A day ends at 24:00.
  const ofDay = clockOfGroups(groups, 24);
  if (isLeapSecond(groups)) return { problem: leapSecond };
  if (ofDay === undefined || ofDay > nsOfDay) return undefined;
  const { zone, region } = groups;
  const offset = zoneOffset(zone, region, day + ofDay);
  if (typeof offset !== 'bigint') return offset;
  return { time: day + ofDay - offset, hasClock: true, hasZone: (zone ?? region) !== undefined };
}

const leapSecond = 'a minute has a second 60 only as a leap second, which has no time of its own since 1970';

function isLeapSecond({ minute, second: seconds }: Groups): boolean {
  return minute === '59' && seconds === '60';
}

function dayOf(groups: Groups, order: DateOrder | undefined): bigint | undefined {
  const { first, next, name, ordinal } = groups;
  const year = yearOf(groups['year']!);
  const week = groups['week'] ?? groups['week2'];
  if (ordinal !== undefined) return dayOfYear(year, Number(ordinal));
  if (week !== undefined)
    return dayOfWeek(year, Number(week), Number(groups['weekday'] ?? groups['weekday2']));
  if (first !== undefined && order === undefined) return undefined;
  const day = first === undefined ? groups['day'] : order === 'day-first' ? first : next;
  const monthText = first === undefined ? groups['month'] : order === 'day-first' ? next : first;
  const month = name === undefined ? Number(monthText) : months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  if (month < 1 || month > 12) return undefined;
  return dayOfDate(year, month, Number(day));
}

/** Midnight of a day, ns since the Unix epoch; undefined for one that no month has. */
export function dayOfDate(year: number, month: number, day: number): bigint | undefined {
  const millis = Date.UTC(year, month - 1, day);
  if (year < 100 || new Date(millis).getUTCDate() !== day || month < 1 || month > 12) return undefined;
  return BigInt(millis) * 1_000_000n;
}

function dayOfYear(year: number, ordinal: number): bigint | undefined {
  const date = new Date(Date.UTC(year, 0, ordinal));
  return ordinal < 1 || date.getUTCFullYear() !== year ? undefined : BigInt(date.getTime()) * 1_000_000n;
}

/** ISO 8601: the first week of a year is that of 4 January, and begins on a Monday. */
function dayOfWeek(year: number, week: number, weekday: number): bigint | undefined {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * 86_400_000;
  const millis = monday + ((week - 1) * 7 + weekday - 1) * 86_400_000;
  const thursday = new Date(millis + (4 - weekday) * 86_400_000);
  return week < 1 || thursday.getUTCFullYear() !== year ? undefined : BigInt(millis) * 1_000_000n;
}

/** Years of two digits are from 1970 to 2069: nothing was logged before. */
export function yearOf(text: string): number {
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
  return BigInt(hour * 3600 + minute * 60 + seconds) * second + fractionOf(groups['fraction'], second);
}

const wholeClock = new RegExp(
  `^(?<minus>[-\u2212])?${clock.replace('\\d{1,2}', '\\d{1,4}')}(?:\\s?(?:UTC|GMT|[Zz]))?$`,
);
const minutesClock = /^(\d{1,4}):(\d\d)[.,](\d+)$/;

/** `14:03:10.5`, `2:03 PM`, minutes `93:31.5`, or a time that passed: ns since midnight, or since a start. */
export function clockOf(text: string): bigint | undefined {
  if (text.length > longest) return undefined;
  const trimmed = text.trim();
  const minutes = minutesClock.exec(trimmed);
  if (minutes !== null) {
    const [, minute, seconds, fraction] = minutes;
    if (Number(seconds) > 59) return undefined;
    return BigInt(Number(minute) * 60 + Number(seconds)) * second + fractionOf(fraction, second);
  }
  const groups = wholeClock.exec(trimmed)?.groups;
  if (groups === undefined) return durationOf(trimmed);
  const time = clockOfGroups(groups, 9999);
  return time === undefined || groups['minus'] === undefined ? time : -time;
}

/** Why what looks like a clock is none; undefined for what does not. */
export function clockProblem(text: string): string | undefined {
  const groups = text.length > longest ? undefined : wholeClock.exec(text.trim())?.groups;
  return groups !== undefined && isLeapSecond(groups) ? leapSecond : undefined;
}

/** `140310.5`, as GPS receivers write a clock: ns since midnight. */
export function compactClockOf(text: string): bigint | undefined {
  const [, digits, fraction] = /^(\d{1,6})(?:[.,](\d{1,20}))?$/.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  // Written as numbers, they lack zeros in front.
  const [hour, minute, second] = digits.padStart(6, '0').match(/../g)!;
  return clockOfGroups({ hour, minute, second, fraction }, 23);
}

/** What stands for a moment in a line: midnight of its day, its clock, and the zone behind the clock. */
export interface FoundMoment {
  readonly day: bigint | undefined;
  readonly clock: bigint | undefined;
  /** What a zone adds to UTC at a local time; undefined where none is named that can be read. */
  readonly offsetAt: ((local: bigint) => bigint | undefined) | undefined;
}

const clockInLine = new RegExp(`(?<![\\d:])(?<text>${clock})(?![\\d:])${zonePattern}`);

/** The first date in a line, at its midnight, and the first clock: `Log created on 8/5/2021 at 10:23:11`. */
export function findMoment(line: string, order: DateOrder): FoundMoment {
  const text = line.slice(0, 400);
  const { text: clockText, zone, region } = clockInLine.exec(text)?.groups ?? {};
  return {
    day: findDay(text, order),
    clock: clockText === undefined ? undefined : clockOf(clockText),
    offsetAt: (zone ?? region) === undefined ? undefined : (local) => offsetOf(zone, region, local),
  };
}

function offsetOf(zone: string | undefined, region: string | undefined, local: bigint): bigint | undefined {
  const offset = zoneOffset(zone, region, local);
  return typeof offset === 'bigint' ? offset : undefined;
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

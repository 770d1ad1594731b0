import { isoFromMillis } from '../../domain/timestamp.ts';
import { plainText } from '../text/text-layout.ts';
import type { RowPlace } from './find-restarts.ts';
import type { FirstMet } from './met-rows.ts';
import type { MetCell } from './met-values.ts';
import { shiftsOf } from './place-runs.ts';
import type { SameTimeChoices, StoredRows } from './stored-rows.ts';
import type { SeenTimes } from './watch-times.ts';

/** How the rows of a file are called. */
export interface RowWords {
  readonly seen: SeenTimes;
  /** `line`, `row` or `message`: what the places of rows are. */
  readonly noun: string;
  /** Names of tables, where a file has several. */
  readonly tables?: readonly string[];
  /** What elapsed times count from, ns since the Unix epoch. */
  readonly start: bigint;
  /** Whether cells are JSON. */
  readonly isJson: boolean;
  /** Whether it is for who types commands: what to do is told by the options for it. */
  readonly namesOptions: boolean;
}

/** Tells in words what is to be known of the rows that are stored: nothing where each row is a row of its own. */
export function storedNotes(stored: StoredRows, words: RowWords, choices: SameTimeChoices): string[] {
  return [
    ...metNotes(stored, words),
    ...(stored.empty > 0 ? [`${rowsText(stored.empty)} without a value, not stored`] : []),
    ...restartNotes(words, choices),
    ...hourNotes(words),
  ];
}

function metNotes(stored: StoredRows, words: RowWords): string[] {
  const { replaced, repeated, joined, moved, farthest, isAtLeast, first } = stored;
  const least = isAtLeast ? 'at least ' : '';
  const what = words.seen.options.apart.length > 0 ? 'the time and the tags' : 'the time';
  const notes: string[] = [];
  if (replaced > 0)
    notes.push(
      `${least}${rowsText(replaced)} ${have(replaced)} ${what} of an earlier row and replaced its values${channelsText(stored)}${first === undefined ? '' : firstText(first, words)}${words.namesOptions ? ' (--same-time keep keeps all)' : ''}`,
    );
  if (repeated > 0)
    notes.push(
      `${least}${rowsText(repeated)} repeat${repeated === 1 ? 's' : ''} an earlier one with ${what} and the values of it`,
    );
  if (joined > 0)
    notes.push(
      `${least}${rowsText(joined)} ${have(joined)} ${what} of an earlier row and added values of other channels to it`,
    );
  if (moved > 0)
    notes.push(
      `${rowsText(moved)} had ${what} of an earlier row and went on by a nanosecond or more, until ${moved === 1 ? 'its time was' : 'their times were'} free, by ${farthest} ns at most`,
    );
  if (isAtLeast && replaced + repeated + joined === 0)
    notes.push('not all rows could be compared with earlier ones: there are too many whose times come back');
  return notes;
}

const listedChannels = 8;

function channelsText({ channels, replaced }: StoredRows): string {
  const ordered = [...channels].toSorted(([, one], [, other]) => other - one);
  const listed = ordered
    .slice(0, listedChannels)
    .map(([name, count]) => (count === replaced ? name : `${name} (${count})`));
  const rest = ordered.length - listed.length;
  return ordered.length === 0
    ? ''
    : ` of ${listed.join(', ')}${rest > 0 ? ` and ${rest} more channels` : ''}`;
}

function firstText({ channel, time, value, before, ...at }: FirstMet, words: RowWords): string {
  const now = valueText(value, words);
  const was = before.value === undefined ? '' : ` and was ${valueText(before.value, words)}`;
  return `, first in ${placeText(at, words)}, at ${timeText(time, words)}: ${channel} is ${now}${was} in ${words.noun} ${before.place}`;
}

const shownCharacters = 40;

function valueText(value: MetCell, { isJson }: RowWords): string {
  const text = String(isJson && typeof value === 'string' ? JSON.parse(value) : value);
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  const isText = isJson ? String(value).startsWith('"') : typeof value === 'string';
  return isText ? `'${plainText(shown)}'` : shown;
}

function restartNotes(words: RowWords, { restarts: choice }: SameTimeChoices): string[] {
  const { seen } = words;
  const [first] = seen.restarts;
  if (first === undefined) return [];
  const places = restartPlaces(words);
  if (choice === 'streams')
    return [
      `times begin anew in ${places}: rows from there on are in streams of their own, the first in …-2`,
    ];
  if (choice === 'append') {
    const [, shift] = shiftsOf(seen).find((shifts) => shifts.length > 1)!;
    return [
      `times begin anew in ${places}: rows from there on were put behind those before, first by ${secondsText(shift!)}`,
    ];
  }
  const own = seen.restarts.every(({ hasNewTags }) => hasNewTags)
    ? `, where tags change that tell the rows apart${words.namesOptions ? ' (--restarts streams or append sets them apart by time)' : ''}`
    : ', and stand as the file has them';
  return [`times begin anew in ${places}${own}`];
}

function restartPlaces(words: RowWords): string {
  const { restarts } = words.seen;
  const first = placeText(restarts[0]!, words);
  const more = restarts.length - 1;
  return more === 0 ? first : `${first} and ${more} more place${more === 1 ? '' : 's'}`;
}

function hourNotes(words: RowWords): string[] {
  const { hour } = words.seen;
  if (hour === undefined) return [];
  const [before, time] = [timeText(hour.before, words), timeText(hour.time, words)];
  return [
    `the clock goes back by an hour in ${placeText(hour, words)}, from ${before} to ${time}, as local clocks do in autumn: ${rowsText(hour.rows)} stand${hour.rows === 1 ? 's' : ''} in an hour that was there before; times with their zone (02:30:00+01:00) or in UTC would tell them apart`,
  ];
}

/** Why a file whose times begin anew is not imported before somebody says what is meant; undefined for others. */
export function restartProblem(words: RowWords, { restarts: choice }: SameTimeChoices): string | undefined {
  const { seen } = words;
  const first = seen.restarts.find(({ hasNewTags }) => !hasNewTags);
  const filled = seen.streams.filter(({ runs }) => runs.length > 0);
  if (first === undefined && (choice === undefined || choice === 'replace')) return undefined;
  const isUneven =
    seen.restarts.length > 0 &&
    (seen.options.streams ?? []).length === 0 &&
    filled.some(({ runs }) => runs.length !== filled[0]!.runs.length);
  if (isUneven && choice !== undefined && choice !== 'replace')
    return `times begin anew in ${restartPlaces(words)}, but not in all channels alike: only --restarts replace takes them`;
  if (first === undefined || choice !== undefined) return undefined;
  const advice =
    '. --restarts says what is meant: streams (rows from there on become streams of their own), append (they are put behind those before) or replace (times are right as they stand; rows replace earlier ones of the same time)';
  const count = seen.restarts.length;
  const times = count === 1 ? '' : `, and so ${count - 1} more time${count === 2 ? '' : 's'}`;
  return `${placeText(first, words)}: times begin anew, ${timeText(first.time, words)} after ${timeText(first.before, words)}${times}${words.namesOptions ? advice : ''}`;
}

/** Why messages that meet are not imported before somebody says what is meant; undefined where nothing is lost. */
export function sameTimeProblem(stored: StoredRows, words: RowWords): string | undefined {
  const { replaced, first } = stored;
  if (replaced === 0 || first === undefined) return undefined;
  const least = stored.isAtLeast ? 'at least ' : '';
  const advice =
    '. --message-time publish or stamp takes another time of the messages, --same-time keep keeps all, each a nanosecond behind the one before, --same-time replace keeps the last';
  return `${least}${replaced} of ${stored.read} ${words.noun}s have the time of an earlier one of their topic and would replace its values${channelsText(stored)}${firstText(first, words)}${words.namesOptions ? advice : ''}`;
}

export function placeText({ place, table }: Omit<RowPlace, 'row'>, { noun, tables }: RowWords): string {
  const name = tables?.[table];
  return `${noun} ${place}${name === undefined || name === '' ? '' : ` of ${name}`}`;
}

/** Seconds since the start, or ISO 8601 with as many decimals as it needs. */
export function timeText(time: bigint, { seen: { kind }, start }: RowWords): string {
  if (kind === 'elapsed') return secondsText(time - start);
  const below = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const whole = isoFromMillis(Number((time - below) / 1_000_000n)).slice(0, 19);
  const fraction = below === 0n ? '' : `.${String(below).padStart(9, '0').replace(/0+$/, '')}`;
  return kind === 'clock' ? `${whole.slice(11)}${fraction}` : `${whole}${fraction}Z`;
}

function secondsText(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${ns < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`} s`;
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

function have(count: number): string {
  return count === 1 ? 'has' : 'have';
}

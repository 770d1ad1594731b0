import type { TimeForm } from './text-layout.ts';
import { withoutZone, zoneInName } from './zone-of-name.ts';

/** A form of times that are numbers in a unit. */
export type TimeUnit = Extract<TimeForm, 'h' | 'min' | 's' | 'ms' | 'us' | 'ns'>;

const unitWords: Readonly<Record<TimeUnit, string>> = {
  h: 'h hr hrs hour hours std stunde stunden heure heures hora horas ore',
  min: 'min mins minute minutes minuten minutos minuti',
  s: 's sec secs second seconds sek sekunde sekunden seg segundos seconde secondes secondi',
  ms: 'ms msec msecs millis millisec millisecs millisecond milliseconds millisekunden milisegundos millisecondes',
  us: 'us μs usec usecs μsec micros microsec microsecs microsecond microseconds mikrosekunden microsecondes',
  ns: 'ns nsec nsecs nanos nanosec nanosecs nanosecond nanoseconds nanosekunden nanosecondes',
};

const units: ReadonlyMap<string, TimeUnit> = new Map(
  Object.entries(unitWords).flatMap(([unit, words]) =>
    words.split(' ').map((word) => [word, unit as TimeUnit] as const),
  ),
);

/** Every word that is a unit of time. */
export const timeUnitWords: readonly string[] = [...units.keys()];

/** Alone they may be a distance, a height or a minimum. */
const shortUnits = new Set(['s', 'h', 'min']);

const wordsOf = (text: string): Set<string> => new Set(text.split(' '));
/** One of these makes a name that of a time. */
const timeWords = wordsOf(
  'time timestamp timestamps hhmmss hhmmssss tstamp datetime date elapsed uptime utc epoch unixtime zeit uhrzeit datum zeitstempel zeitpunkt laufzeit hora heure tiempo tijd czas aika',
);
/** So do these, though they may be something else as well. */
const weakTimeWords = wordsOf('t ts tid temps tempo offset');
/** What else a name of a time may have. */
const besideWords = wordsOf(
  'gps device log logger sample measurement unix utc gmt abs absolute rel relative session local boot system sys stamp start in since from of the day begin reset power on run und and ddmmyy 64 32',
);
/** Units of time that no form stands for. */
const otherUnits = wordsOf(
  'd day days tag tage jour jours week weeks tick ticks jiffies frame frames cycles samples cs centiseconds ds deciseconds ps picoseconds filetime datenum jd mjd julian',
);

/**
 * The words of a name in small letters: at capitals in its middle, and at what is neither letter nor digit. The sign of
 * micro has one code point of two; where it was lost, `?` or its like stands in its place.
 */
function words(name: string): string[] {
  return apart(name)
    .split(/(?:[^\p{L}\p{N}?\ufffd]|[?\ufffd](?!\p{L}))+/u)
    .flatMap((word) => glued.exec(word)?.slice(1) ?? word)
    .filter((word) => word !== '');
}

const glued = /^(time|timestamp|zeit)([mμun]s(?:ecs?)?|millis|micros|nanos|secs?)$/;

/** In small letters, with a space at capitals in a word. */
function apart(name: string): string {
  if (/^[a-z\d_ ]*$/.test(name)) return name;
  return name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase();
}

/** A name whose first two letters are those of its first word. */
const plainStart = /^[A-Za-z][a-z]/;
const starts = new Set(
  [...timeWords, ...weakTimeWords, ...besideWords, ...units.keys(), ...otherUnits].map((word) =>
    word.slice(0, 2),
  ),
);

function isKnown(word: string): boolean {
  return (
    timeWords.has(word) ||
    weakTimeWords.has(word) ||
    besideWords.has(word) ||
    units.has(word) ||
    otherUnits.has(word)
  );
}

/** How much a name says that a column is the time: not at all, perhaps, or surely. */
export type TimeNaming = 'none' | 'weak' | 'strong';

export function timeNaming(name: string): TimeNaming {
  // Most names of a file are other ones.
  if (plainStart.test(name) && !starts.has(name.slice(0, 2).toLowerCase())) return 'none';
  const all = words(withoutZone(name));
  if (all.length === 0 || !all.every(isKnown)) return /^x_value$/i.test(name) ? 'strong' : 'none';
  if (all.some((word) => timeWords.has(word))) return 'strong';
  if (weakTimeWords.has(all[0]!))
    return all.slice(1).every((word) => units.has(word) || besideWords.has(word)) ? 'weak' : 'none';
  const named = all.filter((word) => units.has(word));
  if (named.length !== 1) return 'none';
  return !shortUnits.has(named[0]!) || all.includes('since') ? 'weak' : 'none';
}

/** Whether a name says that times are UTC, or that they are local ones. */
export function zoneOfName(name: string): 'utc' | 'local' | undefined {
  if (zoneInName(name) !== undefined) return 'local';
  const all = words(name);
  if (all.some((word) => word === 'utc' || word === 'gmt' || word === 'zulu')) return 'utc';
  return all.includes('local') ? 'local' : undefined;
}

/** The unit that a name of a time ends in, has or is: of `time_boot_ms`, `TimeUS`, `Zeit in ms`, `nanoseconds`. */
export function unitOfName(name: string): TimeUnit | undefined {
  const all = words(name);
  const last = all.at(-1) ?? '';
  if (all.length === 1) return shortUnits.has(last) ? undefined : units.get(last);
  if (units.has(last)) return units.get(last);
  if (timeNaming(name) === 'none') return undefined;
  const found = all.filter((word) => units.has(word) && !shortUnits.has(word));
  return found.length === 1 ? units.get(found[0]!) : undefined;
}

/** The unit of parts of a second that a name is, as `ms` and `nanosec` are. */
export function partOfSecond(name: string): 'ms' | 'us' | 'ns' | undefined {
  const all = words(name);
  const unit = all.length === 1 ? units.get(all[0]!) : undefined;
  return unit === 'ms' || unit === 'us' || unit === 'ns' ? unit : undefined;
}

/** Whether a name is a unit and nothing else, as `Second` and `Millis` are. */
export function isUnitAlone(name: string): boolean {
  const all = words(name);
  return all.length === 1 && units.has(all[0]!);
}

/** The unit in brackets, or of a row of units. */
export function unitOfUnit(unit: string): TimeUnit | undefined {
  const all = words(unit);
  return all.length === 1 || all[1] === 'since' ? units.get(all[0]!) : undefined;
}

/** Whether a unit has words that no time has: `Âµs`, say, which was `µs`. */
export function isUnknownUnit(unit: string): boolean {
  return !words(unit).every(isKnown);
}

/** A unit of a time that no form stands for: `days`, `ticks`, `0.1 ms`. Undefined where there is none such. */
export function otherTimeUnit(name: string, unit: string): string | undefined {
  const bare = unit.trim();
  const all = words(bare);
  if (all.length > 0) {
    const isParts =
      all.length > 1 && /^[\d.,/*x×^ -]*\d/.test(bare) && units.has(all.at(-1)!.replace(/^\d+/, ''));
    return isParts || /^\d+\p{L}+$/u.test(all[0]!) || (all.length === 1 && otherUnits.has(all[0]!))
      ? bare
      : undefined;
  }
  const last = words(name).at(-1) ?? '';
  return otherUnits.has(last) && !/of.?(?:the.?)?day$/i.test(name) ? last : undefined;
}

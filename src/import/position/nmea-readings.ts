import { nmeaDay, nmeaDegrees, nmeaNumber } from './nmea-sentence.ts';
import { inUnit, kmhOfKnot, positionChannels } from './position-channels.ts';

/** What the sentences of one time say; undefined or null where they do not. */
export interface Readings {
  /** Days since 1970. */
  day?: number | undefined;
  latitude?: number;
  longitude?: number;
  altitude?: number | null;
  /** Whether the sentence has it in feet. */
  isInFeet?: boolean;
  speed?: number | null;
  course?: number | null;
  satellites?: number | null;
  hdop?: number | null;
  quality?: number | null;
  geoidHeight?: number | null;
}

type Fields = readonly string[];

const named = Object.keys(positionChannels) as (keyof typeof positionChannels)[];

/** Channels of a log, in the order of the values of its rows. */
export const nmeaChannels = named.map((name) => positionChannels[name]);

export function valuesOf(readings: Readings): (number | null)[] {
  return named.map((name) => readings[name] ?? null);
}

/** Sentences that have a time: in which field, and what else they say. Reading gives why nothing is said, such as `without a fix`. */
export const timedSentences: ReadonlyMap<
  string,
  { readonly clock: number; read(fields: Fields, into: Readings): string | undefined }
> = new Map([
  ['RMC', { clock: 0, read: readRmc }],
  ['GGA', { clock: 0, read: readGga }],
  ['GNS', { clock: 0, read: readGns }],
  ['GLL', { clock: 4, read: readGll }],
  ['ZDA', { clock: 0, read: readZda }],
]);

const noFix = 'without a fix';

function readRmc(f: Fields, into: Readings): string | undefined {
  if (f[1] !== 'A') return noFix;
  const date = f[8] ?? '';
  into.day = nmeaDay(date.slice(0, 2), date.slice(2, 4), date.slice(4)) ?? into.day;
  const knots = nmeaNumber(f[6]);
  if (knots !== null) into.speed = inUnit(knots, kmhOfKnot);
  into.course = nmeaNumber(f[7]) ?? into.course ?? null;
  return readPosition(f, 2, into);
}

function readGga(f: Fields, into: Readings): string | undefined {
  into.quality = nmeaNumber(f[5]);
  if ((into.quality ?? 0) === 0) return noFix;
  readHeights(f, into, f[9], f[11]);
  return readPosition(f, 1, into);
}

/** Its modes have a letter for each system of satellites; N is none. */
function readGns(f: Fields, into: Readings): string | undefined {
  if (/^N*$/.test(f[5] ?? '')) return noFix;
  readHeights(f, into);
  return readPosition(f, 1, into);
}

/** Heights are metres, and in GGA each has a letter behind it, which some receivers have as F, for feet. */
function readHeights(f: Fields, into: Readings, unit = '', geoidUnit = ''): void {
  into.satellites = nmeaNumber(f[6]);
  into.hdop = nmeaNumber(f[7]);
  into.altitude = metres(f[8], unit);
  into.geoidHeight = metres(f[/^[MF]$/i.test(unit) ? 10 : 9], geoidUnit);
  if (into.altitude !== null && isFeet(unit)) into.isInFeet = true;
}

const metresOfFoot = 0.3048;

function metres(text: string | undefined, unit: string): number | null {
  const value = nmeaNumber(text);
  return value !== null && isFeet(unit) ? inUnit(value, metresOfFoot) : value;
}

function isFeet(unit: string): boolean {
  return unit.toUpperCase() === 'F';
}

function readGll(f: Fields, into: Readings): string | undefined {
  // Old receivers have no status.
  return f[5] === 'V' ? noFix : readPosition(f, 0, into);
}

function readZda(f: Fields, into: Readings): string | undefined {
  into.day = nmeaDay(f[1] ?? '', f[2] ?? '', f[3] ?? '') ?? into.day;
  return into.day === undefined ? 'without a date' : undefined;
}

function readPosition(f: Fields, at: number, into: Readings): string | undefined {
  const latitude = nmeaDegrees(f[at], f[at + 1], 'NS');
  const longitude = nmeaDegrees(f[at + 2], f[at + 3], 'EW');
  if (latitude === null || longitude === null) return 'without a position';
  into.latitude = latitude;
  into.longitude = longitude;
  return undefined;
}

export interface Motion {
  readonly speed: number | null;
  readonly course: number | null;
}

/** Reads a VTG; before version 2 it had no letters behind its numbers. */
export function readVtg(f: Fields): Motion {
  const isOld = f.length === 4;
  const knots = nmeaNumber(f[isOld ? 2 : 4]);
  return {
    speed: nmeaNumber(f[isOld ? 3 : 6]) ?? (knots === null ? null : inUnit(knots, kmhOfKnot)),
    course: nmeaNumber(f[0]),
  };
}

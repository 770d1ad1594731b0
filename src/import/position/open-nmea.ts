import { readLines } from '../can/log-lines.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { LoggedChannel, LoggedFile, LoggedRow } from '../logged-file.ts';
import { nmeaDay, nmeaDegrees, nmeaNumber, nmeaSentence, nmeaTime } from './nmea-sentence.ts';

const channels: readonly LoggedChannel[] = [
  { name: 'Latitude', unit: 'deg' },
  { name: 'Longitude', unit: 'deg' },
  { name: 'Altitude', unit: 'm' },
  { name: 'Speed', unit: 'km/h' },
  { name: 'Course', unit: 'deg' },
  { name: 'Satellites', unit: '' },
  { name: 'HDOP', unit: '' },
  { name: 'Fix quality', unit: '' },
];

const dayNs = 86_400_000_000_000n;

/** What a pass through a log finds. */
interface Found {
  /** What is left out: how often, and the first line. */
  readonly leftOut: Map<string, { times: number; line: number }>;
  /** Days since 1970 of the first sentence; undefined where none has a date. */
  firstDay: number | undefined;
  positions: number;
}

/** A log of NMEA 0183: a row has what its sentences say of one time. Throws a FileFault. */
export async function openNmea(
  file: FileBytes,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<LoggedFile> {
  const newFound = (): Found => ({ leftOut: new Map(), firstDay: undefined, positions: 0 });
  const found = newFound();
  let rows = 0;
  let start: bigint | undefined;
  for await (const { time } of readRows(file, 0, found, onBytes)) {
    rows++;
    start ??= time;
  }
  const leftOut = [...found.leftOut].map(
    ([what, { times, line }]) => `${times} ${what} (first in line ${line})`,
  );
  if (found.positions === 0)
    throw new FileFault(['there is no position in the log', ...leftOut].join('; '), undefined);
  const { firstDay } = found;
  const isStartKnown = firstDay !== undefined;
  const read = () => readRows(file, firstDay ?? 0, newFound(), onBytes);
  return {
    tables: [{ channels, rows, read }],
    tags: [],
    metadata: {},
    start: isStartKnown ? start! + BigInt(firstDay) * dayNs : 0n,
    isStartKnown,
    leftOut,
    notes: isStartKnown ? [] : ['no sentence has a date (--start DAY says it)'],
  };
}

/** Rows, with days counted from the one of the first sentence. */
async function* readRows(
  file: FileBytes,
  firstDay: number,
  found: Found,
  onBytes: (bytes: number) => void,
): AsyncGenerator<LoggedRow> {
  let day = firstDay;
  let isDated = false;
  let clock: bigint | undefined;
  let values: (number | null)[] = channels.map(() => null);
  const leave = (what: string, line: number): void => {
    const one = found.leftOut.get(what);
    if (one === undefined) found.leftOut.set(what, { times: 1, line });
    else one.times++;
  };
  const finish = (): LoggedRow | undefined => {
    const row = { time: BigInt(day) * dayNs + (clock ?? 0n), values, tags: [] };
    values = channels.map(() => null);
    return clock !== undefined && row.values.some((value) => value !== null) ? row : undefined;
  };
  const bytes: FileBytes = {
    size: file.size,
    read(offset, length) {
      onBytes(offset);
      return file.read(offset, length);
    },
  };
  for await (const { lines, first } of readLines(bytes)) {
    for (const [i, text] of lines.entries()) {
      if (text.trim() === '') continue;
      const line = first + i;
      const sentence = nmeaSentence(text);
      if (typeof sentence === 'string') {
        leave(sentence === 'checksum' ? 'lines with a wrong checksum' : 'lines that are no sentence', line);
        continue;
      }
      const { type, fields: f } = sentence;
      if (!['RMC', 'GGA', 'VTG', 'ZDA'].includes(type)) {
        leave(`sentences ${type}`, line);
        continue;
      }
      if (type !== 'VTG') {
        const time = nmeaTime(f[0]);
        if (time === undefined) {
          leave(`${type} without a time`, line);
          continue;
        }
        if (time !== clock) {
          const row = finish();
          if (row !== undefined) yield row;
          if (clock !== undefined && clock - time > dayNs / 2n) day++;
          clock = time;
        }
      }
      const date = f[8] ?? '';
      const said =
        type === 'RMC'
          ? nmeaDay(date.slice(0, 2), date.slice(2, 4), date.slice(4))
          : type === 'ZDA'
            ? nmeaDay(f[1] ?? '', f[2] ?? '', f[3] ?? '')
            : undefined;
      if (said !== undefined && !isDated) {
        isDated = true;
        // Of the first pass: midnights that went by before the first date.
        found.firstDay = said - (day - firstDay);
      }
      // Days of the first pass count from 0: its first row is on day 0.
      if (said !== undefined) day = firstDay === 0 ? said - found.firstDay! : said;
      if (type === 'VTG') {
        values[3] ??= nmeaNumber(f[6]);
        values[4] ??= nmeaNumber(f[0]);
      }
      if ((type === 'RMC' && f[1] !== 'A') || (type === 'GGA' && (f[5] === '0' || f[5] === ''))) {
        leave(`${type} without a fix`, line);
        if (type === 'GGA') values[7] = nmeaNumber(f[5]);
        continue;
      }
      if (type === 'RMC' || type === 'GGA') {
        const at = type === 'RMC' ? 2 : 1;
        const latitude = nmeaDegrees(f[at], f[at + 1], 90);
        const longitude = nmeaDegrees(f[at + 2], f[at + 3]);
        if (latitude === null || longitude === null) {
          leave(`${type} without a position`, line);
          continue;
        }
        values[0] = latitude;
        values[1] = longitude;
        found.positions++;
      }
      if (type === 'RMC') {
        const knots = nmeaNumber(f[6]);
        values[3] = knots === null ? values[3]! : knots * 1.852;
        values[4] = nmeaNumber(f[7]) ?? values[4]!;
      }
      if (type === 'GGA') {
        values[2] = nmeaNumber(f[8]);
        values[5] = nmeaNumber(f[6]);
        values[6] = nmeaNumber(f[7]);
        values[7] = nmeaNumber(f[5]);
      }
    }
  }
  const row = finish();
  if (row !== undefined) yield row;
}

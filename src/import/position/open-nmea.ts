import { type Pace, withoutPause } from '../../turns/pace.ts';
import { type FileBytes, FileFault, watchedBytes } from '../file-bytes.ts';
import { countLeftOut, type LeftOut } from '../left-out.ts';
import type { LoggedFile, LoggedRow } from '../logged-file.ts';
import { nsOfDay } from '../text/dates.ts';
import { type Epoch, type FoundBeside, readEpochs } from './nmea-epochs.ts';
import { nmeaChannels, valuesOf } from './nmea-readings.ts';

/** Of VTG, which has no time. */
const vtgNotes = {
  none: [],
  within: [],
  before: ['speed and course of VTG were taken for those of the sentences before it'],
  behind: ['speed and course of VTG were taken for those of the sentences behind it'],
} as const satisfies Record<FoundBeside['vtg'], readonly string[]>;

/** A log of NMEA 0183: a row has what its sentences say of one time. Throws a FileFault. */
export async function openNmea(
  file: FileBytes,
  onBytes: (bytes: number) => void = () => undefined,
  pace: Pace = withoutPause,
): Promise<LoggedFile> {
  const bytes = watchedBytes(file, onBytes);
  const left = countLeftOut();
  const beside = noneBeside();
  const days = countDays(undefined);
  const has = nmeaChannels.map(() => false);
  let rows = 0;
  let isInFeet = false;
  let start: bigint | undefined;
  for await (const { clock, values, feet } of placedEpochs(
    readEpochs(bytes, left, beside, pace),
    days,
    left,
  )) {
    rows++;
    isInFeet ||= feet;
    start ??= clock;
    for (const [i, value] of values.entries()) if (value !== null) has[i] = true;
  }
  const leftOut = left.texts();
  if (rows === 0) throw new FileFault(['there is no position in the log', ...leftOut].join('; '), undefined);
  const firstDay = days.first();
  async function* read(): AsyncGenerator<LoggedRow> {
    const ignored = countLeftOut();
    const epochs = readEpochs(bytes, ignored, noneBeside(), pace);
    for await (const { day, clock, values } of placedEpochs(epochs, countDays(firstDay ?? 0), ignored))
      yield { time: BigInt(day) * nsOfDay + clock, values: values.filter((_, i) => has[i]), tags: [] };
  }
  return {
    tables: [{ channels: nmeaChannels.filter((_, i) => has[i]), rows, read }],
    tags: [],
    metadata: {},
    start: firstDay === undefined ? 0n : start! + BigInt(firstDay) * nsOfDay,
    isStartKnown: firstDay !== undefined,
    timeKind: firstDay === undefined ? 'clock' : 'moment',
    leftOut,
    notes: [
      ...(beside.hasRmc ? [] : vtgNotes[beside.vtg]),
      ...leapNotes(beside.leapSeconds),
      ...(isInFeet ? ['Altitude was in feet and is in m here'] : []),
      ...(firstDay === undefined ? ['no sentence has a date, the start says it'] : []),
    ],
  };
}

const noneBeside = (): FoundBeside => ({ hasRmc: false, leapSeconds: [], vtg: 'none' });

/** A leap second is the second behind it, as clocks of Unix count. */
function leapNotes(lines: readonly number[]): string[] {
  if (lines.length === 0) return [];
  const where = lines.length === 1 ? 'in' : 'first in';
  return [`leap seconds, taken for the second behind them: ${lines.length} (${where} line ${lines[0]})`];
}

/** Epochs with values and their days, from the first position on: before it a receiver knows neither place nor time. */
async function* placedEpochs(
  epochs: AsyncGenerator<Epoch>,
  days: Days,
  { leave }: LeftOut,
): AsyncGenerator<{
  readonly day: number;
  readonly clock: bigint;
  readonly values: (number | null)[];
  readonly feet: boolean;
}> {
  let isPlaced = false;
  for await (const epoch of epochs) {
    isPlaced ||= epoch.readings.latitude !== undefined;
    if (!isPlaced) {
      leave('times before the first position', epoch.line);
      continue;
    }
    const day = days.see(epoch);
    const values = valuesOf(epoch.readings);
    if (values.some((value) => value !== null))
      yield { day, clock: epoch.clock, values, feet: epoch.readings.isInFeet === true };
  }
}

/** Dates that epochs say, carried on over midnight. */
interface Days {
  /** Days since 1970, or since the first epoch as long as none has said its date. */
  see(epoch: Epoch): number;
  /** The day of the first epoch; undefined where none says its date. */
  first(): number | undefined;
}

function countDays(first: number | undefined): Days {
  let day = first ?? 0;
  let last: bigint | undefined;
  let found = first;
  return {
    see({ clock, readings }) {
      if (last !== undefined && last - clock > nsOfDay / 2n) day++;
      last = clock;
      if (readings.day === undefined) return day;
      found ??= readings.day - day;
      day = readings.day;
      return day;
    },
    first: () => found,
  };
}

import type { Client } from '../../../src/client/client.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { type EvenRows, evenRows } from './even-rows.ts';
import { amplitudesOf } from './fft.ts';
import type { WindowName } from './windows.ts';

/** How a spectrum is made: under which window, and as the mean of how many pieces. */
export interface SpectrumWay {
  readonly window: WindowName;
  readonly pieces: number;
}

/** What a spectrum is of, and how strong each frequency is. */
export interface Spectrum extends Omit<EvenRows, 'values'> {
  /** Strength of each frequency from 0 on, in the unit of the channel. */
  readonly amplitudes: Float64Array;
  /** From one frequency to the next, Hz. */
  readonly step: number;
  /** How long all rows are that were read, seconds. */
  readonly of: number;
  /** Whether there are more rows behind those that were read. */
  readonly isCut: boolean;
}

/** More rows than this, of all lines together, are not read. */
export const mostRows = 32_768;

/** Reads the first rows of each wish, as they were written. Undefined where there are too few without a gap. */
export function loadSpectra(
  client: Client,
  parameterName: string,
  wishes: readonly RowsWish[],
  how: SpectrumWay,
  signal: AbortSignal,
): Promise<(Spectrum | undefined)[]> {
  const limit = Math.floor(mostRows / wishes.length);
  return Promise.all(
    wishes.map(async ({ rows, range }) => {
      const query = { ...rows, ...range, numericParameters: [{ parameterName }], limit };
      const { data, nextCursor } = await client.page(query, { signal });
      const values = data.numericValues[parameterName] ?? [];
      return spectrumOf(data.timestamps, values, nextCursor !== undefined, how);
    }),
  );
}

/** Rows without a finite number count as missing; of rows of one time, which have different tags, the first one counts. */
export function spectrumOf(
  timestamps: readonly bigint[],
  column: readonly (number | null)[],
  isCut: boolean,
  { window, pieces }: SpectrumWay = { window: 'hann', pieces: 1 },
): Spectrum | undefined {
  const times: number[] = [];
  const values: number[] = [];
  const [first = 0n] = timestamps;
  for (const [row, value] of column.entries()) {
    const time = Number(timestamps[row]! - first) / 1e9;
    if (value === null || !Number.isFinite(value) || time === times.at(-1)) continue;
    times.push(time);
    values.push(value);
  }
  const even = evenRows(Float64Array.from(times), Float64Array.from(values));
  if (even === undefined) return undefined;
  const { values: spaced, ...rest } = even;
  const amplitudes = amplitudesOf(spaced, window, pieces);
  return {
    ...rest,
    amplitudes: amplitudes.values,
    step: amplitudes.step * even.rate,
    of: times.at(-1)! - times[0]!,
    isCut,
  };
}

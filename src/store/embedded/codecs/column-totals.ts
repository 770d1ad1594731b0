import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent } from '../../../domain/presence.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { powersOfTen, scaleToIntegers } from './decimal.ts';
import { decodeIntegers, encodeIntegers } from './integer-frames.ts';
import { decodeNumbers, encodeNumbers } from './number-codec.ts';

/** What an aggregation may know of many values of a numeric column; `first` and `last` by time. */
export interface ColumnTotals {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  /** Whether the sum is exact and rounded once; others are plain additions. */
  readonly isExact: boolean;
}

/** Of no values: the other fields mean nothing. */
export const noValues: ColumnTotals = {
  count: 0,
  first: 0,
  last: 0,
  min: 0,
  max: 0,
  sum: 0,
  isExact: true,
};

/** The totals of values that follow one another; undefined where those of some are not known. */
export function addTotals(all: readonly (ColumnTotals | undefined)[]): ColumnTotals | undefined {
  const filled: ColumnTotals[] = [];
  for (const totals of all) {
    if (totals === undefined) return undefined;
    if (totals.count > 0) filled.push(totals);
  }
  if (filled.length === 0) return noValues;
  const sums = Float64Array.from(filled, ({ sum }) => sum);
  const exact = filled.every(({ isExact }) => isExact) ? exactSum(sums) : undefined;
  return {
    count: filled.reduce((sum, { count }) => sum + count, 0),
    first: filled[0]!.first,
    last: filled.at(-1)!.last,
    min: filled.reduce((least, { min }) => Math.min(least, min), Number.POSITIVE_INFINITY),
    max: filled.reduce((most, { max }) => Math.max(most, max), Number.NEGATIVE_INFINITY),
    sum: exact ?? sums.reduce((a, b) => a + b),
    isExact: exact !== undefined,
  };
}

/** The sum of decimals, rounded once; undefined where it may be rounded more often. */
function exactSum(sums: Float64Array): number | undefined {
  const scaled = scaleToIntegers(sums, sums.length);
  if (scaled === undefined || scaled.exceptions.length > 0) return undefined;
  const largest = scaled.mantissas.reduce((most, mantissa) => Math.max(most, Math.abs(mantissa)), 0);
  if (largest * sums.length >= 2 ** 52) return undefined;
  return scaled.mantissas.reduce((a, b) => a + b) / powersOfTen[scaled.exponent]!;
}

const gapsFlag = 1;
const inexactFlag = 2;

/**
 * A list of totals, its length kept by whoever writes it:
 *
 *   byte            bit 0: some are not known; bit 1: some sums are not exact
 *   bitmap          only with bit 0: one bit each, set where they are known
 *   bitmap          only with bit 1: one bit for each known one, set where the sum is exact
 *   integer frames  count of each known one
 *   five runs of numbers (number-codec.ts): first, last, min, max and sum of each known one
 */
export function encodeTotals(out: ByteWriter, list: readonly (ColumnTotals | undefined)[]): void {
  const known = list.filter((totals) => totals !== undefined);
  const hasGaps = known.length < list.length;
  const isInexact = known.some(({ isExact }) => !isExact);
  out.byte((hasGaps ? gapsFlag : 0) | (isInexact ? inexactFlag : 0));
  if (hasGaps) out.append(bitmapOf(list, (totals) => totals !== undefined));
  if (isInexact) out.append(bitmapOf(known, ({ isExact }) => isExact));
  const run = (of: (totals: ColumnTotals) => number) => Float64Array.from(known, of);
  encodeIntegers(
    out,
    run(({ count }) => count),
    known.length,
  );
  if (known.length === 0) return;
  for (const field of ['first', 'last', 'min', 'max', 'sum'] as const) {
    encodeNumbers(
      out,
      run((totals) => totals[field]),
      known.length,
    );
  }
}

/** A list of totals in arrays, with a place for each; NaN in all of them where they are not known. */
export interface TotalsList {
  readonly count: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  /** A bit for each place: whether its sum is exact; undefined: all are. */
  readonly isExact: Presence;
}

export function decodeTotalsList(reader: ByteReader, length: number): TotalsList {
  const flags = reader.byte();
  const known = (flags & gapsFlag) === 0 ? undefined : reader.take((length + 7) >> 3);
  const knownCount = countPresent(known, length);
  const exact = (flags & inexactFlag) === 0 ? undefined : reader.take((knownCount + 7) >> 3);
  const counts = spread(decodeIntegers(reader, knownCount), known, length);
  const numbers = () =>
    spread(knownCount === 0 ? new Float64Array(0) : decodeNumbers(reader, knownCount), known, length);
  const [first, last, min, max, sum] = [numbers(), numbers(), numbers(), numbers(), numbers()];
  return { count: counts, first, last, min, max, sum, isExact: spreadBits(exact, known, length) };
}

export function totalsOfList({ count, first, last, min, max, sum, isExact }: TotalsList) {
  return Array.from(count, (values, i): ColumnTotals | undefined =>
    Number.isNaN(values)
      ? undefined
      : {
          count: values,
          first: first[i]!,
          last: last[i]!,
          min: min[i]!,
          max: max[i]!,
          sum: sum[i]!,
          isExact: isPresent(isExact, i),
        },
  );
}

/** The numbers of known places at these, NaN at the others. */
function spread(values: Float64Array, known: Presence, length: number): Float64Array {
  if (known === undefined) return values;
  let next = 0;
  return Float64Array.from({ length }, (_, i) => (isPresent(known, i) ? values[next++]! : Number.NaN));
}

function spreadBits(bits: Presence, known: Presence, length: number): Presence {
  if (bits === undefined || known === undefined) return bits;
  const spread = new Uint8Array((length + 7) >> 3);
  for (let i = 0, next = 0; i < length; i++)
    if (isPresent(known, i) && isPresent(bits, next++)) spread[i >> 3]! |= 1 << (i & 7);
  return spread;
}

function bitmapOf<T>(list: readonly T[], isSet: (item: T) => boolean): Uint8Array {
  const bitmap = new Uint8Array((list.length + 7) >> 3);
  list.forEach((item, i) => {
    if (isSet(item)) bitmap[i >> 3]! |= 1 << (i & 7);
  });
  return bitmap;
}

import { isPresent, Kind, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent, startsAbsentByte } from '../../../domain/presence.ts';
import type { GroupBytes, GroupColumn, GroupNumbers } from '../rows/row-group.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type ByteValues, decodeBytes, encodeBytes } from './bytes-codec.ts';
import type { ColumnTotals } from './column-totals.ts';
import { encodeStatistics } from './frame-statistics.ts';
import { frameSize } from './integer-frames.ts';
import { decodeNumbers, encodeNumbers } from './number-codec.ts';
import { decodePresence, encodePresence, type PresenceForm } from './presence-codec.ts';

/**
 * One column of a row group, as two blocks, one after the other:
 *
 *   values      presence (presence-codec.ts), then the present values only (number-codec.ts, bytes-codec.ts)
 *   statistics  frame-statistics.ts; only for numbers, from 128 present values on
 *
 * A column without any value is not stored.
 */
export interface ColumnSummary {
  readonly parameter: number;
  readonly kind: Kind;
  readonly presenceForm: number;
  /** Rows that have a value. */
  readonly present: number;
}

export interface EncodedColumn extends ColumnSummary {
  readonly presenceForm: PresenceForm;
  readonly valuesLength: number;
  /** 0 where there are none. */
  readonly statisticsLength: number;
  /** Of numbers, as far as their statistics tell. */
  readonly totals: ColumnTotals | undefined;
}

/** Fewer values are read faster than their statistics would be. */
export function hasStatistics(kind: Kind, present: number): boolean {
  return kind === Kind.Numeric && present >= frameSize;
}

/** Appends both blocks; undefined, and nothing is written, where no row has a value. */
export function encodeColumn(out: ByteWriter, column: GroupColumn, rows: number): EncodedColumn | undefined {
  const { parameter, kind } = column;
  const present = countPresent(column.present, rows);
  if (present === 0) return undefined;
  const start = out.length;
  const presenceForm = encodePresence(out, column.present, rows);
  if ('ends' in column) {
    encodeBytes(out, presentBytes(column, rows, present));
    const valuesLength = out.length - start;
    return { parameter, kind, presenceForm, present, valuesLength, statisticsLength: 0, totals: undefined };
  }
  const numbers = presentNumbers(column, rows, present);
  const scaled = encodeNumbers(out, numbers, present);
  const valuesLength = out.length - start;
  const totals = hasStatistics(kind, present) ? encodeStatistics(out, numbers, present, scaled) : undefined;
  return {
    parameter,
    kind,
    presenceForm,
    present,
    valuesLength,
    statisticsLength: out.length - start - valuesLength,
    totals,
  };
}

/** Reads the values block of a column of `rows` rows; numbers of all rows go to `into` where that is given. */
export function decodeValues(
  reader: ByteReader,
  summary: ColumnSummary,
  rows: number,
  into?: Float64Array,
): GroupColumn {
  const { parameter, kind } = summary;
  const present = decodePresence(reader, summary.presenceForm, rows);
  if (countPresent(present, rows) !== summary.present) throw new RangeError('presence does not add up');
  if (kind === Kind.Numeric) {
    const values = decodeNumbers(reader, summary.present, present === undefined ? into : undefined);
    return {
      parameter,
      kind,
      values: present === undefined ? values : spread(values, present, rows),
      present,
    };
  }
  const { bytes, ends } = decodeBytes(reader, summary.present);
  return {
    parameter,
    kind,
    bytes,
    ends: present === undefined ? ends : spreadEnds(ends, present, rows),
    present,
  };
}

function presentNumbers({ values, present }: GroupNumbers, rows: number, count: number): Float64Array {
  if (count === rows) return values;
  const dense = new Float64Array(count);
  for (let row = 0, i = 0; i < count; row++) {
    if (startsAbsentByte(present, row)) row += 7;
    else if (isPresent(present, row)) dense[i++] = values[row]!;
  }
  return dense;
}

function presentBytes({ bytes, ends, present }: GroupBytes, rows: number, count: number): ByteValues {
  if (count === rows) return { bytes: bytes.subarray(0, ends[rows - 1]!), ends: ends.subarray(0, rows) };
  const dense = new Uint32Array(count);
  const kept: Uint8Array[] = [];
  let total = 0;
  for (let row = 0, i = 0; i < count; row++) {
    if (startsAbsentByte(present, row)) {
      row += 7;
    } else if (isPresent(present, row)) {
      const start = row === 0 ? 0 : ends[row - 1]!;
      total += ends[row]! - start;
      dense[i++] = total;
      kept.push(bytes.subarray(start, ends[row]!));
    }
  }
  return {
    bytes: total === ends[rows - 1]! ? bytes.subarray(0, total) : Buffer.concat(kept, total),
    ends: dense,
  };
}

function spread(dense: Float64Array, present: Presence, rows: number): Float64Array {
  const values = new Float64Array(rows);
  for (let row = 0, i = 0; row < rows; row++) {
    if (startsAbsentByte(present, row)) row += 7;
    else if (isPresent(present, row)) values[row] = dense[i++]!;
  }
  return values;
}

function spreadEnds(dense: Uint32Array, present: Presence, rows: number): Uint32Array {
  const ends = new Uint32Array(rows);
  for (let row = 0, i = 0, end = 0; row < rows; row++) {
    if (isPresent(present, row)) end = dense[i++]!;
    ends[row] = end;
  }
  return ends;
}

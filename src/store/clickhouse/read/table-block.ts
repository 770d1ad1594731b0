import { type Column, Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import type { TagSet } from '../../../domain/tags.ts';
import type { RowBlock } from '../../store.ts';
import type { Slice } from './slice.ts';
import type { SliceTables, TableRows, TableValues, TableWindow } from './slice-tables.ts';

/** Some of a window's rows in the order in which they are wanted; those that are one row stand together. */
export interface OrderedRows {
  /** ns at which the window begins. */
  readonly base: bigint;
  readonly order: Uint32Array;
  /** How many they are when those that are one row count as one. */
  readonly count: number;
}

export function blockOf(
  { streams, tagSets }: Slice,
  tables: SliceTables,
  window: TableWindow,
  parameters: readonly ParameterKey[],
  { base, order, count }: OrderedRows,
): RowBlock {
  const { rows, identities, values } = tables;
  const isRun = window.tables === 1 && count === order.length && standsAsItIs(order);
  const firsts = count === order.length ? order : firstOfEach(rows, order, count);
  const identityOf = (row: number) => identities[rows.identities[firsts[row]!]!]!;
  const ofStreams = dictionary(count, streams, (row) => identityOf(row).stream);
  const ofTags = dictionary(count, tagSets, (row) => identityOf(row).tags);
  const columns = isRun
    ? runColumns(tables, order, parameters)
    : pickedValues(tables, order, count, parameters.length).map(
        (picked, i) => picked && pickedColumn(values, parameters[i]!, picked),
      );
  return {
    count,
    base,
    offsets: isRun ? rows.offsets.subarray(order[0]!, order[0]! + count) : offsetsOf(rows, firsts),
    streams: ofStreams.entries,
    streamIndex: ofStreams.index,
    tagSets: ofTags.entries,
    tagIndex: ofTags.index,
    columns,
  };
}

/** Whether two rows of tables are one row of the answer. */
export function isSameRow({ offsets, identities }: TableRows, a: number, b: number): boolean {
  return offsets[a] === offsets[b] && identities[a] === identities[b];
}

/** Bytes of the strings, binaries and events of a table's row. */
export function textBytesOf({ rows, firstRows, lastColumns, columns, values }: SliceTables, row: number) {
  const table = rows.tables[row]!;
  let bytes = 0;
  for (let column = lastColumns[table]!; column >= 0; column = columns.others[column]!) {
    bytes += textLength(values, columns.firstValues[column]! + row - firstRows[table]!);
  }
  return bytes;
}

function standsAsItIs(order: Uint32Array): boolean {
  const first = order[0]!;
  for (let i = 1; i < order.length; i++) if (order[i] !== first + i) return false;
  return true;
}

function firstOfEach(rows: TableRows, order: Uint32Array, count: number): Uint32Array {
  const firsts = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < order.length; i++) {
    if (i === 0 || !isSameRow(rows, order[i - 1]!, order[i]!)) firsts[found++] = order[i]!;
  }
  return firsts;
}

function offsetsOf(rows: TableRows, firsts: Uint32Array): Float64Array {
  const offsets = new Float64Array(firsts.length);
  for (let row = 0; row < offsets.length; row++) offsets[row] = rows.offsets[firsts[row]!]!;
  return offsets;
}

/** What rows have of a list, each entry once, and per row an index into those. */
function dictionary<Entry extends StreamKey | TagSet>(
  count: number,
  all: readonly Entry[],
  indexOf: (row: number) => number,
): { entries: readonly Entry[]; index: Uint32Array | undefined } {
  if (all.length === 1) return { entries: all, index: undefined };
  const places = new Map<number, number>();
  const index = new Uint32Array(count);
  let last = -1;
  let place = 0;
  for (let row = 0; row < count; row++) {
    const number = indexOf(row);
    if (number !== last) {
      last = number;
      place = places.get(number) ?? places.size;
      places.set(number, place);
    }
    index[row] = place;
  }
  const entries = Array.from(places.keys(), (number) => all[number]!);
  return { entries, index: entries.length === 1 ? undefined : index };
}

/** The columns of rows of one table that stand there as they are wanted; numbers are shared with the slice. */
function runColumns(
  { rows, firstRows, lastColumns, columns, values }: SliceTables,
  order: Uint32Array,
  parameters: readonly ParameterKey[],
): (Column | undefined)[] {
  const made: (Column | undefined)[] = parameters.map(() => undefined);
  const table = rows.tables[order[0]!]!;
  for (let column = lastColumns[table]!; column >= 0; column = columns.others[column]!) {
    const place = columns.parameters[column]!;
    const { kind, name } = parameters[place]!;
    const first = columns.firstValues[column]! + order[0]! - firstRows[table]!;
    if (kind === Kind.Numeric) {
      const numbers = values.numbers.subarray(first, first + order.length);
      made[place] = { kind, name, values: numbers, present: undefined };
    } else {
      const picked = Int32Array.from(order, (_, i) => first + i);
      made[place] = { kind, name, ...textsOf(values, picked), present: undefined };
    }
  }
  return made;
}

/** Per parameter and row of the answer the value; -1 where there is none. Undefined where no row has one. */
function pickedValues(
  { rows, firstRows, lastColumns, columns }: SliceTables,
  order: Uint32Array,
  count: number,
  width: number,
): (Int32Array | undefined)[] {
  const picked: (Int32Array | undefined)[] = new Array<undefined>(width).fill(undefined);
  let place = -1;
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!;
    if (i === 0 || !isSameRow(rows, order[i - 1]!, row)) place++;
    const table = rows.tables[row]!;
    const rowOfTable = row - firstRows[table]!;
    for (let column = lastColumns[table]!; column >= 0; column = columns.others[column]!) {
      const parameter = columns.parameters[column]!;
      const ofParameter = picked[parameter] ?? new Int32Array(count).fill(-1);
      picked[parameter] = ofParameter;
      ofParameter[place] = columns.firstValues[column]! + rowOfTable;
    }
  }
  return picked;
}

function pickedColumn(values: TableValues, { kind, name }: ParameterKey, picked: Int32Array): Column {
  const count = picked.length;
  const bits = new Uint8Array((count + 7) >> 3);
  let found = 0;
  for (let row = 0; row < count; row++) {
    if (picked[row]! < 0) continue;
    bits[row >> 3]! |= 1 << (row & 7);
    found++;
  }
  const present = found === count ? undefined : bits;
  if (kind !== Kind.Numeric) return { kind, name, ...textsOf(values, picked), present };
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) if (picked[row]! >= 0) numbers[row] = values.numbers[picked[row]!]!;
  return { kind, name, values: numbers, present };
}

function textsOf(values: TableValues, picked: Int32Array): { bytes: Uint8Array; ends: Uint32Array } {
  let length = 0;
  for (const value of picked) if (value >= 0) length += textLength(values, value);
  const bytes = new Uint8Array(length);
  const ends = new Uint32Array(picked.length);
  let filled = 0;
  for (let row = 0; row < picked.length; row++) {
    const value = picked[row]!;
    if (value >= 0) {
      const { bytes: source, ends: sourceEnds } = values.texts[values.chunks[value]!]!;
      const place = values.places[value]!;
      const start = place === 0 ? 0 : sourceEnds[place - 1]!;
      bytes.set(source.subarray(start, sourceEnds[place]!), filled);
      filled += sourceEnds[place]! - start;
    }
    ends[row] = filled;
  }
  return { bytes, ends };
}

function textLength({ texts, chunks, places }: TableValues, value: number): number {
  const { ends } = texts[chunks[value]!]!;
  const place = places[value]!;
  return ends[place]! - (place === 0 ? 0 : ends[place - 1]!);
}

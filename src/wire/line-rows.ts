import { type BytesColumn, type Column, Kind, type Presence, type Rows } from '../domain/parameter-data.ts';
import type { TagSet } from '../domain/tags.ts';
import { splitSpan } from './split-span.ts';

/** The value of a field: a number, or the UTF-8 of a string. */
export type FieldValue = number | Uint8Array;

export interface Field {
  readonly name: string;
  readonly value: FieldValue;
}

/** Rows of one stream as they come one by one, to columns in the end. */
export interface RowsBuilder {
  /** Of a field that stands twice the later value counts. */
  add(timestamp: bigint, tags: TagSet, fields: readonly Field[]): void;
  /** How many rows there are. */
  readonly count: number;
  /** How many parameters there would be with these fields; a name with numbers and strings is two. */
  parametersWith(fields: readonly Field[]): number;
  rows(): Rows[];
}

interface Growing<Value> {
  readonly name: string;
  /** The rows that have a value, ascending, and their values. */
  readonly at: number[];
  readonly values: Value[];
}

export function rowsBuilder(): RowsBuilder {
  const times: bigint[] = [];
  const tagSets: TagSet[] = [];
  const tagNumbers = new Map<TagSet, number>();
  const tagIndex: number[] = [];
  const numbers = new Map<string, Growing<number>>();
  const strings = new Map<string, Growing<Uint8Array>>();

  return {
    add(timestamp, tags, fields) {
      const row = times.push(timestamp) - 1;
      let set = tagNumbers.get(tags);
      if (set === undefined) {
        set = tagSets.push(tags) - 1;
        tagNumbers.set(tags, set);
      }
      tagIndex.push(set);
      for (const { name, value } of fields) {
        if (typeof value === 'number') put(numbers, name, row, value);
        else put(strings, name, row, value);
      }
    },
    get count() {
      return times.length;
    },
    parametersWith(fields) {
      const fresh = fields.filter(
        ({ name, value }) => !(typeof value === 'number' ? numbers : strings).has(name),
      );
      return numbers.size + strings.size + fresh.length;
    },
    rows() {
      const count = times.length;
      const columns: Column[] = [
        ...Array.from(numbers.values(), (growing) => numericColumn(growing, count)),
        ...Array.from(strings.values(), (growing) => stringColumn(growing, count)),
      ];
      const index = tagSets.length === 1 ? undefined : Uint32Array.from(tagIndex);
      const all = Uint32Array.from({ length: count }, (_, row) => row);
      return splitSpan(BigInt64Array.from(times), all, { columns, tagSets, tagIndex: index });
    },
  };
}

function put<Value>(columns: Map<string, Growing<Value>>, name: string, row: number, value: Value): void {
  let column = columns.get(name);
  if (column === undefined) {
    column = { name, at: [], values: [] };
    columns.set(name, column);
  }
  if (column.at.at(-1) === row) {
    column.values[column.values.length - 1] = value;
  } else {
    column.at.push(row);
    column.values.push(value);
  }
}

function numericColumn({ name, at, values }: Growing<number>, count: number): Column {
  const dense = new Float64Array(count);
  for (let i = 0; i < at.length; i++) dense[at[i]!] = values[i]!;
  return { kind: Kind.Numeric, name, values: dense, present: presenceOf(at, count) };
}

function stringColumn({ name, at, values }: Growing<Uint8Array>, count: number): BytesColumn {
  const ends = new Uint32Array(count);
  let end = 0;
  for (let row = 0, i = 0; row < count; row++) {
    if (at[i] === row) end += values[i++]!.length;
    ends[row] = end;
  }
  return { kind: Kind.String, name, bytes: Buffer.concat(values, end), ends, present: presenceOf(at, count) };
}

function presenceOf(at: readonly number[], count: number): Presence {
  if (at.length === count) return undefined;
  const present = new Uint8Array((count + 7) >> 3);
  for (const row of at) present[row >> 3]! |= 1 << (row & 7);
  return present;
}

import {
  type BytesColumn,
  type Column,
  Kind,
  type Presence,
  type Rows,
} from '../../domain/parameter-data.ts';
import type { TagSet } from '../../domain/tags.ts';
import { spanLimit } from '../../domain/timestamp.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import { allRows } from '../rows/assemble-rows.ts';
import { splitSteps } from '../rows/split-span.ts';

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
  count(): number;
  /** How many parameters there would be with these fields; a name with numbers and strings is two. */
  parametersWith(fields: readonly Field[]): number;
  rows(): Rows[];
  /** Makes the rows in steps. */
  rowSteps(): Steps<Rows[]>;
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
  const rowSteps = () => stepsOf({ times, tagSets, tagIndex, numbers, strings });

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
    count: () => times.length,
    parametersWith(fields) {
      const fresh = fields.filter(
        ({ name, value }) => !(typeof value === 'number' ? numbers : strings).has(name),
      );
      return numbers.size + strings.size + fresh.length;
    },
    rows: () => whole(rowSteps()),
    rowSteps,
  };
}

/** What was added. */
interface Grown {
  readonly times: readonly bigint[];
  readonly tagSets: readonly TagSet[];
  readonly tagIndex: readonly number[];
  readonly numbers: ReadonlyMap<string, Growing<number>>;
  readonly strings: ReadonlyMap<string, Growing<Uint8Array>>;
}

/** No function of each builder: the engine would hold the rows until a full collection of garbage (aggregator.ts). */
function* stepsOf({ times, tagSets, tagIndex, numbers, strings }: Grown): Steps<Rows[]> {
  const count = times.length;
  const columns: Column[] = [];
  for (const growing of numbers.values()) {
    if (count >= rowsOfStep) yield;
    columns.push(numericColumn(growing, count));
  }
  for (const growing of strings.values()) columns.push(yield* stringColumn(growing, count));
  const index = tagSets.length === 1 ? undefined : Uint32Array.from(tagIndex);
  const values = { columns, tagSets, tagIndex: index };
  const { min, max } = yield* extentOf(times);
  if (max - min >= span) return yield* splitSteps(BigInt64Array.from(times), allRows(count), values);
  const offsets = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (row > 0 && row % rowsOfStep === 0) yield;
    offsets[row] = Number(times[row]! - min);
  }
  return [{ count, base: min, offsets, ...values }];
}

const span = BigInt(spanLimit);

/** Large integers are slow: a step of so many takes about a millisecond. */
const rowsOfStep = 8192;

function* extentOf(times: readonly bigint[]): Steps<{ min: bigint; max: bigint }> {
  let min = times[0] ?? 0n;
  let max = min;
  for (let row = 1; row < times.length; row++) {
    if (row % rowsOfStep === 0) yield;
    const time = times[row]!;
    if (time < min) min = time;
    else if (time > max) max = time;
  }
  return { min, max };
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

function* stringColumn({ name, at, values }: Growing<Uint8Array>, count: number): Steps<BytesColumn> {
  const ends = new Uint32Array(count);
  let end = 0;
  for (let row = 0, i = 0; row < count; row++) {
    if (at[i] === row) end += values[i++]!.length;
    ends[row] = end;
  }
  const bytes = new Uint8Array(end);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % rowsOfStep === 0) yield;
    bytes.set(values[i]!, ends[at[i]!]! - values[i]!.length);
  }
  return { kind: Kind.String, name, bytes, ends, present: presenceOf(at, count) };
}

function presenceOf(at: readonly number[], count: number): Presence {
  if (at.length === count) return undefined;
  const present = new Uint8Array((count + 7) >> 3);
  for (const row of at) present[row >> 3]! |= 1 << (row & 7);
  return present;
}

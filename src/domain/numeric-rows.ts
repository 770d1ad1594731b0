import { type Column, Kind, type Rows } from './parameter-data.ts';
import type { TagSet } from './tags.ts';

/**
 * Rows of numbers with a value in each row and column. The columns stand one after the other in one array that many rows may
 * share: who copies them need not make arrays of each. Copies with `...` lack the columns, which are made when they are asked for.
 */
export class NumericRows implements Rows {
  readonly count: number;
  readonly base: bigint;
  readonly offsets: Float64Array;
  readonly tagSets: readonly TagSet[];
  readonly tagIndex: Uint32Array | undefined;
  /** Of the columns; often the same array in many rows. */
  readonly names: readonly string[];
  /** Value i of column c is at `from + c * count + i`. */
  readonly values: Float64Array;
  readonly from: number;
  #columns: readonly Column[] | undefined;

  constructor(rows: Omit<Rows, 'columns'>, names: readonly string[], values: Float64Array, from: number) {
    this.count = rows.count;
    this.base = rows.base;
    this.offsets = rows.offsets;
    this.tagSets = rows.tagSets;
    this.tagIndex = rows.tagIndex;
    this.names = names;
    this.values = values;
    this.from = from;
    this.#columns = undefined;
  }

  get columns(): readonly Column[] {
    this.#columns ??= this.names.map((name, column) => {
      const start = this.from + column * this.count;
      const values = this.values.subarray(start, start + this.count);
      return { kind: Kind.Numeric, name, values, present: undefined };
    });
    return this.#columns;
  }
}

/** How many columns rows have, without making them. */
export function columnCount(rows: Rows): number {
  return rows instanceof NumericRows ? rows.names.length : rows.columns.length;
}

/** The names of the columns, without making them. */
export function columnNames(rows: Rows): readonly string[] {
  return rows instanceof NumericRows ? rows.names : rows.columns.map(({ name }) => name);
}

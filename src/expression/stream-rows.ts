import type { NumberColumn } from './column.ts';
import type { Keys, RowTag, SavedStates } from './keyed-states.ts';

/** Rows of one stream, in order of time, then tag set: the union over the parameters of the expression. */
export interface StreamRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  readonly offsets: Float64Array;
  /** Rows before this one are there for those that look back. */
  readonly firstWanted: number;
  /** Of a parameter of the expression, by index; undefined where no row has a value. */
  column(parameter: number): NumberColumn | undefined;
  tag(name: string): RowTag;
}

/** A step of an expression: the values of rows that follow those given before; undefined where no row has one. */
export type Compute = (rows: StreamRows) => NumberColumn | undefined;

/** Says which rows go on from each other. */
export type KeysOf = (rows: StreamRows) => Keys;

/** What remembers something of a stream. */
export interface Part {
  clear(): void;
  moveOrigin(by: number): void;
  /** About how many numbers `save` gives. */
  size(): number;
  save(): SavedStates;
  /** False where what was saved is of another part. */
  restore(saved: SavedStates): boolean;
}

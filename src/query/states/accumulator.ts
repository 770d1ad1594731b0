import type { ColumnValues, RowTimes } from '../runs/rows-to-aggregate.ts';
import type { Runs } from '../runs/runs.ts';

/**
 * The state of one or several aggregations of one column, by slot, to which rows are added. Each accumulator has a file
 * of its own and is a plain loop over runs; the loop calls nothing per row that the engine cannot inline.
 */
export interface Accumulator<Column extends ColumnValues = ColumnValues> {
  /** Makes room for the slots below `slots`; they are empty. */
  reserve(slots: number): void;
  /** Adds the rows of a column to the slots of their runs. */
  add(column: Column, runs: Runs): void;
}

/** The same for a state that depends on the times of rows. */
export interface TimedAccumulator<Column extends ColumnValues> {
  reserve(slots: number): void;
  add(column: Column, runs: Runs, times: RowTimes): void;
}

/** A state that can be joined to another one of its kind, which may have come from another thread. */
export interface Joinable<Given> {
  /** The state as plain data. Nothing can be added to it any more. There may be more places than slots. */
  give(): Given;
  /**
   * Adds what was given as if its rows came after all that are here. What was empty before is then, bit for bit, what was
   * given. `slots` has the slot here of each slot there; there is room for these.
   */
  join(given: Given, slots: Uint32Array): void;
}

/** A finished column of numbers. */
export interface NumberResults {
  /** Whether the slot has a value; otherwise it is null. */
  has(slot: number): boolean;
  valueOf(slot: number): number;
}

/** A finished column of strings, binaries or events. */
export interface ByteResults {
  /** Undefined for null. */
  bytesOf(slot: number): Uint8Array | undefined;
}

/**
 * How many slots to make room for: at first a few, later twice as many as before, or what is needed. Arrays of 64 bytes
 * cost the engine no more than an object, larger ones memory that it has to keep account of.
 */
export function roomFor(slots: number, length: number): number {
  return Math.max(slots, 2 * length, 8);
}

import type { ColumnValues, RowTimes } from './rows-to-aggregate.ts';
import type { Runs } from './runs.ts';

/**
 * What is kept of one column while rows go by, by slot: the state behind one or several aggregations. Each is a
 * plain loop over runs in a file of its own; a loop calls nothing per row that the engine can't inline.
 */
export interface Accumulator<Column extends ColumnValues = ColumnValues> {
  /** Makes room for the slots below `slots`; they are empty. */
  reserve(slots: number): void;
  /** Adds the rows of a column to the slots of their runs. */
  add(column: Column, runs: Runs): void;
}

/** The same where it matters when rows are. */
export interface TimedAccumulator<Column extends ColumnValues> {
  reserve(slots: number): void;
  add(column: Column, runs: Runs, times: RowTimes): void;
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

/** Room to begin with, and to grow to: at least twice what was there. */
export function roomFor(slots: number, length: number): number {
  return Math.max(slots, 2 * length, 16);
}

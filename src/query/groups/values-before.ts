import type { GroupValues } from './group-table.ts';

/** A value of an answer; undefined for null. */
export type ValueBefore = number | Uint8Array | undefined;

/** What each group had before the range of a plan, for `lookBack`. */
export interface ValuesBefore {
  readonly groups: readonly GroupValues[];
  /** Aligned with the plan's columns; each has a value for each group. */
  readonly columns: readonly (readonly ValueBefore[])[];
}

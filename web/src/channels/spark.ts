/** A channel over all of the run, as it fits into a row of a list. */
export interface Spark {
  /** Of each bucket, NaN where it has no number. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** The last value of all. */
  readonly last: number | undefined;
}

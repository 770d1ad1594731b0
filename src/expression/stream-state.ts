/** What a function remembers of the rows before, of one stream and one value of the tags of `over`. */
export interface StreamState {
  /**
   * Takes the values of rows and writes the function's, with a bit for each row that has one; gives how many have. Times
   * ascend or stay, from call to call too. Throws `query_too_large` where it would have to remember too much.
   */
  nextAll(rows: RowsAlong, out: Float64Array, present: Uint8Array): number;
  /** Moves the origin of times forward by so many nanoseconds: doubles hold those near it exactly. */
  moveOrigin(by: number): void;
  /** How many numbers `save` gives; what a state remembers beyond those of its beginning comes in pairs. */
  size(): number;
  /** All that it remembers, as numbers: restored, it goes on bit for bit as if there had been no pause. */
  save(): readonly number[];
  /** Takes the place of what it remembers; of the same function. */
  restore(saved: readonly number[]): void;
}

/** Rows [from, to), in order of time, each with a value. */
export interface RowsAlong {
  readonly from: number;
  readonly to: number;
  /** Nanoseconds since the Unix epoch, which `times` count from. */
  readonly base: bigint;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

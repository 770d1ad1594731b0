/** How far rows may be ahead of the clock: what is calculated along rows leaves others out. */
export interface AheadLimit {
  /** The last time (ns) that is allowed now. */
  last(): bigint;
  /** Told of how many rows of a package were left out, counted for each calculated parameter. */
  readonly onAhead: ((rows: number) => void) | undefined;
}

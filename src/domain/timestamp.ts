/**
 * Time in Pitwall is a signed 64-bit count of nanoseconds since the Unix epoch (a `bigint`).
 * A run of rows keeps one bigint `base` and a Float64 offset per row: exact below 2^53 ns (104 days),
 * so loops over rows never touch a bigint.
 */
export const minTimestamp = -(2n ** 63n);
export const maxTimestamp = 2n ** 63n - 1n;

/** Times in ns, both inclusive. */
export interface TimeRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** The end of the range of offsets, whole nanoseconds in [0, spanLimit): a double holds every integer in it. */
export const spanLimit = 2 ** 53;

export function isTimestamp(value: bigint): boolean {
  return value >= minTimestamp && value <= maxTimestamp;
}

/** The offset of `value` from `base` as a double; exact while the distance is below 2^53. */
export function offsetFrom(base: bigint, value: bigint): number {
  return Number(value - base);
}

/** Milliseconds since the Unix epoch as ISO 8601 UTC, as in `createdAt`. */
export function isoFromMillis(millis: number): string {
  return new Date(millis).toISOString();
}

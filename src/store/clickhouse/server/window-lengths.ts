// A level of `windows` says how long windows are and how the numbers of its rows are kept; it is part of the key, so that
// rows that merges join keep them alike.

/**
 * How long windows may be (ns): a level is an index into these, plus `lengthsOfForm` times its form. Each divides the next one, and from a second on each divides a day
 * or is days: buckets of whole hours do not cut windows that are no longer.
 */
export const windowLengths: readonly bigint[] = [
  1_000n,
  10_000n,
  100_000n,
  1_000_000n,
  10_000_000n,
  100_000_000n,
  1_000_000_000n,
  10_000_000_000n,
  60_000_000_000n,
  600_000_000_000n,
  3_600_000_000_000n,
  21_600_000_000_000n,
  86_400_000_000_000n,
  864_000_000_000_000n,
];

/**
 * Form 0 has doubles, in `numbers`. Form 1 + d has decimals of d digits behind the point, in `scaled`: each number is the
 * double that is closest to its integer divided by 10^d, which is the number itself to the bit.
 */
export const lengthsOfForm = 32;
export const mostDigits = 6;

/** When the window of a level with a time would begin, if there were time before all times. */
export function windowStart(time: bigint, level: number): bigint {
  const length = windowLengths[level % lengthsOfForm]!;
  return time - (((time % length) + length) % length);
}

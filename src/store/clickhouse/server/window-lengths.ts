/**
 * How long windows may be (ns): a level is an index into these. Each divides the next one, and from a second on each divides a day
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

import type { TimeBuckets } from '../../domain/query.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';

/**
 * Buckets of time are aligned to the Unix epoch: the one of time t has the number floor(t / width) and begins at
 * number * width. Inside a query they are counted from the first one that it may touch, so that the numbers are
 * whole doubles below 2^53.
 */

/** Rows of buckets in one answer, at most: contract, section 9. */
export const maxBuckets = 1_000_000;
const maxNumber = 2n ** 53n;

/** The number of the bucket that holds a time, both in ns. */
export function bucketOf(time: bigint, width: bigint): bigint {
  const quotient = time / width;
  return time < 0n && quotient * width !== time ? quotient - 1n : quotient;
}

/**
 * Returns the time (ns) at which a bucket begins. The very first one may begin before the first time there is: there it
 * is cut.
 */
export function bucketStart(bucket: bigint, width: bigint): bigint {
  const start = bucket * width;
  return start < minTimestamp ? minTimestamp : start;
}

/**
 * Refuses a range (ns, both inclusive) with too many buckets. Where each bucket is a row of the answer, the limit is that
 * of the answer; otherwise it is what doubles can tell apart. Throws `too_many_buckets`.
 */
export function checkBuckets({ width, interpolation, field }: TimeBuckets, from: bigint, to: bigint): void {
  const count = bucketOf(to, width) - bucketOf(from, width) + 1n;
  if (interpolation !== 'None' && count > maxBuckets) {
    throw refusal(
      `the range has ${count} buckets of ${width} ns, and an answer may have ${maxBuckets}`,
      `buckets of ${narrowest(from, to, BigInt(maxBuckets))} ns or more`,
      field,
    );
  }
  if (count >= maxNumber) {
    throw refusal(
      `the range has ${count} buckets of ${width} ns, and only fewer than ${maxNumber} can be told apart`,
      `buckets of ${narrowest(from, to, maxNumber)} ns or more`,
      field,
    );
  }
}

/** Makes the error for an answer that turns out to have too many rows: every group has buckets of its own. */
export function tooManyRows(field?: string): PitwallError {
  const what = `the answer would have more than ${maxBuckets} buckets`;
  return refusal(what, 'wider buckets, or fewer groups', field);
}

/** The minimum width for which a range has no more than `max` buckets, wherever it begins. */
function narrowest(from: bigint, to: bigint, max: bigint): bigint {
  return (to - from) / (max - 1n) + 1n;
}

function refusal(what: string, instead: string, field = 'groupByTime.timeBucketDuration'): PitwallError {
  return new PitwallError('too_many_buckets', {
    errors: [
      {
        path: field,
        message: `is too narrow: ${what}; ask for a shorter range, or for ${instead}`,
      },
    ],
  });
}

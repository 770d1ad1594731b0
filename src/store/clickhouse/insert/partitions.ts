import type { Rows } from '../../../domain/parameter-data.ts';
import { PitwallError } from '../../../errors.ts';

/**
 * The partitions of the table `windows` are spans of 30 days: number n is the time divided
 * by it, cut towards zero. An insert makes a part for each that its rows are in, which takes ClickHouse 2.5 ms, or 5 ms
 * where parts are synced, and as many files as one of a million rows: all 7118 of the time that 64 bits hold would take
 * longer than an attempt may, for every request that shares the insert.
 */
const spanNs = 2_592_000_000_000_000;

/** The most partitions of an insert: 82 years without a gap. */
export const maxPartitions = 1000;

/** Throws `invalid_value` where rows of one request are in too many partitions. */
export function checkPartitions(partitions: ReadonlySet<number>): void {
  if (partitions.size <= maxPartitions) return;
  const message = `has values in ${partitions.size} spans of 30 days, and may have them in ${maxPartitions}; send it in several requests`;
  throw new PitwallError('invalid_value', { errors: [{ path: '', message }] });
}

/** Adds the partitions that rows are in. */
export function addPartitions(found: Set<number>, { count, base, offsets }: Rows): void {
  if (count === 0) return;
  const first = Number(base / BigInt(spanNs));
  let largest = 0;
  for (let row = 0; row < count; row++) if (offsets[row]! > largest) largest = offsets[row]!;
  // Offsets at which the first partition ends, the next one, and so on until one holds the largest.
  const ends = [endOf(first, base)];
  while (largest >= ends.at(-1)!) ends.push(endOf(first + ends.length, base));
  if (ends.length === 1) {
    found.add(first);
    return;
  }
  const isIn = new Uint8Array(ends.length);
  for (let row = 0; row < count; row++) {
    let i = 0;
    while (offsets[row]! >= ends[i]!) i++;
    isIn[i] = 1;
  }
  for (const [i, is] of isIn.entries()) if (is === 1) found.add(first + i);
}

/** The first time after a partition, from `base` on. Below zero they hold their last time, not their first. */
function endOf(partition: number, base: bigint): number {
  const end =
    partition < 0 ? BigInt(partition) * BigInt(spanNs) + 1n : BigInt(partition + 1) * BigInt(spanNs);
  return Number(end - base);
}

import type { TimeRange } from '../state/view-text.ts';

/** A row in which a counting channel says another whole number than in the one before. */
export interface CountChange {
  readonly time: bigint;
  readonly count: number;
  /** When the row before it is; undefined of the first one. */
  readonly before: bigint | undefined;
}

/** What a channel counts in a run. */
export interface Counted {
  readonly changes: readonly CountChange[];
  /** A value that is not whole, where there is one: its fraction counts for nothing. */
  readonly fraction: number | undefined;
}

/** A row of the channel; of several of one time the largest value. */
export interface CountRow {
  readonly time: bigint;
  readonly value: number;
}

/** A while with rows. */
export interface CountBucket extends TimeRange {
  readonly low: number;
  readonly high: number;
  readonly rows: number;
}

/** Buckets in which the count changes or that differ from the one before; where they begin at the first row of all, the first one. */
export function changingBuckets(buckets: readonly CountBucket[], isFromFirst: boolean): CountBucket[] {
  return buckets.filter(({ low, high }, i) => {
    const before = buckets[i - 1];
    const isSame = before === undefined ? !isFromFirst : Math.floor(before.high) === Math.floor(low);
    return !isSame || Math.floor(low) !== Math.floor(high);
  });
}

/** Rows in which the whole number is another one than in the row before, the first row among them. */
export function changesOf(rows: readonly CountRow[]): CountChange[] {
  const changes: CountChange[] = [];
  let last: CountRow | undefined;
  for (const [i, row] of rows.entries()) {
    const next = rows[i + 1];
    // Rows of one time have different tags: the last of them counts, with the largest value.
    if (next?.time === row.time) continue;
    let value = row.value;
    for (let j = i - 1; rows[j]?.time === row.time; j--) value = Math.max(value, rows[j]!.value);
    if (last === undefined || Math.floor(last.value) !== Math.floor(value))
      changes.push({ time: row.time, count: Math.floor(value), before: last?.time });
    last = { time: row.time, value };
  }
  return changes;
}

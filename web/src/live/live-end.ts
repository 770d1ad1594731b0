import { serviceTimes } from '../state/service-clock.ts';

/**
 * Whether rows come now, as long as nothing may have come near the end (ms) before they are believed more than it; or whether
 * they were read of what was written before.
 */
export type Coming = number | 'past';

/** Where what is seen of live data ends. */
export interface LiveEnd {
  /** Takes rows that came. */
  take(times: readonly bigint[], coming: Coming): Taken;
  /** So much before the end (ns) is seen. */
  see(span: bigint): void;
  /** How many rows were left out, as they are ahead of the clock. */
  readonly ahead: number;
}

interface Taken {
  readonly isKept: (row: number) => boolean;
  /** The end where it is before all that was there. */
  readonly elsewhere: bigint | undefined;
}

/** Rows that are further ahead of the service's clock are left out, unless there are no others. */
const aheadMs = 60_000;
const firstSpan = 60_000_000_000n;

/** The last time (ns) at which a row can be by the service's clock. */
export function lastBelieved(): bigint {
  const { most } = serviceTimes();
  return BigInt((Number.isFinite(most) ? most : Date.now()) + aheadMs) * 1_000_000n;
}

/**
 * The end is the newest row. One row of a clock that is wrong must not hide all that follow: rows ahead of the clock give way
 * to others at once, and where rows come for a while and none of them is seen, the end is where they are.
 */
export function createLiveEnd(): LiveEnd {
  let end: bigint | undefined;
  let span = firstSpan;
  let ahead = 0;
  /** When something came that is seen, ms. */
  let nearAt = 0;

  return {
    take(times, coming) {
      const now = performance.now();
      const limit = lastBelieved();
      const mayMove = coming !== 'past' && now - nearAt >= coming;
      const isOnTime = times.some((time) => time <= limit);
      const isEndOnTime = end !== undefined && end <= limit;
      const isKept = (row: number): boolean =>
        times[row]! <= limit || !(isOnTime || (isEndOnTime && !mayMove));
      let newest: bigint | undefined;
      for (const [row, time] of times.entries())
        if (!isKept(row)) ahead++;
        else if (newest === undefined || time > newest) newest = time;
      if (newest === undefined) return { isKept, elsewhere: undefined };
      const isSeen = end === undefined || newest >= end - span;
      const givesWay = end !== undefined && !isEndOnTime && isOnTime;
      const elsewhere = givesWay || (!isSeen && mayMove) ? newest : undefined;
      if (elsewhere !== undefined || end === undefined || newest > end) end = newest;
      if (isSeen || elsewhere !== undefined) nearAt = now;
      return { isKept, elsewhere };
    },
    see(seen) {
      span = seen;
    },
    get ahead() {
      return ahead;
    },
  };
}

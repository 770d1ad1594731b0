import { serviceTimes } from '../state/service-clock.ts';

/** Where a stream that is followed ends. */
export interface LiveEnd {
  /** Takes the times of rows that come now; `span` nanoseconds before the end are seen. */
  take(times: readonly bigint[], span: bigint): Taken;
  /** Takes the times of rows that were written before. */
  read(times: readonly bigint[]): void;
  /** The last time that a read of these asks for; undefined for all. `isFirst`: nothing of them is there yet. */
  lastRead(isFirst: boolean): bigint | undefined;
  /** Whether the rows that came last were left out and are to be read after all, as no others come. Once. */
  givesWay(): boolean;
  /** How many rows were left out since it was ahead of the clock. */
  readonly ahead: number;
}

interface Taken {
  /** Rows after it are left out. */
  readonly last: bigint;
  /** They come before all that was there, which is to be let go of. */
  readonly isBack: boolean;
}

/** Rows that are further ahead of the service's clock may be those of a clock that is wrong. */
const aheadMs = 60_000;
/** Rows that are seen come again within this time, or twice the longest that they lately took. */
const usualMs = 5000;
/** A long pause is forgotten in some packages: it may have been an interruption. */
const pauseFading = 0.8;

/** The last time (ns) that rows can have by the clock of the service. */
function lastOnTime(): bigint {
  const { most } = serviceTimes();
  return BigInt((Number.isFinite(most) ? most : Date.now()) + aheadMs) * 1_000_000n;
}

/**
 * The end is the newest row, and must not stand where nobody writes: one row of a clock that is wrong would hide all that
 * follow. So a leap ahead of the clock is no end while other rows of the stream come, and those that are on time take its place;
 * where for a while all rows come before what is seen, they are the end. A run that is written faster than time goes makes no
 * leap, or has no other rows.
 */
export function createLiveEnd(onTime = lastOnTime, now = () => performance.now()): LiveEnd {
  let end: bigint | undefined;
  /** When rows came last that are seen. */
  let seenAt = now();
  let pauseMs = 0;
  let ahead = 0;
  let isLeftOut = false;
  let isLastLeftOut = false;

  const areRecent = (): boolean => now() - seenAt < Math.max(usualMs, 2 * pauseMs);
  const seen = (): void => {
    const time = now();
    pauseMs = Math.max(time - seenAt, pauseMs * pauseFading);
    seenAt = time;
    isLastLeftOut = false;
  };

  return {
    take(times, span) {
      const clock = onTime();
      const { last, near, far } = cut(times, end === undefined ? clock : later(clock, end + span), span);
      const isUnseen = near !== undefined && end !== undefined && near < end - span;
      const isBack = isUnseen && ((end! > clock && near <= clock) || !areRecent());
      if (near !== undefined && (isBack || end === undefined || near > end)) end = near;
      if (near !== undefined && (isBack || !isUnseen)) seen();
      if (isBack) isLeftOut = true;
      if (far.length === 0) return { last, isBack };
      if (end !== undefined && end <= clock && areRecent()) {
        ahead += far.length;
        isLeftOut = true;
        isLastLeftOut = near === undefined;
        return { last, isBack };
      }
      end = far.at(-1)!;
      seen();
      isLeftOut = false;
      ahead = 0;
      return { last: end, isBack };
    },

    read(times) {
      for (const time of times) if (end === undefined || time > end) end = time;
    },

    lastRead: (isFirst) => (isLeftOut ? (isFirst ? end : onTime()) : undefined),

    givesWay() {
      if (!isLastLeftOut || areRecent()) return false;
      isLastLeftOut = isLeftOut = false;
      ahead = 0;
      return true;
    },

    get ahead() {
      return ahead;
    },
  };
}

/** The last of the times that can be reached without a leap of more than `span`, and those beyond, ascending. */
function cut(times: readonly bigint[], reach: bigint, span: bigint) {
  let last = reach;
  let near: bigint | undefined;
  const far: bigint[] = [];
  for (const time of ascending(times)) {
    if (time > last) {
      far.push(time);
      continue;
    }
    near = time;
    last = later(last, time + span);
  }
  return { last, near, far };
}

function ascending(times: readonly bigint[]): readonly bigint[] {
  const isAscending = times.every((time, i) => i === 0 || time >= times[i - 1]!);
  return isAscending ? times : times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

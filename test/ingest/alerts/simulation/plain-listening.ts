import type { Listened } from './plain-alerts.ts';

/** When the service could take rows, in the plainest way: what may have counted as silence, and what surely has. */
export interface ListeningTimes extends Listened {
  /** It was away, or its process was paused: nothing counts. */
  away(from: number, to: number): void;
  /** What was before counts as far as the service knows of it. */
  started(now: number): void;
  ticked(now: number): void;
}

type Span = readonly [from: number, to: number];

export function listeningTimes(start: number): ListeningTimes {
  const lost: Span[] = [];
  /** Between ticks of this start that were no further apart than a second and a half. */
  let sure: Span[] = [];
  let last = start;
  let patience = { from: start, ms: 60_000 };
  const overlap = (spans: readonly Span[], since: number): number =>
    spans.reduce((sum, [from, to]) => sum + Math.max(0, to - Math.max(from, since)), 0);
  return {
    away: (from, to) => void lost.push([from, to]),
    started(now) {
      sure = [];
      last = now;
      patience = { from: now, ms: 60_000 };
    },
    ticked(now) {
      const isLate = now - last > 1500;
      if (!isLate) sure.push([last, now]);
      // Two pauses without a tick in time between them are one.
      else if (patience.from === last) patience = { from: now, ms: patience.ms + now - last };
      else patience = { from: now, ms: now - last };
      last = now;
    },
    most: (since) => last - since - overlap(lost, since),
    isSure: (since, ms) =>
      overlap(sure, since) >= ms && last - patience.from >= Math.min(ms, patience.ms, 60_000),
  };
}

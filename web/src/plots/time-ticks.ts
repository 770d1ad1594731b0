import { roundTimes } from '../lines/round-times.ts';
import { tickTexts } from '../lines/time-text.ts';
import { secondsFrom, timeAt } from '../lines/traces.ts';
import { zoneName } from '../lines/zone.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Ticks } from './ticks.ts';

/** Pixels from one tick to the next, at least. */
const tickPixels = 110;

/** Ticks at round times of the clock, whatever the origin is. */
export function timeTicks(range: TimeRange, origin: bigint): Ticks {
  // Over months, seconds do not tell the nanosecond any more: a day would end a nanosecond early.
  const exact = new Map<number, bigint>();
  // An hour may come twice: the axis says by which clock it goes.
  const names = new Set([range.from, range.to].map((time) => zoneName(Number(time / 1_000_000n))));
  return {
    label: [...names].join(' → '),
    splits: (width) =>
      roundTimes(range, Math.max(2, Math.floor(width / tickPixels))).map((time) => {
        const split = secondsFrom(origin, time);
        exact.set(split, time);
        return split;
      }),
    texts: (splits) => {
      const times = splits.map((split) => exact.get(split) ?? timeAt(origin, split));
      const step = times.length > 1 ? times[1]! - times[0]! : 1_000_000_000n;
      return tickTexts(times, step);
    },
  };
}

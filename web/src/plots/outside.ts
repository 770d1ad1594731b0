import { limitsOf } from '../channels/limits.ts';
import { isOutside, type Limits } from '../lines/limits.ts';
import type { Line } from '../lines/points.ts';
import { type Trace, type TraceLoad, timeAt } from '../lines/traces.ts';
import { cursorTime, moveCursor } from './cursor.ts';
import { seenRange } from './range.ts';

/** Points at which a line leaves its limits, or begins outside of them. */
export function leavings({ low, high, gaps }: Line, limits: Limits): number[] {
  const found: number[] = [];
  let isOut = false;
  for (let i = 0; i < low.length; i++) {
    const wasOut = isOut && gaps[i] === 0;
    isOut = isOutside(limits, low[i]!, high[i]!);
    if (isOut && !wasOut) found.push(i);
  }
  return found;
}

/** Of what is plotted and seen, in order of time: where channels, or one of them, leave their limits. */
function leavingTimes({ traces, origin }: TraceLoad, parameter: string | undefined): bigint[] {
  const seen = seenRange.peek();
  const timeOf = ({ points }: Trace, point: number) => {
    const { from, to } = points.span(point);
    return from === to ? from : timeAt(origin, points.x[point]!);
  };
  const times = traces.flatMap((trace) => {
    const limits = limitsOf(trace.parameter);
    if (limits === undefined || (parameter !== undefined && trace.parameter !== parameter)) return [];
    return leavings(trace.points, limits).map((point) => timeOf(trace, point));
  });
  return times
    .filter((time) => seen !== undefined && time >= seen.from && time <= seen.to)
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Moves the cursor to the next place where a channel, or any, leaves its limits; behind the last one, to the first. */
export function goOutside(load: TraceLoad | undefined, direction: 1 | -1, parameter?: string): void {
  if (load === undefined) return;
  const times = leavingTimes(load, parameter);
  const now = cursorTime.peek();
  const next =
    direction === 1
      ? (times.find((time) => now === undefined || time > now) ?? times[0])
      : (times.findLast((time) => now === undefined || time < now) ?? times.at(-1));
  if (next !== undefined) moveCursor(next);
}

import { limitsOf } from '../channels/limits.ts';
import { isOutside, type Limits } from '../lines/limits.ts';
import type { Line } from '../lines/points.ts';
import { reader } from '../lines/reader.ts';
import { type Trace, type TraceLoad, timeAt } from '../lines/traces.ts';
import type { TimeRange } from '../state/view-text.ts';
import { cursorTime, moveCursor } from './cursor.ts';
import { firstOutside } from './outside-row.ts';
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

/** A point at which a channel leaves its limits. */
interface Leaving {
  readonly trace: Trace;
  readonly limits: Limits;
  /** When its rows are. */
  readonly span: TimeRange;
  /** Where it is drawn. */
  readonly time: bigint;
}

/** Of what is plotted and seen, in order of time: where channels, or one of them, leave their limits. */
function leavingsOf({ traces, origin }: TraceLoad, parameter: string | undefined): Leaving[] {
  const seen = seenRange.peek();
  const found = traces.flatMap((trace) => {
    const limits = limitsOf(trace.parameter);
    if (limits === undefined || (parameter !== undefined && trace.parameter !== parameter)) return [];
    return leavings(trace.points, limits).map((point): Leaving => {
      const span = trace.points.span(point);
      const time = span.from === span.to ? span.from : timeAt(origin, trace.points.x[point]!);
      return { trace, limits, span, time };
    });
  });
  return found
    .filter(({ time }) => seen !== undefined && time >= seen.from && time <= seen.to)
    .sort((a, b) => (a.time < b.time ? -1 : 1));
}

/**
 * Moves the cursor to the next place where a channel, or any, leaves its limits; behind the last one, to the first. Where the
 * place has many rows, it goes on to the first one that is outside.
 */
export async function goOutside(
  load: TraceLoad | undefined,
  direction: 1 | -1,
  parameter?: string,
): Promise<void> {
  if (load === undefined) return;
  const all = leavingsOf(load, parameter);
  const now = cursorTime.peek();
  const next =
    direction === 1
      ? (all.find(({ span }) => now === undefined || span.from > now) ?? all[0])
      : (all.findLast(({ span }) => now === undefined || span.to < now) ?? all.at(-1));
  if (next === undefined) return;
  moveCursor(next.time);
  const service = reader.peek();
  const { trace, limits, span } = next;
  if (service === undefined || span.from === span.to) return;
  const { topic, streamId } = trace.stream;
  const rows = { topic, streamIds: [streamId] };
  // Where it cannot be read, the place stays that of the pixel.
  const row = await firstOutside(service, { rows, range: span }, trace.parameter, limits).catch(
    () => undefined,
  );
  if (row !== undefined && cursorTime.peek() === next.time) moveCursor(row);
}

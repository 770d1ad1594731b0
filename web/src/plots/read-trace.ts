import { computed } from '@preact/signals';
import { roundedReading } from '../lines/conversions.ts';
import { type ExactRow, exactReading } from '../lines/exact-row.ts';
import { type AskedRow, askedRow, exactRows, rowKey } from '../lines/exact-rows.ts';
import { type Reading, readingAt } from '../lines/reading.ts';
import { stateAt } from '../lines/states.ts';
import { secondsFrom, type Trace } from '../lines/traces.ts';
import { withNames } from '../lines/value-names.ts';
import { chosenCursors, isLive, mode } from '../state/view.ts';
import { traceAway } from './away.ts';
import { restedCursor } from './cursor.ts';
import { drawn, isBehind } from './drawn.ts';
import { isStrip } from './plot-parts.ts';
import { timeReach } from './reach.ts';

/** While a hand zooms what was asked for last stays: each frame would ask for other rows, and cancel those of the one before. */
let askedLast: readonly AskedRow[] = [];

/** Where a pixel has several rows at the cursor, or at A or B, the one that holds there is read. */
const asked = computed<readonly AskedRow[]>(() => {
  if (!isBehind.value) askedLast = rowsOfNow();
  return askedLast;
});
const rows = exactRows(asked);

function rowsOfNow(): readonly AskedRow[] {
  const load = drawn.value;
  if (load === undefined || isLive.value || mode.value !== 'time') return [];
  const { a, b } = chosenCursors.value;
  const times = new Set([restedCursor.value, a, b]);
  return [...times].flatMap((at) =>
    at === undefined
      ? []
      : load.traces.flatMap((seen) => {
          const { trace, origin } = traceAway(seen, at) ?? { trace: seen, origin: load.origin };
          const reading = nearTrace(trace, secondsFrom(origin, at), timeReach.value);
          return askedRow({ ...wishOf(trace, at), begin: load.range.from }, trace.points, reading) ?? [];
        }),
  );
}

/**
 * What a trace says at a time: a line its row there, or the last one before; a strip the state that holds. At A and B it is
 * read where they are, also where that is not seen.
 */
export function readTrace(seen: Trace, from: bigint, time: bigint): Reading | undefined {
  const { trace, origin, by } = traceAway(seen, time) ?? { trace: seen, origin: from, by: 0 };
  const found = rowOrPoint(trace, origin, time);
  const reading = found && { ...found, x: found.x + by };
  return reading && trace.texts === undefined ? withNames(trace.parameter, reading) : reading;
}

function rowOrPoint(trace: Trace, origin: bigint, time: bigint): Reading | undefined {
  const reading = nearTrace(trace, secondsFrom(origin, time), timeReach.value);
  if (reading?.near === undefined) return reading;
  const row =
    trace.live === undefined
      ? rows.rowOf(rowKey(wishOf(trace, time)))
      : liveRow(trace, origin, time, reading);
  if (row === undefined) return reading;
  const { near: _, ...band } = reading;
  return row === null ? band : exactReading(reading, row, secondsFrom(origin, row.time));
}

function nearTrace(trace: Trace, place: number, reach: number): Reading | undefined {
  if (isStrip(trace)) return stateAt(trace, place, reach);
  return roundedReading(trace.parameter, readingAt(trace.points, place, reach));
}

function wishOf({ stream, parameter, texts }: Trace, at: bigint) {
  const rows = { topic: stream.topic, streamIds: [stream.streamId] };
  return { rows, parameter, isText: texts !== undefined, at };
}

/** Rows of live data are there already. */
function liveRow({ live, texts }: Trace, origin: bigint, time: bigint, { near }: Reading): ExactRow | null {
  const { times, values } = live!.rows();
  const at = Number(time - origin);
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  const from = Number(near!.from - origin);
  const isHeld = low > 0 && times[low - 1]! >= from;
  const place = isHeld ? low - 1 : low;
  const value = values[place];
  if (value === undefined) return null;
  const text = texts?.[value];
  return {
    time: origin + BigInt(times[place]!),
    low: value,
    high: value,
    rows: 1,
    ...(text !== undefined && { text }),
  };
}

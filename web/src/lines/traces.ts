import type { Client } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loadPoints } from './point-load.ts';
import type { Points } from './points.ts';
import { loadTexts } from './text-load.ts';
import { allTime } from './time-text.ts';

/** A parameter of a stream over time. */
export interface Trace {
  readonly stream: StreamRef;
  readonly parameter: string;
  /** Drawn at seconds from the origin of the load. */
  readonly points: Points;
  /** Of a parameter that has text: what its values are places in. */
  readonly texts?: readonly string[];
  /** Of live data alone. */
  readonly live?: LiveRows;
}

/** The rows behind live points. */
export interface LiveRows {
  /** Undefined before the first one. */
  readonly newest: { readonly time: bigint; readonly value: number } | undefined;
  /** All that are kept, in order of time, ns since the origin of the load; good until more come. */
  rows(): { readonly times: Float64Array; readonly values: Float64Array };
}

/** What traces are of. */
export interface TraceNames {
  /** Parameters that have numbers. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

export interface TraceLoad {
  readonly range: TimeRange;
  /** Exact time of x = 0. */
  readonly origin: bigint;
  readonly traces: readonly Trace[];
}

/** Loads what plots of `width` pixels show of a range; `origin` is where x = 0. */
export async function loadTraces(
  client: Client,
  streams: readonly StreamRef[],
  { numbers, texts }: TraceNames,
  range: TimeRange,
  width: number,
  signal: AbortSignal,
  origin = range.from,
): Promise<TraceLoad> {
  const place = (time: bigint) => secondsFrom(origin, time);
  const loads = streams.map(async (stream): Promise<Trace[]> => {
    const rows = { topic: stream.topic, streamIds: [stream.streamId] };
    const wish = { rows, range, within: allTime, width, place };
    const [ofNumbers, ofTexts] = await Promise.all([
      loadPoints(client, { ...wish, parameters: numbers }, signal),
      loadTexts(client, { ...wish, parameters: texts }, signal),
    ]);
    return [
      ...numbers.map((parameter, i) => ({ stream, parameter, points: ofNumbers[i]! })),
      ...texts.map((parameter, i) => ({ stream, parameter, ...ofTexts[i]! })),
    ];
  });
  return { range, origin, traces: (await Promise.all(loads)).flat() };
}

export function secondsFrom(origin: bigint, time: bigint): number {
  return Number(time - origin) / 1e9;
}

/** The nearest nanosecond. */
export function timeAt(origin: bigint, seconds: number): bigint {
  return origin + BigInt(Math.round(seconds * 1e9));
}

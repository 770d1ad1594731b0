import type { Client } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loadPoints } from './point-load.ts';
import type { Points } from './points.ts';
import { allTime } from './time-text.ts';

/** A parameter of a stream over time. */
export interface Trace {
  readonly stream: StreamRef;
  readonly parameter: string;
  /** Drawn at seconds from the origin of the load. */
  readonly points: Points;
}

export interface TraceLoad {
  readonly range: TimeRange;
  /** Exact time of x = 0. */
  readonly origin: bigint;
  readonly traces: readonly Trace[];
}

/** Loads what plots of `width` pixels show of a range. */
export async function loadTraces(
  client: Client,
  streams: readonly StreamRef[],
  parameters: readonly string[],
  range: TimeRange,
  width: number,
  signal: AbortSignal,
): Promise<TraceLoad> {
  const origin = range.from;
  const place = (time: bigint) => secondsFrom(origin, time);
  const loads = streams.map(async (stream): Promise<Trace[]> => {
    const rows = { topic: stream.topic, streamIds: [stream.streamId] };
    const points = await loadPoints(
      client,
      { rows, parameters, range, within: allTime, width, place },
      signal,
    );
    return parameters.map((parameter, i) => ({ stream, parameter, points: points[i]! }));
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

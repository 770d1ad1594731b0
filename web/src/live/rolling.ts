import type { ParameterData } from '../../../src/client/models.ts';
import { gapsOf } from '../look/gaps.ts';
import { type Points, spanOf } from '../look/points.ts';
import type { Trace, TraceLoad } from '../look/traces.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { createLine, envelope, type Line } from './line.ts';

/** Rows of the last while, of several streams and parameters. */
export interface Rolling {
  /** Rows of one stream; those that are there already are put in the place of the old ones. */
  add(stream: StreamRef, data: Pick<ParameterData, 'timestamps' | 'numericValues'>): void;
  /** Time of the newest row of a stream; undefined before its first. */
  newestOf(stream: StreamRef): bigint | undefined;
  /** What plots of so many pixels show of the last `span` nanoseconds; what is older is let go of. */
  window(span: bigint, width: number): TraceLoad | undefined;
}

interface Channel {
  readonly stream: StreamRef;
  readonly parameter: string;
  readonly line: Line;
}

/** A line with more points per pixel is drawn as its smallest and largest values. */
const pointsPerPixel = 4;

export function rolling(streams: readonly StreamRef[], parameters: readonly string[]): Rolling {
  const channels: Channel[] = streams.flatMap((stream) =>
    parameters.map((parameter) => ({ stream, parameter, line: createLine() })),
  );
  /** Times are kept as numbers since the first one. */
  let base: bigint | undefined;
  const newest = (of: readonly Channel[]): number | undefined => {
    const times = of.flatMap(({ line }) => line.newest ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  };

  return {
    add(stream, data) {
      const [first] = data.timestamps;
      if (first === undefined) return;
      const origin = base ?? first;
      base = origin;
      const times = data.timestamps.map((time) => Number(time - origin));
      for (const channel of channels) {
        if (channel.stream !== stream) continue;
        // A package has not all parameters, and any object has a `constructor`.
        if (!Object.hasOwn(data.numericValues, channel.parameter)) continue;
        addColumn(channel.line, times, data.numericValues[channel.parameter]!);
      }
    },
    newestOf(stream) {
      const time = newest(channels.filter((channel) => channel.stream === stream));
      return time === undefined || base === undefined ? undefined : base + BigInt(time);
    },
    window(span, width) {
      const last = newest(channels);
      if (last === undefined || base === undefined) return undefined;
      const from = last - Number(span);
      const range = { from: base + BigInt(from), to: base + BigInt(last) };
      const bucket = Math.max(1, Math.ceil(Number(span) / width));
      const origin = base;
      const traces = channels.map(({ stream, parameter, line }): Trace => {
        line.trim(from);
        const isRaw = line.length <= width * pointsPerPixel;
        const points = isRaw ? rowPoints(line, origin) : bucketPoints(line, origin, bucket, range);
        return { stream, parameter, points };
      });
      // The origin stays, so that what is seen moves on along the axis.
      return { range, origin, traces };
    },
  };
}

function addColumn(line: Line, times: readonly number[], column: readonly (number | null)[]): void {
  let rows = column.flatMap((value, row) => (value === null ? [] : [row]));
  const isInOrder = rows.every((row, i) => i === 0 || times[rows[i - 1]!]! <= times[row]!);
  if (!isInOrder) rows = rows.sort((a, b) => times[a]! - times[b]!);
  line.add(
    rows.map((row) => times[row]!),
    rows.map((row) => column[row]!),
  );
}

function rowPoints(line: Line, base: bigint): Points {
  const { times, values } = line.points();
  // The line goes on to change its own.
  const own = times.slice();
  const low = values.slice();
  return {
    x: own.map((time) => time / 1e9),
    low,
    high: low,
    gaps: gapsOf(own),
    bucket: undefined,
    rows: () => 1,
    span: (point) => {
      const time = base + BigInt(own[point]!);
      return { from: time, to: time };
    },
  };
}

function bucketPoints(line: Line, base: bigint, bucket: number, range: TimeRange): Points {
  const points = line.points();
  const { starts, low, high, counts, gaps } = envelope(points, gapsOf(points.times), bucket);
  return {
    x: Float64Array.from(starts, (start) => (start + bucket / 2) / 1e9),
    low: Float64Array.from(low),
    high: Float64Array.from(high),
    gaps: Uint8Array.from(gaps),
    bucket: BigInt(bucket),
    rows: (point) => counts[point]!,
    span: (point) => spanOf(base + BigInt(starts[point]!), BigInt(bucket), range),
  };
}

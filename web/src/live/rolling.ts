import type { ParameterData } from '../../../src/client/models.ts';
import { gapsOf, widestSpacing } from '../lines/gaps.ts';
import { type Points, spanOf } from '../lines/points.ts';
import { createTexts, type Texts } from '../lines/texts.ts';
import type { LiveRows, Trace, TraceLoad, TraceNames } from '../lines/traces.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type Envelope, growingEnvelope } from './envelope.ts';
import { addColumn, createLine, type Line } from './line.ts';

/** Rows of some parameters, as they come. */
type Package = Pick<ParameterData, 'timestamps' | 'numericValues'> &
  Partial<Pick<ParameterData, 'stringValues'>>;

/** Rows of the last while, of several streams and parameters. */
export interface Rolling {
  /** Rows of one stream, until the last time that is to be seen; those that are there already are put in the place of the old ones. */
  add(stream: StreamRef, data: Package, last?: bigint): void;
  /** Lets go of all rows of a stream. */
  letGo(stream: StreamRef): void;
  /** Time of the newest row of a stream; undefined before its first. */
  newestOf(stream: StreamRef): bigint | undefined;
  /** What plots of so many pixels show of the last `span` nanoseconds; what is older is let go of. */
  window(span: bigint, width: number): TraceLoad | undefined;
}

interface Channel {
  readonly stream: StreamRef;
  readonly parameter: string;
  readonly line: Line;
  /** Its buckets. */
  readonly envelope: (bucket: number) => Envelope;
  /** The longest silence that is no gap. */
  readonly widest: () => number;
  /** What the values are places in, where it has text. */
  readonly texts?: Texts;
}

/** A line with more points per pixel is drawn as its smallest and largest values. */
const pointsPerPixel = 4;

export function rolling(streams: readonly StreamRef[], { numbers, texts }: TraceNames): Rolling {
  const channels = streams.flatMap((stream): Channel[] => [
    ...numbers.map((parameter) => ({ stream, parameter, ...createParts() })),
    ...texts.map((parameter) => ({ stream, parameter, ...createParts(), texts: createTexts() })),
  ]);
  /** Times are kept as numbers since the first one. */
  let base: bigint | undefined;
  const newest = (of: readonly Channel[]): number | undefined => {
    let last: number | undefined;
    for (const { line } of of) {
      const { newest } = line;
      if (newest !== undefined && !(last !== undefined && last >= newest)) last = newest;
    }
    return last;
  };

  return {
    add(stream, data, last) {
      const [first] = data.timestamps;
      if (first === undefined) return;
      const origin = base ?? first;
      base = origin;
      const times = data.timestamps.map((time) => Number(time - origin));
      const until = last === undefined ? undefined : Number(last - origin);
      for (const channel of channels) {
        if (channel.stream !== stream) continue;
        const column = columnOf(channel, data);
        if (column !== undefined) addColumn(channel.line, times, column, until);
      }
    },
    letGo(stream) {
      for (const channel of channels) if (channel.stream === stream) Object.assign(channel, createParts());
      // Times are exact near the first one only.
      if (newest(channels) === undefined) base = undefined;
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
      const traces = channels.map((channel): Trace => {
        const { stream, parameter, line, texts } = channel;
        line.trim(from, texts !== undefined);
        letGoOf(texts, line);
        // Of text there is no least and largest.
        const isRaw = texts !== undefined || line.length <= width * pointsPerPixel;
        const points = isRaw ? rowPoints(channel, origin) : bucketPoints(channel, origin, bucket, range);
        const live = liveRows(line, origin);
        return { stream, parameter, points, live, ...(texts && { texts: texts.list }) };
      });
      // The origin stays, so that what is seen moves on along the axis.
      return { range, origin, traces };
    },
  };
}

/** Texts that no row has any more are let go of when there are more than so many of them: to look for them takes time. */
const unusedTexts = 1000;

function letGoOf(texts: Texts | undefined, line: Line): void {
  if (texts !== undefined && texts.list.length > 2 * line.length + unusedTexts)
    texts.keep(line.points().values);
}

function createParts(): Pick<Channel, 'line' | 'envelope' | 'widest'> {
  const line = createLine();
  return { line, envelope: growingEnvelope(line), widest: widestOf(line) };
}

/** What is usual of many rows changes slowly: it is looked at anew once in so many times, or when there are so much more or less. */
const widestTimes = 16;
const manyRows = 2000;
const muchMore = 1.1;

function widestOf(line: Line): () => number {
  let widest = 0;
  let left = 0;
  let known = 0;
  return () => {
    const { length } = line;
    const isOther = length > known * muchMore || known > length * muchMore;
    if (left === 0 || length < manyRows || isOther) {
      widest = widestSpacing(line.points().times);
      left = widestTimes;
      known = length;
    }
    left--;
    return widest;
  };
}

/** A package has not all parameters, and any object has a `constructor`. */
function columnOf(
  { parameter, texts }: Channel,
  { numericValues, stringValues = {} }: Pick<Package, 'numericValues' | 'stringValues'>,
): readonly (number | null)[] | undefined {
  if (texts === undefined)
    return Object.hasOwn(numericValues, parameter) ? numericValues[parameter] : undefined;
  return Object.hasOwn(stringValues, parameter) ? texts.placesOf(stringValues[parameter]!) : undefined;
}

function liveRows(line: Line, base: bigint): LiveRows {
  const { times, values } = line.points();
  const last = times.length - 1;
  return {
    newest: last < 0 ? undefined : { time: base + BigInt(times[last]!), value: values[last]! },
    rows: () => line.points(),
  };
}

function rowPoints({ line, widest }: Channel, base: bigint): Points {
  const { times, values } = line.points();
  // The line goes on to change its own.
  const own = times.slice();
  const low = values.slice();
  return {
    x: own.map((time) => time / 1e9),
    low,
    high: low,
    gaps: gapsOf(own, widest()),
    bucket: undefined,
    rows: () => 1,
    span: (point) => {
      const time = base + BigInt(own[point]!);
      return { from: time, to: time };
    },
  };
}

function bucketPoints({ envelope, widest }: Channel, base: bigint, bucket: number, range: TimeRange): Points {
  const { starts, low, high, counts, before } = envelope(bucket);
  const longest = widest();
  return {
    x: starts.map((start) => (start + bucket / 2) / 1e9),
    low,
    high,
    gaps: Uint8Array.from(before, (silence) => (silence > longest ? 1 : 0)),
    bucket: BigInt(bucket),
    rows: (point) => counts[point]!,
    span: (point) => spanOf(base + BigInt(starts[point]!), BigInt(bucket), range),
  };
}

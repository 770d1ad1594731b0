import type { ParameterData } from '../../../src/client/models.ts';
import { widestSpacing } from '../lines/gaps.ts';
import { createTexts, type Texts } from '../lines/texts.ts';
import type { LiveRows, Trace, TraceLoad, TraceNames } from '../lines/traces.ts';
import type { StreamRef } from '../state/view-text.ts';
import { growingEnvelope } from './envelope.ts';
import { createLine, type Line } from './line.ts';
import { type Coming, createLiveEnd } from './live-end.ts';
import { bucketPoints, type LineParts, rowPoints } from './live-points.ts';

/** Rows of some parameters, as they come. */
type Package = Pick<ParameterData, 'timestamps' | 'numericValues'> &
  Partial<Pick<ParameterData, 'stringValues'>>;

/** Rows of the last while, of several streams and parameters. */
export interface Rolling {
  /**
   * Rows of one stream; those that are there already are put in the place of the old ones. Where all that was there was let
   * go of, because rows come before it now, it gives the time of the newest.
   */
  add(stream: StreamRef, data: Package, coming?: Coming): bigint | undefined;
  /** Time of the newest row of a stream; undefined before its first. */
  newestOf(stream: StreamRef): bigint | undefined;
  /** What plots of so many pixels show of the last `span` nanoseconds; what is older is let go of. */
  window(span: bigint, width: number): TraceLoad | undefined;
  /** How many rows were left out, as they are ahead of the clock. */
  readonly ahead: number;
}

interface Channel extends LineParts {
  readonly stream: StreamRef;
  readonly parameter: string;
  /** What the values are places in, where it has text. */
  readonly texts?: Texts;
}

/** A line with more points per pixel is drawn as its smallest and largest values. */
const pointsPerPixel = 4;

export function rolling(streams: readonly StreamRef[], { numbers, texts }: TraceNames): Rolling {
  const begin = () =>
    streams.flatMap((stream): Channel[] => [
      ...numbers.map((parameter) => ({ stream, parameter, ...createParts() })),
      ...texts.map((parameter) => ({ stream, parameter, ...createParts(), texts: createTexts() })),
    ]);
  let channels = begin();
  /** Times are kept as numbers since the first one. */
  let base: bigint | undefined;
  const end = createLiveEnd();
  const newest = (of: readonly Channel[]): number | undefined => {
    let last: number | undefined;
    for (const { line } of of) {
      const { newest } = line;
      if (newest !== undefined && !(last !== undefined && last >= newest)) last = newest;
    }
    return last;
  };

  return {
    add(stream, { timestamps, ...data }, coming = 'past') {
      const { isKept, elsewhere } = end.take(timestamps, coming);
      if (elsewhere !== undefined) [channels, base] = [begin(), undefined];
      const first = timestamps.find((_, row) => isKept(row));
      if (first === undefined) return undefined;
      const origin = base ?? first;
      base = origin;
      const times = timestamps.map((time) => Number(time - origin));
      for (const channel of channels) {
        if (channel.stream !== stream) continue;
        const column = columnOf(channel, data);
        if (column !== undefined)
          addColumn(
            channel.line,
            times,
            column.map((value, row) => (isKept(row) ? value : null)),
          );
      }
      return elsewhere;
    },
    newestOf(stream) {
      const time = newest(channels.filter((channel) => channel.stream === stream));
      return time === undefined || base === undefined ? undefined : base + BigInt(time);
    },
    window(span, width) {
      const last = newest(channels);
      end.see(span);
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
    get ahead() {
      return end.ahead;
    },
  };
}

/** Texts that no row has any more are let go of when there are more than so many of them: to look for them takes time. */
const unusedTexts = 1000;

function letGoOf(texts: Texts | undefined, line: Line): void {
  if (texts !== undefined && texts.list.length > 2 * line.length + unusedTexts)
    texts.keep(line.points().values);
}

function createParts(): LineParts {
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

function addColumn(line: Line, times: readonly number[], column: readonly (number | null)[]): void {
  if (isWhole(times, column)) {
    line.add(times, column);
    return;
  }
  const rows = column.flatMap((value, row) => (value === null ? [] : [row]));
  rows.sort((a, b) => times[a]! - times[b]!);
  line.add(
    rows.map((row) => times[row]!),
    rows.map((row) => column[row]!),
  );
}

/** Whether each row has a value, and they are in order of time. */
function isWhole(times: readonly number[], column: readonly (number | null)[]): column is readonly number[] {
  for (let row = 0; row < column.length; row++)
    if (column[row] === null || (row > 0 && times[row]! < times[row - 1]!)) return false;
  return true;
}

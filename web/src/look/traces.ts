import type { Client, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { floorDivide } from './time-text.ts';

/** One line of a plot: points in order of time, gaps as null. */
export interface Trace {
  readonly stream: StreamRef;
  readonly parameter: string;
  /** Seconds from the origin of the load; two points of a bucket have the same. */
  readonly x: Float64Array;
  readonly y: readonly (number | null)[];
  /** Whether the points are rows as they were written; else two a bucket, its smallest and its largest value. */
  readonly isRaw: boolean;
}

export interface TraceLoad {
  readonly range: TimeRange;
  /** Exact time of x = 0. */
  readonly origin: bigint;
  readonly traces: readonly Trace[];
}

/** So many rows of one parameter are drawn as they are. */
const rawRows = 4000;

/**
 * Loads what plots of `width` pixels show: of each parameter the smallest and the largest value per pixel, so that no
 * peak is lost, or the rows themselves where they are few. What is asked for is bounded by the width, not by the data.
 */
export async function loadTraces(
  client: Client,
  streams: readonly StreamRef[],
  parameters: readonly string[],
  range: TimeRange,
  width: number,
  signal: AbortSignal,
): Promise<TraceLoad> {
  const loads = streams.map((stream) => loadStream(client, stream, parameters, range, width, signal));
  return { range, origin: range.from, traces: (await Promise.all(loads)).flat() };
}

async function loadStream(
  client: Client,
  stream: StreamRef,
  parameters: readonly string[],
  range: TimeRange,
  width: number,
  signal: AbortSignal,
): Promise<Trace[]> {
  if (parameters.length === 0) return [];
  const place = { topic: stream.topic, streamIds: [stream.streamId], from: range.from, to: range.to };
  const first = await client.page(
    { ...place, numericParameters: parameters.map((parameterName) => ({ parameterName })), limit: rawRows },
    { signal },
  );
  if (first.nextCursor === undefined) return rawTraces(stream, parameters, first.data, range.from);
  const bucket = bucketFor(range, width);
  const data = await client.query(envelopeQuery(place, parameters, bucket), { signal });
  return envelopeTraces(stream, parameters, data, range.from, bucket);
}

/** The least width of a bucket with which a plot has no more buckets than pixels. */
export function bucketFor({ from, to }: TimeRange, width: number): bigint {
  const pixels = BigInt(Math.max(1, Math.floor(width)));
  return (to - from) / pixels + 1n;
}

function envelopeQuery(
  place: Pick<ParameterDataQuery, 'topic' | 'streamIds' | 'from' | 'to'>,
  parameters: readonly string[],
  bucket: bigint,
): ParameterDataQuery {
  return {
    ...place,
    numericParameters: parameters.flatMap((parameterName) => [
      { parameterName, aggregationType: 'Min' as const },
      { parameterName, aggregationType: 'Max' as const },
    ]),
    groupByTime: { timeBucketDuration: bucket },
  };
}

function rawTraces(
  stream: StreamRef,
  parameters: readonly string[],
  data: ParameterData,
  origin: bigint,
): Trace[] {
  const x = Float64Array.from(data.timestamps, (time) => Number(time - origin) / 1e9);
  return parameters.map((parameter) => {
    const y = data.numericValues[parameter] ?? [];
    const rows = y.flatMap((value, row) => (value === null ? [] : [row]));
    // Rows of other parameters only are no gaps of this one.
    const isWhole = rows.length === y.length;
    return {
      stream,
      parameter,
      x: isWhole ? x : Float64Array.from(rows, (row) => x[row]!),
      y: isWhole ? y : rows.map((row) => y[row]!),
      isRaw: true,
    };
  });
}

function envelopeTraces(
  stream: StreamRef,
  parameters: readonly string[],
  data: ParameterData,
  origin: bigint,
  bucket: bigint,
): Trace[] {
  const half = bucket / 2n;
  const middles = data.timestamps.map((time) => Number(time + half - origin) / 1e9);
  return parameters.map((parameter) => {
    const least = data.numericValues[`min(${parameter})`] ?? [];
    const most = data.numericValues[`max(${parameter})`] ?? [];
    const x: number[] = [];
    const y: (number | null)[] = [];
    for (const [row, middle] of middles.entries()) {
      const low = least[row] ?? null;
      if (low === null) continue;
      x.push(middle, middle);
      y.push(low, most[row] ?? null);
    }
    return { stream, parameter, x: Float64Array.from(x), y, isRaw: false };
  });
}

/** The start of the bucket that a time is in. */
export function bucketStart(time: bigint, bucket: bigint): bigint {
  return floorDivide(time, bucket) * bucket;
}

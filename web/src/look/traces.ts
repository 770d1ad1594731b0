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

/** Rows a nanosecond of what was asked for before, by stream: it tells which question is worth asking first. */
const densities = new Map<string, number>();

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
  const key = JSON.stringify([stream, parameters]);
  const span = Number(range.to - range.from);
  const isMany = (densities.get(key) ?? 0) * span > rawRows;
  const raw = async () => {
    const requested = parameters.map((parameterName) => ({ parameterName }));
    const page = await client.page({ ...place, numericParameters: requested, limit: rawRows }, { signal });
    const { timestamps } = page.data;
    const isWhole = page.nextCursor === undefined;
    const seen = isWhole ? span : Number(timestamps.at(-1)! - timestamps[0]!);
    densities.set(key, timestamps.length / Math.max(1, seen));
    return isWhole ? rawTraces(stream, parameters, page.data, range.from) : undefined;
  };
  const first = isMany ? undefined : await raw();
  if (first !== undefined) return first;
  const bucket = bucketFor(range, width);
  const data = await client.query(envelopeQuery(place, parameters, bucket), { signal });
  // Where the guess was wrong and the rows are few, they are shown after all.
  const rows = (data.numericValues[`count(${parameters[0]})`] ?? []).reduce<number>(
    (sum, n) => sum + (n ?? 0),
    0,
  );
  if (isMany && rows <= rawRows) {
    const few = await raw();
    if (few !== undefined) return few;
  } else if (isMany) densities.set(key, rows / Math.max(1, span));
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
    numericParameters: [
      ...parameters.flatMap((parameterName) => [
        { parameterName, aggregationType: 'Min' as const },
        { parameterName, aggregationType: 'Max' as const },
      ]),
      { parameterName: parameters[0]!, aggregationType: 'Count' as const },
    ],
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

import type { Client, TagFilter } from '../../../src/client/client.ts';
import { bucketFor, type Selection } from '../look/point-load.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type Course, clockCourse, parameterCourse } from './course.ts';

/** What is laid over others: a stream, or the rows of it where a tag has a value. */
export interface Lap {
  readonly stream: StreamRef;
  /** Empty where whole streams are laid over each other. */
  readonly value: string;
  /** Its place among all that were asked for: those without rows have theirs, too. */
  readonly index: number;
  readonly rows: Selection;
  /** What is compared of it. */
  readonly range: TimeRange;
  readonly course: Course;
}

export interface OverlayWish {
  readonly streams: readonly StreamRef[];
  /** Empty: no tag, whole streams. */
  readonly tag: string;
  readonly values: readonly string[];
  readonly parameters: readonly string[];
  /** Empty: time since the first row. */
  readonly alignBy: string;
  /** Rows outside of it are not compared. */
  readonly range: TimeRange;
}

/** So many rows make an exact course; where there are more, so many buckets do. */
const courseRows = 20_000;

/** The laps that have rows in the range, each with its way along the axis. */
export async function loadLaps(client: Client, wish: OverlayWish, signal: AbortSignal): Promise<Lap[]> {
  const values = wish.tag === '' ? [''] : wish.values;
  const laps = wish.streams
    .flatMap((stream) => values.map((value) => ({ stream, value })))
    .map(({ stream, value }, index) => loadLap(client, wish, stream, value, index, signal));
  return (await Promise.all(laps)).flatMap((lap) => lap ?? []);
}

async function loadLap(
  client: Client,
  { tag, parameters, alignBy, range }: OverlayWish,
  stream: StreamRef,
  value: string,
  index: number,
  signal: AbortSignal,
): Promise<Lap | undefined> {
  const tagFilters: readonly TagFilter[] = tag === '' ? [] : [{ tag, value }];
  const rows = { topic: stream.topic, streamIds: [stream.streamId], tagFilters };
  const numericParameters = parameters.map((parameterName) => ({ parameterName }));
  const edge = async (order: 'Asc' | 'Desc') =>
    (await client.page({ ...rows, numericParameters, order, limit: 1 }, { signal })).data.timestamps[0];
  const [first, last] = await Promise.all([edge('Asc'), edge('Desc')]);
  if (first === undefined || last === undefined) return undefined;
  const seen = { from: first > range.from ? first : range.from, to: last < range.to ? last : range.to };
  if (seen.from > seen.to) return undefined;
  // Time counts from the first row of all, whatever of it is seen: else a range would move laps against each other.
  const course = alignBy === '' ? clockCourse(first) : await loadCourse(client, rows, alignBy, seen, signal);
  return { stream, value, index, rows, range: seen, course };
}

async function loadCourse(
  client: Client,
  rows: Selection,
  alignBy: string,
  range: TimeRange,
  signal: AbortSignal,
): Promise<Course> {
  const place = { ...rows, ...range };
  const numericParameters = [{ parameterName: alignBy }];
  const { data, nextCursor } = await client.page(
    { ...place, numericParameters, limit: courseRows },
    { signal },
  );
  if (nextCursor === undefined) return courseOf(data.timestamps, data.numericValues[alignBy] ?? [], true);
  const bucket = bucketFor(range, courseRows);
  const means = await client.query(
    {
      ...place,
      numericParameters: [{ parameterName: alignBy, aggregationType: 'Mean' }],
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const middles = means.timestamps.map((start) => start + bucket / 2n);
  return courseOf(middles, means.numericValues[`mean(${alignBy})`] ?? [], false);
}

function courseOf(times: readonly bigint[], values: readonly (number | null)[], isExact: boolean): Course {
  const known = times.flatMap((time, row) => {
    const value = values[row] ?? null;
    return value === null || !Number.isFinite(value) ? [] : [{ time, value }];
  });
  return parameterCourse(
    known.map(({ time }) => time),
    known.map(({ value }) => value),
    isExact,
  );
}

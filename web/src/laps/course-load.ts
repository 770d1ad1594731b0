import type { Client } from '../../../src/client/client.ts';
import { bucketFor, type Selection } from '../lines/point-load.ts';
import type { LapRef, StreamRef, TimeRange } from '../state/view-text.ts';
import { type Course, clockCourse, parameterCourse } from './course.ts';
import { type SelectLap, shared } from './lap-selection.ts';

/** What is laid over others: a stream, or a lap of it. */
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
  /** Of whole streams their values are empty. */
  readonly laps: readonly LapRef[];
  readonly select: SelectLap;
  readonly parameters: readonly string[];
  /** Parameters that have text. */
  readonly texts: readonly string[];
  /** Empty: time since the first row. */
  readonly alignBy: string;
  /** By how many seconds a lap is moved to later; by time alone. */
  readonly shiftOf: (lap: LapRef) => number;
  /** The value of the channel at which places of a lap are 0. */
  readonly originOf: (lap: LapRef) => number;
  /** Rows outside of it are not compared. */
  readonly range: TimeRange;
  /** When and where a lap crossed the line, where that is known: its course begins and ends there, between rows. */
  readonly lineOf: (lap: LapRef) => LineToLine | undefined;
  /** Whether rows may be added to a lap; others are taken from those that are kept, and kept. */
  readonly canGrow: (lap: LapRef) => boolean;
  readonly kept: Map<string, Lap>;
}

/** A lap from line to line: times, and the way between them. */
export interface LineToLine {
  readonly start: bigint;
  readonly end: bigint;
  readonly length: number;
}

/** So many rows make an exact course; where there are more, so many buckets do. */
const courseRows = 20_000;

/** The laps that have rows in the range, each with its way along the axis. */
export async function loadLaps(client: Client, wish: OverlayWish, signal: AbortSignal): Promise<Lap[]> {
  const { select, parameters, texts, alignBy, shiftOf, originOf, range, lineOf, canGrow, kept } = wish;
  const laps = wish.laps.map(async (lap, index) => {
    const line = lineOf(lap);
    const { rows, within } = select(lap) ?? {};
    const edges = [range.from, range.to, line?.start, line?.end, within?.from, within?.to].map(String);
    const along = [alignBy, shiftOf(lap), originOf(lap), line?.length];
    const key = JSON.stringify([lap, index, rows, parameters, texts, along, edges]);
    const found = kept.get(key) ?? (await loadLap(client, wish, lap, index, signal));
    if (found !== undefined && !canGrow(lap)) kept.set(key, found);
    return found;
  });
  return (await Promise.all(laps)).flatMap((lap) => lap ?? []);
}

async function loadLap(
  client: Client,
  wish: OverlayWish,
  lap: LapRef,
  index: number,
  signal: AbortSignal,
): Promise<Lap | undefined> {
  const { select, parameters, texts, alignBy, shiftOf, range } = wish;
  const { stream, value } = lap;
  const selection = select(lap);
  if (selection === undefined) return undefined;
  const { rows, within } = selection;
  const requested = (names: readonly string[]) => names.map((parameterName) => ({ parameterName }));
  // Where there are numbers they say where a lap begins, whatever is said beside them.
  const names =
    parameters.length > 0
      ? { numericParameters: requested(parameters) }
      : { stringParameters: requested(texts) };
  const edge = async (order: 'Asc' | 'Desc') =>
    (await client.page({ ...rows, ...within, ...names, order, limit: 1 }, { signal })).data.timestamps[0];
  const [first, last] = await Promise.all([edge('Asc'), edge('Desc')]);
  if (first === undefined || last === undefined) return undefined;
  const seen = shared({ from: first, to: last }, range);
  if (seen === undefined) return undefined;
  // Time counts from the first row of all, whatever of it is seen: else a range would move laps against each other.
  const course =
    alignBy === ''
      ? clockCourse(first - BigInt(Math.round(shiftOf(lap) * 1e9)), seen)
      : await loadCourse(client, wish, lap, { rows, range: seen }, signal);
  return { stream, value, index, rows, range: seen, course };
}

async function loadCourse(
  client: Client,
  { alignBy, originOf, lineOf }: OverlayWish,
  lap: LapRef,
  { rows, range }: { readonly rows: Selection; readonly range: TimeRange },
  signal: AbortSignal,
): Promise<Course> {
  const [origin, line] = [originOf(lap), lineOf(lap)];
  const placesOf = (values: readonly (number | null)[] = []) =>
    values.map((value) => (value === null ? null : value - origin));
  const place = { ...rows, ...range };
  const numericParameters = [{ parameterName: alignBy }];
  const { data, nextCursor } = await client.page(
    { ...place, numericParameters, limit: courseRows },
    { signal },
  );
  if (nextCursor === undefined)
    return courseOf(data.timestamps, placesOf(data.numericValues[alignBy]), line, true);
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
  return courseOf(middles, placesOf(means.numericValues[`mean(${alignBy})`]), line, false);
}

function courseOf(
  times: readonly bigint[],
  values: readonly (number | null)[],
  line: LineToLine | undefined,
  isExact: boolean,
): Course {
  const rows = times.flatMap((time, row) => {
    const place = values[row] ?? null;
    return place === null || !Number.isFinite(place) ? [] : [{ time, place }];
  });
  const [first, last] = [rows[0], rows.at(-1)];
  // Where rows were left out at an end the line is not there.
  const isBegin = line && first && line.start < first.time && first.place < line.length / 20;
  const isEnd = line && last && line.end > last.time && last.place > line.length * 0.95;
  const known = [
    ...(isBegin ? [{ time: line.start, place: 0 }] : []),
    ...rows,
    ...(isEnd && line.length > last.place ? [{ time: line.end, place: line.length }] : []),
  ];
  return parameterCourse(
    known.map(({ time }) => time),
    known.map(({ place }) => place),
    isExact,
  );
}

import type { Client, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';
import type { TimeRange } from '../state/view-text.ts';
import { isCalculated } from './calculated.ts';
import { bucketPoints, bucketsAt, type Place, type Points, rowPoints } from './points.ts';

/** Where points are read from. */
export type PointSource = Pick<Client, 'page' | 'query'>;

/** Whose rows are drawn: of a stream, or of a part of it. */
export type Selection = Pick<ParameterDataQuery, 'topic' | 'streamIds' | 'tagFilters'>;

export interface PointWish {
  readonly rows: Selection;
  readonly parameters: readonly string[];
  readonly range: TimeRange;
  /** Where lines that leave the range may lead to. */
  readonly within: TimeRange;
  /** Pixels that the range has. */
  readonly width: number;
  readonly place: Place;
}

/** So many rows of one parameter are drawn as they are. */
const rawRows = 4000;

/** Of as long a time, ns, there are more rows as a rule: where nobody knows, buckets are asked for first, which tell. */
const longSpan = 300e9;

/** Rows a nanosecond of what was asked for before, by question: it tells which one is worth asking first. */
const densities = new Map<string, number>();

/**
 * Loads what a plot shows of parameters, in their order: of each the rows themselves where they are few, or else the
 * smallest and the largest value per pixel, so that no peak is lost. What is asked for is bounded by the width, not by the
 * data.
 */
export async function loadPoints(
  client: PointSource,
  wish: PointWish,
  signal: AbortSignal,
): Promise<Points[]> {
  const { rows, parameters, range, width, place } = wish;
  if (parameters.length === 0) return [];
  const key = JSON.stringify([rows, parameters]);
  const span = Number(range.to - range.from);
  const density = densities.get(key);
  const isMany = density === undefined ? span >= longSpan : density * span > rawRows;
  const raw = async (names: readonly string[]) => {
    const requested = names.map((parameterName) => ({ parameterName }));
    const query = { ...rows, ...range, numericParameters: requested, limit: rawRows };
    const { data, nextCursor } = await client.page(query, { signal });
    return { data, isWhole: nextCursor === undefined };
  };
  const drawn = async (data: ParameterData, names: readonly string[]) => {
    const all = await withNeighbours(client, wish, data, names, signal);
    return names.map((name) => rowPoints(all, name, place));
  };
  const wholeRows = async () => {
    const { data, isWhole } = await raw(parameters);
    const { timestamps } = data;
    const seen = isWhole ? span : Number(timestamps.at(-1)! - timestamps[0]!);
    densities.set(key, timestamps.length / Math.max(1, seen));
    return isWhole ? drawn(data, parameters) : undefined;
  };
  const few = isMany ? undefined : await wholeRows();
  if (few !== undefined) return few;
  const bucket = bucketFor(range, width);
  const buckets = await client.query(envelopeQuery(wish, bucket), { signal });
  const counts = parameters.map((name) => sum(buckets.numericValues[`count(${name})`] ?? []));
  densities.set(key, Math.max(...counts) / Math.max(1, span));
  // They turned out to be few: most often they were written together.
  const together = isMany && Math.max(...counts) <= rawRows ? await wholeRows() : undefined;
  if (together !== undefined) return together;
  // One that is written seldom is drawn by its rows, however many the others have.
  const sparse = new Map<string, Points>();
  const loads = packed(parameters, counts).map(async (names) => {
    const { data, isWhole } = await raw(names);
    const points = isWhole ? await drawn(data, names) : [];
    for (const [i, own] of points.entries()) sparse.set(names[i]!, own);
  });
  await Promise.all(loads);
  const when = bucketsAt(buckets.timestamps, bucket, place);
  return parameters.map((name) => sparse.get(name) ?? bucketPoints(buckets, name, when, range));
}

/** Of a parameter with fewer rows than this, rows around the range are drawn as well: so many on each side. */
export const fewRows = 20;

/** Rows beyond a range tell how far apart rows usually are, and where the lines lead that leave it. */
async function withNeighbours(
  client: PointSource,
  { rows, range, within }: PointWish,
  data: ParameterData,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<ParameterData> {
  // What is calculated may begin where the range does, and to go far back for it is dear.
  const few = parameters.filter((name) => countOf(data, name) < fewRows && !isCalculated(name));
  if (few.length === 0) return data;
  const query = {
    ...rows,
    numericParameters: few.map((parameterName) => ({ parameterName })),
    limit: fewRows,
  };
  const page = async (from: bigint, to: bigint, order: 'Asc' | 'Desc') =>
    from > to ? noRows : (await client.page({ ...query, from, to, order }, { signal })).data;
  const [before, after] = await Promise.all([
    page(within.from, range.from - 1n, 'Desc'),
    page(range.to + 1n, within.to, 'Asc'),
  ]);
  const parts = [reversed(before), data, after];
  const column = (name: string) =>
    parts.flatMap(({ timestamps, numericValues }) =>
      // Any object has a `constructor`.
      Object.hasOwn(numericValues, name) ? numericValues[name]! : timestamps.map(() => null),
    );
  return {
    ...data,
    timestamps: parts.flatMap(({ timestamps }) => timestamps),
    numericValues: Object.fromEntries(parameters.map((name) => [name, column(name)])),
  };
}

const noRows: ParameterData = {
  timestamps: [],
  numericValues: {},
  stringValues: {},
  binaryValues: {},
  tagValues: {},
};

function reversed(data: ParameterData): ParameterData {
  const columns = Object.entries(data.numericValues).map(
    ([name, column]) => [name, column.toReversed()] as const,
  );
  return { ...data, timestamps: data.timestamps.toReversed(), numericValues: Object.fromEntries(columns) };
}

function countOf({ numericValues }: ParameterData, parameter: string): number {
  return (numericValues[parameter] ?? []).reduce<number>(
    (count, value) => count + (value === null ? 0 : 1),
    0,
  );
}

/** Parameters with few rows, in groups that have few rows together. */
function packed(parameters: readonly string[], counts: readonly number[]): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const [i, name] of parameters.entries()) {
    const count = counts[i]!;
    if (count === 0 || count > rawRows) continue;
    if (count > room) {
      groups.push([]);
      room = rawRows;
    }
    groups.at(-1)!.push(name);
    room -= count;
  }
  return groups;
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}

/** The least width of a bucket with which a plot has no more buckets than pixels. */
export function bucketFor({ from, to }: TimeRange, width: number): bigint {
  const pixels = BigInt(Math.max(1, Math.floor(width)));
  return (to - from) / pixels + 1n;
}

function envelopeQuery({ rows, parameters, range }: PointWish, bucket: bigint): ParameterDataQuery {
  return {
    ...rows,
    ...range,
    numericParameters: parameters.flatMap((parameterName) =>
      (['Min', 'Max', 'Count'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
    ),
    groupByTime: { timeBucketDuration: bucket },
  };
}

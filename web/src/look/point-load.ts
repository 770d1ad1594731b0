import type { Client, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';
import type { TimeRange } from '../state/view-text.ts';
import { bucketPoints, type Place, type Points, rowPoints } from './points.ts';

/** Whose rows are drawn: of a stream, or of a part of it. */
export type Selection = Pick<ParameterDataQuery, 'topic' | 'streamIds' | 'tagFilters'>;

export interface PointWish {
  readonly rows: Selection;
  readonly parameters: readonly string[];
  readonly range: TimeRange;
  /** Pixels that the range has. */
  readonly width: number;
  readonly place: Place;
}

/** So many rows of one parameter are drawn as they are. */
const rawRows = 4000;

/** Rows a nanosecond of what was asked for before, by question: it tells which one is worth asking first. */
const densities = new Map<string, number>();

/**
 * Loads what a plot shows of parameters, in their order: of each the rows themselves where they are few, or else the
 * smallest and the largest value per pixel, so that no peak is lost. What is asked for is bounded by the width, not by the
 * data.
 */
export async function loadPoints(client: Client, wish: PointWish, signal: AbortSignal): Promise<Points[]> {
  const { rows, parameters, range, width, place } = wish;
  if (parameters.length === 0) return [];
  const key = JSON.stringify([rows, parameters]);
  const span = Number(range.to - range.from);
  const isMany = (densities.get(key) ?? 0) * span > rawRows;
  const raw = async (names: readonly string[]) => {
    const requested = names.map((parameterName) => ({ parameterName }));
    const query = { ...rows, ...range, numericParameters: requested, limit: rawRows };
    const { data, nextCursor } = await client.page(query, { signal });
    return { data, isWhole: nextCursor === undefined };
  };
  if (!isMany) {
    const { data, isWhole } = await raw(parameters);
    const { timestamps } = data;
    const seen = isWhole ? span : Number(timestamps.at(-1)! - timestamps[0]!);
    densities.set(key, timestamps.length / Math.max(1, seen));
    if (isWhole) return parameters.map((name) => rowPoints(data, name, place));
  }
  const bucket = bucketFor(range, width);
  const buckets = await client.query(envelopeQuery(wish, bucket), { signal });
  const counts = parameters.map((name) => sum(buckets.numericValues[`count(${name})`] ?? []));
  densities.set(key, Math.max(...counts) / Math.max(1, span));
  // One that is written seldom is drawn by its rows, however many the others have.
  const sparse = new Map<string, ParameterData>();
  for (const names of packed(parameters, counts)) {
    const { data, isWhole } = await raw(names);
    if (isWhole) for (const name of names) sparse.set(name, data);
  }
  return parameters.map((name) => {
    const few = sparse.get(name);
    return few === undefined
      ? bucketPoints(buckets, name, bucket, range, place)
      : rowPoints(few, name, place);
  });
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

import type { ParameterData } from '../../../src/client/client.ts';
import { bucketFor, type PointSource, type Selection } from '../lines/point-load.ts';
import { spanOf } from '../lines/points.ts';
import type { TimeRange } from '../state/view-text.ts';
import {
  type CountBucket,
  type CountChange,
  type Counted,
  type CountRow,
  changesOf,
  changingBuckets,
} from './count-changes.ts';

interface CountWish {
  readonly rows: Selection;
  readonly channel: string;
  readonly signal: AbortSignal;
}

/** So many rows of a run are read as they are; of more it is asked first in which buckets the count changes. */
const fewRows = 5000;
/** Of a bucket with more rows it is asked in which buckets of so many rows. */
const mostRows = 1000;
const bucketRows = 50;
const mostBuckets = 4096;
/** What changes in more buckets counts no laps. */
const mostChanges = 2000;

/**
 * Finds the rows in which a channel changes, to the nanosecond, without reading all of them. Undefined where it changes too
 * often for one that counts laps.
 */
export async function loadCounted(
  client: PointSource,
  rows: Selection,
  channel: string,
  signal: AbortSignal,
): Promise<Counted | undefined> {
  const wish = { rows, channel, signal };
  const edge = async (order: 'Asc' | 'Desc') => {
    const numericParameters = [{ parameterName: channel }];
    const query = { ...rows, numericParameters, order, limit: 1 };
    return (await client.page(query, { signal })).data.timestamps[0];
  };
  const [first, last, all] = await Promise.all([edge('Asc'), edge('Desc'), loadCount(client, wish)]);
  if (first === undefined || last === undefined) return { changes: [], fraction: undefined };
  const found: Found = { rows: [], firsts: new Set(), fraction: undefined };
  const range = { from: first, to: last };
  if (all <= fewRows) await loadAll(client, wish, range, found);
  else if (!(await loadChanging(client, wish, { ...range, isFromFirst: true }, found))) return undefined;
  found.rows.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const changes = changesOf(found.rows).map(async (change): Promise<CountChange> => {
    const isBeforeRead = change.before === undefined || !found.firsts.has(change.time);
    return isBeforeRead ? change : { ...change, before: await loadBefore(client, wish, change.time) };
  });
  return { changes: await Promise.all(changes), fraction: found.fraction };
}

async function loadCount(client: PointSource, { rows, channel, signal }: CountWish): Promise<number> {
  const numericParameters = [{ parameterName: channel, aggregationType: 'Count' as const }];
  const { numericValues } = await client.query({ ...rows, numericParameters }, { signal });
  return numericValues[`count(${channel})`]?.[0] ?? 0;
}

/** So many rows before a change may have no number. */
const rowsBefore = 20;

/** The last row before a time that has a number. */
async function loadBefore(client: PointSource, { rows, channel, signal }: CountWish, time: bigint) {
  const numericParameters = [{ parameterName: channel }];
  const query = { ...rows, to: time - 1n, numericParameters, order: 'Desc' as const, limit: rowsBefore };
  const { timestamps, numericValues } = (await client.page(query, { signal })).data;
  return timestamps.find((_, row) => Number.isFinite(numericValues[channel]?.[row] ?? Number.NaN));
}

/** Whether a run has another count than what is known of it. */
export async function countChanged(
  client: PointSource,
  rows: Selection,
  channel: string,
  known: Counted,
  signal: AbortSignal,
): Promise<boolean> {
  const last = known.changes.at(-1);
  const { timestamps, numericValues } = await client.query(
    {
      ...rows,
      ...(last !== undefined && { from: last.time }),
      numericParameters: (['Min', 'Max'] as const).map((aggregationType) => ({
        parameterName: channel,
        aggregationType,
      })),
    },
    { signal },
  );
  if (last === undefined) return timestamps.length > 0;
  const values = ['min', 'max'].map((name) => numericValues[`${name}(${channel})`]?.[0] ?? last.count);
  return values.some((value) => Math.floor(value) !== last.count);
}

interface Found {
  readonly rows: CountRow[];
  /** Times of rows of which the one before was not read. */
  readonly firsts: Set<bigint>;
  fraction: number | undefined;
}

/** Where changes are looked for. */
interface Place extends TimeRange {
  /** Whether the first row of all is in it, which is told as a change. */
  readonly isFromFirst: boolean;
  /** How many rows it has, where that is known. */
  readonly count?: number;
}

/** Finds the rows of a place among which the count changes; false where they are too many. */
async function loadChanging(
  client: PointSource,
  wish: CountWish,
  { isFromFirst, count, ...range }: Place,
  found: Found,
): Promise<boolean> {
  const isShort = range.to - range.from < mostBuckets;
  if (count !== undefined && (count <= mostRows || isShort)) {
    await loadAll(client, wish, range, found);
    return true;
  }
  const { rows, channel, signal } = wish;
  const most = count === undefined ? mostBuckets : Math.min(mostBuckets, Math.ceil(count / bucketRows));
  const bucket = bucketFor(range, most);
  const data = await client.query(
    {
      ...rows,
      ...range,
      numericParameters: (['Min', 'Max', 'Count'] as const).map((aggregationType) => ({
        parameterName: channel,
        aggregationType,
      })),
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const buckets = countBuckets(data, channel, bucket, range);
  found.fraction ??= buckets.flatMap(({ low, high }) => [low, high]).find(isFraction);
  const changing = changingBuckets(buckets, isFromFirst);
  if (changing.length > mostChanges) return false;
  const loads = changing.map(({ from, to, rows: own }) => {
    const isFirst = isFromFirst && from === buckets[0]!.from;
    return loadChanging(client, wish, { from, to, count: own, isFromFirst: isFirst }, found);
  });
  return (await Promise.all(loads)).every((isFew) => isFew);
}

async function loadAll(
  client: PointSource,
  { rows, channel, signal }: CountWish,
  range: TimeRange,
  found: Found,
): Promise<void> {
  const query = { ...rows, ...range, numericParameters: [{ parameterName: channel }] };
  const { timestamps, numericValues } = await client.query(query, { signal });
  let isFirst = true;
  for (const [row, value] of (numericValues[channel] ?? []).entries()) {
    if (value === null || !Number.isFinite(value)) continue;
    if (isFirst) found.firsts.add(timestamps[row]!);
    isFirst = false;
    if (isFraction(value)) found.fraction ??= value;
    found.rows.push({ time: timestamps[row]!, value });
  }
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value);
}

function countBuckets(
  { timestamps, numericValues }: ParameterData,
  channel: string,
  bucket: bigint,
  range: TimeRange,
): CountBucket[] {
  const column = (name: string) => numericValues[`${name}(${channel})`] ?? [];
  const [lows, highs, counts] = [column('min'), column('max'), column('count')];
  return timestamps.flatMap((start, i): CountBucket[] => {
    const [low, high] = [lows[i] ?? null, highs[i] ?? null];
    // A bucket may have nothing but NaN.
    if (low === null || high === null) return [];
    return [{ ...spanOf(start, bucket, range), low, high, rows: counts[i] ?? 0 }];
  });
}

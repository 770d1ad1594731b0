import type { Client } from '../../../src/client/client.ts';
import { loadByLap } from './by-lap.ts';
import {
  type Border,
  isUsuallySilent,
  lineBetween,
  type PlacedRow,
  type RunWish,
  sideRows,
  sideRowsOf,
} from './lap-line.ts';
import type { LapRange } from './lap-ranges.ts';

/** Laps are what a channel counts. */
export interface CountedWish extends RunWish {
  readonly channel: string;
  /** In order of time, one at least. */
  readonly ranges: readonly LapRange[];
}

/** The first count may come so many of its spacings behind the first row of the run. */
const mostBehind = 2n;

/**
 * When the first lap begins: with the first row of the run, or where the way begins anew, if the channel is written from time
 * to time and has only not had its turn before; else with the first row of the channel.
 */
export async function loadBegin(client: Client, wish: CountedWish, signal: AbortSignal): Promise<bigint> {
  const { stream, channel, counted, distance, ranges } = wish;
  const [{ from, to }] = ranges as readonly [LapRange, ...LapRange[]];
  const run = { topic: stream.topic, streamIds: [stream.streamId] };
  const firstRows = async (parameterName: string, limit: number) =>
    (await client.page({ ...run, numericParameters: [{ parameterName }], limit }, { signal })).data
      .timestamps;
  const [[first = from], [, second]] = await Promise.all([firstRows(counted, 1), firstRows(channel, 2)]);
  const isSeldom = second === undefined || (to !== undefined && second >= to);
  if (isSeldom || first >= from || from - first > mostBehind * (second - from)) return from;
  if (distance === undefined) return first;
  const { timestamps, numericValues } = await client.query(
    { ...run, from: first, to: from, numericParameters: [{ parameterName: distance }] },
    { signal },
  );
  const places = numericValues[distance] ?? [];
  return (
    beginOfWay(
      timestamps.map((time, i) => ({ time, place: places[i] })),
      from,
    ) ?? first
  );
}

/** How far apart rows of the run usually are. */
export async function loadSpacing(client: Client, wish: CountedWish, signal: AbortSignal): Promise<bigint> {
  const { stream, counted, ranges } = wish;
  const columns = { numericParameters: [{ parameterName: counted, aggregationType: 'Count' as const }] };
  const [from, end] = [ranges[0]!.from, ranges.at(-1)!.from];
  const range = { from, to: end - 1n };
  const [all] = await loadByLap(client, stream, { ranges: [{ name: '', range }] }, columns, signal);
  return (end - from) / BigInt(Math.max(1, all?.numberOf(`count(${counted})`) ?? 0));
}

/** Two laps, and how far apart rows usually are. */
interface BorderWish {
  readonly lap: LapRange;
  readonly next: LapRange;
  readonly spacing: bigint;
}

/** A channel that is written seldom tells of a line late: so far before it, ns, the way is looked at. */
const mostLate = 10_000_000_000n;

/**
 * Where a lap ends and the next one begins: where the way begins anew, if it does between the two rows of which the count
 * differs, or close by; else at the later of these rows.
 */
export async function loadBorder(
  client: Client,
  wish: CountedWish,
  { lap, next, spacing }: BorderWish,
  signal: AbortSignal,
): Promise<Border> {
  const { stream, counted, distance } = wish;
  const { from: changed, before = changed } = next;
  const reach = spacing * BigInt(distance === undefined ? sideRows.least : sideRowsOf(spacing));
  const earliest = before > changed - mostLate ? before : changed - mostLate;
  const { timestamps, numericValues } = await client.query(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      from: distance === undefined ? changed - reach : earliest - reach,
      to: changed + reach,
      numericParameters: [{ parameterName: counted }],
    },
    { signal },
  );
  const places = numericValues[counted] ?? [];
  const rows = timestamps.map((time, i): PlacedRow => ({ time, place: places[i] }));
  const at = (distance === undefined ? undefined : beginOfWay(rows, changed)) ?? changed;
  const front = rows.filter(({ time }) => time < at && time >= at - reach);
  if (front.length === 0) {
    const isUsual = await isUsuallySilent(client, wish, lap.from, at, signal);
    return { at, line: isUsual ? undefined : null };
  }
  if (distance === undefined) return { at, line: undefined };
  const after = rows.filter(({ time }) => time >= at && time <= at + reach);
  return { at, line: lineBetween(front, after, at) };
}

/** The first row of a way that begins anew, the one that is nearest to a time; undefined where it does not. */
export function beginOfWay(rows: readonly PlacedRow[], near: bigint): bigint | undefined {
  const away = (time: bigint) => (time > near ? time - near : near - time);
  // There may be more rows than a call takes arguments.
  const farthest = rows.reduce(
    (most, { place }) => (place != null && Number.isFinite(place) ? Math.max(most, place) : most),
    Number.NEGATIVE_INFINITY,
  );
  let found: bigint | undefined;
  let last: number | undefined;
  for (const { time, place } of rows) {
    if (place == null || !Number.isFinite(place)) continue;
    const isBegin = last !== undefined && last - place > farthest / 2;
    if (isBegin && (found === undefined || away(time) < away(found))) found = time;
    last = place;
  }
  return found;
}

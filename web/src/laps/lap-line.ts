import type { Client, ParameterData } from '../../../src/client/client.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Crossing, crossingOf, type LineRows } from './crossing.ts';

export interface LapWish {
  readonly stream: StreamRef;
  readonly tag: string;
  /** Every row of a lap has it, as far as possible. */
  readonly counted: string;
  /** The way since the line; undefined where no channel has it. */
  readonly distance: string | undefined;
  readonly speed: string | undefined;
}

/** The rows of a lap. */
export interface Group {
  readonly value: string;
  /** Time of the first row. */
  readonly first: bigint;
  readonly rows: number;
  readonly topSpeed: number | undefined;
}

/** So many rows on each side tell when a line was crossed: over a longer time a car does not drive a parabola. */
const sideRows = { least: 5, most: 10, ns: 300_000_000n } as const;

/** A crossing with its time, ns. */
export type Line = Crossing & { readonly time: bigint };

/** Of a line when it was crossed; undefined where nothing tells, null where the lap has no rows in front of it: they were lost. */
export type KeptLines = Map<string, Line | undefined | null>;

/** From the rows around the first one of the next lap. */
export async function loadLine(
  client: Client,
  wish: LapWish,
  lap: Group,
  next: Group,
  signal: AbortSignal,
): Promise<Line | undefined | null> {
  const { stream, tag, counted, distance } = wish;
  const spacing = (next.first - lap.first) / BigInt(Math.max(1, lap.rows));
  const reach = spacing * BigInt(distance === undefined ? sideRows.least : sideRowsOf(spacing));
  const data = await client.query(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      from: next.first - reach,
      to: next.first + reach,
      numericParameters: [{ parameterName: counted }],
      groupBy: [tag],
    },
    { signal },
  );
  if (!data.tagValues[tag]?.includes(lap.value))
    return (await isUsuallySilent(client, wish, lap, next, signal)) ? undefined : null;
  if (distance === undefined) return undefined;
  const [before, after] = [lap, next].map(({ value }) => sideOf(data, distance, tag, value, next.first));
  const crossing = crossingOf(before!, after!);
  return crossing && { ...crossing, time: next.first + BigInt(Math.round(crossing.seconds * 1e9)) };
}

/** So many rows in front of a line tell whether others are as far apart. */
const rowsBefore = 50;
/** A silence up to so many times another one is none that is unusual. */
const likeAnother = 2n;

/** Whether rows of the lap are often as far apart as those at the line: then none were lost there. */
async function isUsuallySilent(
  client: Client,
  { stream, counted }: LapWish,
  lap: Group,
  next: Group,
  signal: AbortSignal,
): Promise<boolean> {
  const { data } = await client.page(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      from: lap.first,
      to: next.first,
      numericParameters: [{ parameterName: counted }],
      order: 'Desc',
      limit: rowsBefore,
    },
    { signal },
  );
  let later = next.first;
  const [atLine, ...others] = data.timestamps.flatMap((time) => {
    const silence = later - time;
    later = time;
    return silence > 0n ? [silence] : [];
  });
  return atLine !== undefined && others.some((silence) => atLine <= likeAnother * silence);
}

function sideRowsOf(spacing: bigint): number {
  const { least, most, ns } = sideRows;
  return spacing <= 0n ? most : Math.max(least, Math.min(most, Number(ns / spacing)));
}

function sideOf(
  { timestamps, tagValues, numericValues }: ParameterData,
  distance: string,
  tag: string,
  lap: string,
  origin: bigint,
): LineRows {
  const rows = timestamps.flatMap((time, row) => {
    const place = numericValues[distance]?.[row] ?? Number.NaN;
    if (tagValues[tag]?.[row] !== lap || !Number.isFinite(place)) return [];
    return [{ seconds: Number(time - origin) / 1e9, place }];
  });
  return { seconds: rows.map(({ seconds }) => seconds), places: rows.map(({ place }) => place) };
}

import type { Client } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type Crossing, crossingOf, type LineRows } from './crossing.ts';

/** A run whose laps are looked for. */
export interface RunWish {
  readonly stream: StreamRef;
  /** Every row of a lap has it, as far as possible. */
  readonly counted: string;
  /** The way since the line; undefined where no channel has it. */
  readonly distance: string | undefined;
  readonly speed: string | undefined;
}

/** Laps are the values of a tag. */
export interface TaggedWish extends RunWish {
  readonly tag: string;
}

/** The rows of a lap. */
export interface Group {
  readonly value: string;
  /** The value of the tag in its rows; undefined where a channel counts laps. */
  readonly tagged?: string | undefined;
  /** Time of the first row. */
  readonly first: bigint;
  /** Time of the last row, where the lap does not go on up to the next one. */
  readonly last?: bigint | undefined;
  readonly rows: number;
  readonly topSpeed: number | undefined;
  /** When its rows are, where nothing else tells them apart. */
  readonly range?: TimeRange;
  /** Why it did not begin at the line, or end there, where that is known. */
  readonly whyNotBegun?: string | undefined;
  readonly whyNotEnded?: string | undefined;
}

/** Behind so many laps nobody looks at lines: they are not shown. */
export const mostLines = 500;

/** So many rows on each side tell when a line was crossed: over a longer time a car does not drive a parabola. */
export const sideRows = { least: 5, most: 10, ns: 300_000_000n } as const;

/** A crossing with its time, ns. */
export type Line = Crossing & { readonly time: bigint };

/** Between two laps. */
export interface Border {
  /** The first row of the later one. */
  readonly at: bigint;
  /** When the line was crossed; undefined where nothing tells, null where there are no rows in front of it: they were lost. */
  readonly line: Line | undefined | null;
}

export type KeptBorders = Map<string, Border>;

/** From the rows around the first one of the next lap. */
export async function loadLine(
  client: Client,
  wish: TaggedWish,
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
  if (!data.tagValues[tag]?.includes(lap.tagged!))
    return (await isUsuallySilent(client, wish, lap.first, next.first, signal)) ? undefined : null;
  if (distance === undefined) return undefined;
  const places = data.numericValues[distance] ?? [];
  const rows = data.timestamps.map((time, i) => ({ time, place: places[i], lap: data.tagValues[tag]?.[i] }));
  const [before, after] = [lap, next].map(({ tagged }) => rows.filter((row) => row.lap === tagged));
  return lineBetween(before!, after!, next.first);
}

/** A row near a line. */
export interface PlacedRow {
  readonly time: bigint;
  readonly place: number | null | undefined;
}

/** When the line was crossed, from the rows on both sides of it. */
export function lineBetween(
  before: readonly PlacedRow[],
  after: readonly PlacedRow[],
  origin: bigint,
): Line | undefined {
  const crossing = crossingOf(sideOf(before, origin), sideOf(after, origin));
  return crossing && { ...crossing, time: origin + BigInt(Math.round(crossing.seconds * 1e9)) };
}

/** So many rows in front of a line tell whether others are as far apart. */
const rowsBefore = 50;
/** A silence up to so many times another one is none that is unusual. */
const likeAnother = 2n;

/** Whether rows of the lap are often as far apart as those at the line: then none were lost there. */
export async function isUsuallySilent(
  client: Client,
  { stream, counted }: RunWish,
  from: bigint,
  to: bigint,
  signal: AbortSignal,
): Promise<boolean> {
  const { data } = await client.page(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      from,
      to,
      numericParameters: [{ parameterName: counted }],
      order: 'Desc',
      limit: rowsBefore,
    },
    { signal },
  );
  let later = to;
  const [atLine, ...others] = data.timestamps.flatMap((time) => {
    const silence = later - time;
    later = time;
    return silence > 0n ? [silence] : [];
  });
  return atLine !== undefined && others.some((silence) => atLine <= likeAnother * silence);
}

export function sideRowsOf(spacing: bigint): number {
  const { least, most, ns } = sideRows;
  return spacing <= 0n ? most : Math.max(least, Math.min(most, Number(ns / spacing)));
}

function sideOf(side: readonly PlacedRow[], origin: bigint): LineRows {
  const rows = side.flatMap(({ time, place }) =>
    Number.isFinite(place ?? Number.NaN) ? [{ seconds: Number(time - origin) / 1e9, place: place! }] : [],
  );
  return { seconds: rows.map(({ seconds }) => seconds), places: rows.map(({ place }) => place) };
}

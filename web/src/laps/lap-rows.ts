import type { Client } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import type { CountedWish } from './counted-borders.ts';
import { loadCountedLaps } from './counted-laps.ts';
import type { Group, KeptBorders, Line, RunWish, TaggedWish } from './lap-line.ts';
import { loadTaggedLaps } from './tagged-laps.ts';

/** A lap of a stream as the table tells it. */
export interface LapRow {
  readonly stream: StreamRef;
  /** Of the tag that counts laps, or what the channel counts; what comes again has its turn behind it: `1 (2)`. */
  readonly value: string;
  /** The value of the tag in its rows; undefined where a channel counts laps. */
  readonly tagged: string | undefined;
  /** When its rows are, inclusive; undefined where each row says which lap it is of. */
  readonly range: TimeRange | undefined;
  /** When the line was crossed, ns; of a lap that is not whole, its first row and what is behind its last one. */
  readonly start: bigint;
  readonly end: bigint;
  /** Whether it began at the line, with rows there. */
  readonly isBegun: boolean;
  /** From line to line, with rows at both. */
  readonly isWhole: boolean;
  /** Why it is not; undefined of one that is. */
  readonly whyNotWhole: string | undefined;
  /** Whether crossings were found between rows; else they are those of whole rows. */
  readonly isExact: boolean;
  readonly topSpeed: number | undefined;
  /** The way from line to line, where it is known. */
  readonly length: number | undefined;
}

/** What the page says of a lap that is not. */
export const notWhole = 'not whole';

/** The last lap of all ends with its last row. */
const oneNs = 1n;

const noBegin = 'Not whole: nothing says that it began at the line. The recording begins in it.';
const noEnd = 'Not whole: no next lap ends it. The recording ends in it, or it is still being driven.';
/** A lap of so many times fewer rows than usual was not driven: what counts laps leapt. */
const timesFewer = 100;
const few = (rows: number, usual: number) =>
  `Not whole: it has ${rows === 1 ? '1 row' : `${rows} rows`}, and most laps have about ${usual}.`;
const lost = (verb: string) => `Not whole: rows are missing at the line where it ${verb}.`;

/** The laps of a stream in order of time. What was found of lines is taken from `kept`, and kept, while no rows come at them. */
export async function loadLapRows(
  client: Client,
  wish: TaggedWish | CountedWish,
  kept: KeptBorders,
  signal: AbortSignal,
): Promise<LapRow[]> {
  const end = loadEnd(client, wish, signal);
  const [{ groups, lines: crossings }, last] = await Promise.all([
    'tag' in wish
      ? loadTaggedLaps(client, wish, end, kept, signal)
      : loadCountedLaps(client, wish, kept, signal),
    end,
  ]);
  const [first] = groups;
  if (first === undefined) return [];
  const begin =
    wish.distance === undefined ? undefined : await loadBegin(client, wish, wish.distance, first, signal);
  const usual = groups.map(({ rows }) => rows).sort((a, b) => a - b)[groups.length >> 1]!;
  return groups.map((group, i): LapRow => {
    const { value, tagged, range, first: firstRow, topSpeed } = group;
    const before = i === 0 ? begin : crossings[i - 1];
    const after = crossings[i];
    const next = groups[i + 1]?.first;
    const isAtBegin = i > 0 || begin !== undefined;
    const whyNotBegun =
      group.whyNotBegun ?? (before === null ? lost('begins') : isAtBegin ? undefined : noBegin);
    const whyNotEnded =
      group.whyNotEnded ?? (next === undefined ? noEnd : after === null ? lost('ends') : undefined);
    const isDriven = group.rows * timesFewer > usual;
    const whyNotWhole = whyNotBegun ?? whyNotEnded ?? (isDriven ? undefined : few(group.rows, usual));
    return {
      stream: wish.stream,
      value,
      tagged,
      range,
      start: before?.time ?? firstRow,
      end: after?.time ?? (group.last === undefined ? next : undefined) ?? (group.last ?? last) + oneNs,
      isBegun: whyNotBegun === undefined,
      isWhole: whyNotWhole === undefined,
      whyNotWhole,
      isExact: before != null && after != null,
      topSpeed,
      length: after?.length,
    };
  });
}

/** Time of the last row of all. */
async function loadEnd(client: Client, { stream, counted }: RunWish, signal: AbortSignal): Promise<bigint> {
  const { data } = await client.page(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      numericParameters: [{ parameterName: counted }],
      order: 'Desc',
      limit: 1,
    },
    { signal },
  );
  return data.timestamps[0] ?? 0n;
}

/** When the first lap began at the line: it did where the first row is less than a row's way behind it. */
async function loadBegin(
  client: Client,
  { stream }: RunWish,
  distance: string,
  { first }: Group,
  signal: AbortSignal,
): Promise<Line | undefined> {
  const { data } = await client.page(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      from: first,
      numericParameters: [{ parameterName: distance }],
      limit: 2,
    },
    { signal },
  );
  const [place, next] = data.numericValues[distance] ?? [];
  const [time, nextTime] = data.timestamps;
  if (place == null || next == null || time === undefined || nextTime === undefined) return undefined;
  const way = next - place;
  if (!(place >= 0) || !(way > 0) || place > way) return undefined;
  const since = (place / way) * Number(nextTime - time);
  return { seconds: 0, length: 0, time: time - BigInt(Math.round(since)) };
}

import type { Client } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loadByLap } from './by-lap.ts';
import type { CountedWish } from './counted-borders.ts';
import { loadCountedLaps } from './counted-laps.ts';
import {
  type Group,
  type KeptBorders,
  type Line,
  loadLine,
  mostLines,
  type RunWish,
  type TaggedWish,
} from './lap-line.ts';

/** A lap of a stream as the table tells it. */
export interface LapRow {
  readonly stream: StreamRef;
  /** Of the tag that counts laps, or what the channel counts. */
  readonly value: string;
  /** When its rows are, inclusive, where a channel counts laps; undefined where each row says which lap it is of. */
  readonly range: TimeRange | undefined;
  /** When the line was crossed, ns; of a lap that is not whole, its first row and the first one behind it. */
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
const lost = (verb: string) => `Not whole: rows are missing at the line where it ${verb}.`;

/** The laps of a stream in order of time. What was found of lines is taken from `kept`, and kept, while no rows come at them. */
export async function loadLapRows(
  client: Client,
  wish: TaggedWish | CountedWish,
  kept: KeptBorders,
  signal: AbortSignal,
): Promise<LapRow[]> {
  const { groups, lines: crossings } =
    'tag' in wish
      ? await loadTaggedLaps(client, wish, kept, signal)
      : await loadCountedLaps(client, wish, kept, signal);
  const [first] = groups;
  if (first === undefined) return [];
  const [last, begin] = await Promise.all([
    loadEnd(client, wish, signal),
    wish.distance === undefined ? undefined : loadBegin(client, wish, wish.distance, first, signal),
  ]);
  return groups.map((group, i): LapRow => {
    const { value, range, first: firstRow, topSpeed } = group;
    const before = i === 0 ? begin : crossings[i - 1];
    const after = crossings[i];
    const next = groups[i + 1]?.first;
    const isAtBegin = i > 0 || begin !== undefined;
    const whyNotBegun =
      group.whyNotBegun ?? (before === null ? lost('begins') : isAtBegin ? undefined : noBegin);
    const whyNotEnded =
      group.whyNotEnded ?? (next === undefined ? noEnd : after === null ? lost('ends') : undefined);
    const whyNotWhole = whyNotBegun ?? whyNotEnded;
    return {
      stream: wish.stream,
      value,
      range,
      start: before?.time ?? firstRow,
      end: after?.time ?? next ?? last + oneNs,
      isBegun: whyNotBegun === undefined,
      isWhole: whyNotWhole === undefined,
      whyNotWhole,
      isExact: before != null && after != null,
      topSpeed,
      length: after?.length,
    };
  });
}

/** Laps that are values of a tag, and the lines between them. */
async function loadTaggedLaps(client: Client, wish: TaggedWish, kept: KeptBorders, signal: AbortSignal) {
  const { stream, tag, counted, speed } = wish;
  const numericParameters = [
    { parameterName: counted, aggregationType: 'Count' as const },
    ...(speed === undefined ? [] : [{ parameterName: speed, aggregationType: 'Max' as const }]),
  ];
  const answers = await loadByLap(client, stream, { tag }, { numericParameters }, signal);
  const groups = answers.flatMap(({ lap: value, first, numberOf }): Group[] => {
    const [rows, topSpeed] = [numberOf(`count(${counted})`) ?? 0, numberOf(`max(${speed})`)];
    return value === null ? [] : [{ value, first, rows, topSpeed }];
  });
  const lines = groups.map(async (lap, i) => {
    const next = groups[i + 1];
    if (next === undefined || i >= mostLines) return undefined;
    const key = JSON.stringify([wish, lap, next], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    const known = kept.get(key);
    if (known !== undefined) return known.line;
    const line = await loadLine(client, wish, lap, next, signal);
    kept.set(key, { at: next.first, line });
    return line;
  });
  return { groups, lines: await Promise.all(lines) };
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

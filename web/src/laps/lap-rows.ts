import type { Client } from '../../../src/client/client.ts';
import type { StreamRef } from '../state/view-text.ts';
import { type Group, type KeptLines, type LapWish, type Line, loadLine } from './lap-line.ts';

/** A lap of a stream as the table tells it. */
export interface LapRow {
  readonly stream: StreamRef;
  /** Of the tag that counts laps. */
  readonly value: string;
  /** When the line was crossed, ns; of a lap that is not whole, its first row and the first one behind it. */
  readonly start: bigint;
  readonly end: bigint;
  /** Whether it began at the line, with rows there. */
  readonly isBegun: boolean;
  /** From line to line, with rows at both. */
  readonly isWhole: boolean;
  /** Why it is a part; undefined of one that is whole. */
  readonly whyPart: string | undefined;
  /** Whether crossings were found between rows; else they are those of whole rows. */
  readonly isExact: boolean;
  readonly topSpeed: number | undefined;
  /** The way from line to line, where it is known. */
  readonly length: number | undefined;
}

/** Behind so many laps nobody looks at lines: they are not shown. */
const mostLines = 500;
/** The last lap of all ends with its last row. */
const oneNs = 1n;

const noBegin = 'A part: nothing says that it began at the line. The recording begins in it.';
const noEnd = 'A part: no next lap ends it. The recording ends in it, or it is still being driven.';
const lost = (verb: string) => `A part: rows are missing at the line where it ${verb}.`;

/** The laps of a stream in order of time. What was found of lines is taken from `kept`, and kept, while no rows come at them. */
export async function loadLapRows(
  client: Client,
  wish: LapWish,
  kept: KeptLines,
  signal: AbortSignal,
): Promise<LapRow[]> {
  const groups = await loadGroups(client, wish, signal);
  const [first] = groups;
  if (first === undefined) return [];
  const lines = groups.map(async (lap, i) => {
    const next = groups[i + 1];
    if (next === undefined || i >= mostLines) return undefined;
    const key = JSON.stringify([wish, lap, next], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    if (kept.has(key)) return kept.get(key);
    const line = await loadLine(client, wish, lap, next, signal);
    kept.set(key, line);
    return line;
  });
  const [last, begin, crossings] = await Promise.all([
    loadEnd(client, wish, signal),
    wish.distance === undefined ? undefined : loadBegin(client, wish, wish.distance, first, signal),
    Promise.all(lines),
  ]);
  return groups.map(({ value, first: firstRow, topSpeed }, i): LapRow => {
    const before = i === 0 ? begin : crossings[i - 1];
    const after = crossings[i];
    const next = groups[i + 1]?.first;
    const whyNotBegun = before === null ? lost('begins') : i > 0 || begin !== undefined ? undefined : noBegin;
    const whyNotEnded = next === undefined ? noEnd : after === null ? lost('ends') : undefined;
    const whyPart = whyNotBegun ?? whyNotEnded;
    return {
      stream: wish.stream,
      value,
      start: before?.time ?? firstRow,
      end: after?.time ?? next ?? last + oneNs,
      isBegun: whyNotBegun === undefined,
      isWhole: whyPart === undefined,
      whyPart,
      isExact: before != null && after != null,
      topSpeed,
      length: after?.length,
    };
  });
}

async function loadGroups(
  client: Client,
  { stream, tag, counted, speed }: LapWish,
  signal: AbortSignal,
): Promise<Group[]> {
  const { timestamps, tagValues, numericValues } = await client.query(
    {
      topic: stream.topic,
      streamIds: [stream.streamId],
      numericParameters: [
        { parameterName: counted, aggregationType: 'Count' },
        ...(speed === undefined ? [] : [{ parameterName: speed, aggregationType: 'Max' as const }]),
      ],
      groupBy: [tag],
    },
    { signal },
  );
  return timestamps
    .flatMap((first, row): Group[] => {
      const value = tagValues[tag]?.[row] ?? null;
      if (value === null) return [];
      const rows = numericValues[`count(${counted})`]?.[row] ?? 0;
      return [{ value, first, rows, topSpeed: numericValues[`max(${speed})`]?.[row] ?? undefined }];
    })
    .sort((a, b) => (a.first < b.first ? -1 : 1));
}

/** Time of the last row of all. */
async function loadEnd(client: Client, { stream, counted }: LapWish, signal: AbortSignal): Promise<bigint> {
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
  { stream }: LapWish,
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

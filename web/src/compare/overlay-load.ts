import type { Client, ParameterData, TagFilter } from '../../../src/client/client.ts';
import { bucketFor } from '../look/traces.ts';
import type { StreamRef } from '../state/view-text.ts';

/** One line of an overlay: a parameter of a stream where a tag has a value. */
export interface OverlayLine {
  readonly stream: StreamRef;
  /** Empty where whole streams are laid over each other. */
  readonly value: string;
  readonly parameter: string;
  /** Seconds since the first row, or the values of the parameter that aligns. */
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface OverlayWish {
  readonly streams: readonly StreamRef[];
  /** Empty: no tag, whole streams. */
  readonly tag: string;
  readonly values: readonly string[];
  readonly parameters: readonly string[];
  /** Empty: time since the first row. */
  readonly alignBy: string;
}

const rawRows = 4000;

/** Loads every line, each from its own first row on. */
export async function loadOverlay(
  client: Client,
  wish: OverlayWish,
  width: number,
  signal: AbortSignal,
): Promise<OverlayLine[]> {
  const values = wish.tag === '' ? [''] : wish.values;
  const lines = wish.streams.flatMap((stream) =>
    values.map((value) => loadLine(client, wish, stream, value, width, signal)),
  );
  return (await Promise.all(lines)).flat();
}

async function loadLine(
  client: Client,
  { tag, parameters, alignBy }: OverlayWish,
  stream: StreamRef,
  value: string,
  width: number,
  signal: AbortSignal,
): Promise<OverlayLine[]> {
  const filters: readonly TagFilter[] = tag === '' ? [] : [{ tag, value }];
  const place = { topic: stream.topic, streamIds: [stream.streamId], tagFilters: filters };
  const names = [...new Set([...parameters, ...(alignBy === '' ? [] : [alignBy])])];
  const raw = names.map((parameterName) => ({ parameterName }));
  const { data, nextCursor } = await client.page(
    { ...place, numericParameters: raw, limit: rawRows },
    { signal },
  );
  const [first] = data.timestamps;
  if (first === undefined) return [];
  const lineOf = (
    rows: ParameterData,
    parameter: string,
    low: string,
    high: string,
    by: string,
  ): OverlayLine => ({
    stream,
    value,
    parameter,
    ...pointsOf(rows, first, low, high, by),
  });
  if (nextCursor === undefined) return parameters.map((name) => lineOf(data, name, name, name, alignBy));

  const last = await client.page({ ...place, numericParameters: raw, order: 'Desc', limit: 1 }, { signal });
  const to = last.data.timestamps[0]!;
  const bucket = bucketFor({ from: first, to }, width);
  const buckets = await client.query(
    {
      ...place,
      from: first,
      to,
      groupByTime: { timeBucketDuration: bucket },
      numericParameters: [
        ...parameters.flatMap((parameterName) => [
          { parameterName, aggregationType: 'Min' as const },
          { parameterName, aggregationType: 'Max' as const },
        ]),
        ...(alignBy === '' ? [] : [{ parameterName: alignBy, aggregationType: 'Mean' as const }]),
      ],
    },
    { signal },
  );
  const by = alignBy === '' ? '' : `mean(${alignBy})`;
  return parameters.map((name) => lineOf(buckets, name, `min(${name})`, `max(${name})`, by));
}

/** Points of a line; a bucket is two, its smallest and its largest value. */
function pointsOf(rows: ParameterData, first: bigint, low: string, high: string, by: string) {
  const x: number[] = [];
  const y: number[] = [];
  const lows = rows.numericValues[low] ?? [];
  const highs = rows.numericValues[high] ?? [];
  const align = by === '' ? undefined : rows.numericValues[by];
  for (const [row, time] of rows.timestamps.entries()) {
    const least = lows[row] ?? null;
    const place = align === undefined ? Number(time - first) / 1e9 : (align[row] ?? null);
    if (least === null || place === null) continue;
    x.push(place);
    y.push(least);
    const most = highs[row] ?? null;
    if (low === high || most === null || most === least) continue;
    x.push(place);
    y.push(most);
  }
  return { x, y };
}

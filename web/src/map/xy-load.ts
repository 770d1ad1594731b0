import type { Client, ParameterData } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { gapsOf } from '../lines/gaps.ts';
import { bucketFor, fewRows, type Selection } from '../lines/point-load.ts';
import { allTime } from '../lines/time-text.ts';
import type { TimeRange } from '../state/view-text.ts';
import { type Column, type JoinedRows, joinRows } from './joined-rows.ts';

/** Which parameters are drawn: across, up, and as colours; the last one is empty where there is none. */
export type Names = readonly [x: string, y: string, shade: string];

/** Rows that have a number of both parameters, or of one beside the last number of the other, in order of time. */
export interface XyRows {
  readonly names: Names;
  /** Of each row. Where not all rows are drawn: of the bucket whose first row it is. */
  readonly times: readonly bigint[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Of the third parameter; NaN where a row has none. Absent without one. */
  readonly shade?: readonly number[];
  /** 1 where a gap in time lies before a row. */
  readonly gaps: Uint8Array;
  /** How many of them have a value of each parameter that was written before them, and not at their time. */
  readonly held?: JoinedRows['held'];
  /** Of all that was read, how many rows of the first parameter, and of the second one, have no value of the other. */
  readonly alone?: JoinedRows['alone'];
  /** How many of the rows do not have the third one. */
  readonly uncoloured?: number;
  /** How many rows of the parameter whose rows are drawn there are, where not all are drawn. */
  readonly of?: number;
  /** Length of time that has one row drawn, ns, where not all are drawn, but one of each while. */
  readonly bucket?: bigint;
  /** The same where times are those of rows all the same. */
  readonly thinned?: bigint;
}

/**
 * Loads rows to draw one parameter over another: all of them where there are `most` at most. Of more the first row of each
 * of so many buckets, if both parameters are written together, with the first value of the colour; else the first `most`
 * rows. Never means: they would show values that nobody wrote.
 */
export async function loadRows(
  client: Client,
  rows: Selection,
  names: Names,
  range: TimeRange,
  most: number,
  signal: AbortSignal,
): Promise<XyRows> {
  const requested = [...new Set(names)].flatMap((parameterName) =>
    parameterName ? [{ parameterName }] : [],
  );
  const first = await client.page(
    { ...rows, ...range, numericParameters: requested, limit: most },
    { signal },
  );
  const before = isWrittenTogether(first.data, names)
    ? none
    : await loadBefore(client, rows, names, range, first.data, signal);
  const isPair = first.nextCursor !== undefined && isWrittenTogether(first.data, names.slice(0, 2));
  const few = isPair ? await loadFew(client, rows, names, range, most, signal) : undefined;
  if (few !== undefined) {
    const { data, ...of } = few;
    return { ...rowsOf(data, names, (name) => `first(${name})`, before), ...of };
  }
  const { points, ...all } = rowsOf(first.data, names, (name) => name, before);
  if (first.nextCursor === undefined) return all;
  const parameterName = names[points];
  const of = await client.query(
    { ...rows, ...range, numericParameters: [{ parameterName, aggregationType: 'Count' }] },
    { signal },
  );
  return { ...all, of: of.numericValues[`count(${parameterName})`]?.[0] ?? all.x.length };
}

/** Rows before a range, by parameter. */
type Before = ReadonlyMap<string, Earlier>;
interface Earlier {
  readonly times: readonly bigint[];
  readonly values: readonly number[];
}
const none: Before = new Map();

/** The last rows before a range, of parameters whose values may hold in it, or which have too few in it to tell how long they do. */
async function loadBefore(
  client: Client,
  rows: Selection,
  names: Names,
  { from }: TimeRange,
  { timestamps, numericValues }: ParameterData,
  signal: AbortSignal,
): Promise<Before> {
  const wanted = [...new Set(names)].filter((name) => {
    const column = numericValues[name] ?? [];
    const isFew = column.filter((value) => value !== null).length < fewRows;
    // What is calculated may begin where the range does, and to go far back for it is dear.
    return name !== '' && !isCalculated(name) && (column[0] == null || isFew);
  });
  if (timestamps.length === 0 || from === allTime.from) return none;
  const loads = wanted.map(async (parameterName) => {
    const query = { ...rows, from: allTime.from, to: from - 1n, numericParameters: [{ parameterName }] };
    const { data } = await client.page({ ...query, order: 'Desc', limit: fewRows }, { signal });
    const values = (data.numericValues[parameterName] ?? []).map((value) => value ?? Number.NaN);
    return [parameterName, { times: data.timestamps.toReversed(), values: values.reverse() }] as const;
  });
  return new Map(await Promise.all(loads));
}

/** The first row of each bucket; undefined where both parameters turn out to have rows of their own. */
async function loadFew(
  client: Client,
  rows: Selection,
  names: Names,
  range: TimeRange,
  most: number,
  signal: AbortSignal,
): Promise<(Required<Pick<XyRows, 'of' | 'bucket'>> & { readonly data: ParameterData }) | undefined> {
  const bucket = bucketFor(range, most);
  const parameters = [...new Set(names)].filter((name) => name !== '');
  const data = await client.query(
    {
      ...rows,
      ...range,
      numericParameters: parameters.flatMap((parameterName) =>
        (['First', 'Count'] as const).map((aggregationType) => ({ parameterName, aggregationType })),
      ),
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const [ofFirst = [], ofSecond = []] = names.map((name) => data.numericValues[`count(${name})`] ?? []);
  if (ofFirst.some((count, i) => count !== ofSecond[i])) return undefined;
  const of = ofFirst.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { data, of, bucket };
}

/** Whether each row has all of the parameters or none. */
function isWrittenTogether({ timestamps, numericValues }: ParameterData, names: readonly string[]): boolean {
  const columns = names.filter((name) => name !== '').map((name) => numericValues[name] ?? []);
  return timestamps.every((_, row) => {
    const has = columns.map((column) => column[row] != null);
    return has.every((own) => own === has[0]);
  });
}

function rowsOf(
  data: ParameterData,
  names: Names,
  columnOf: (name: string) => string,
  before: Before = none,
): XyRows & Pick<JoinedRows, 'points'> {
  const [first = 0n] = data.timestamps;
  const column = (name: string) => columnIn(data, columnOf(name), first, before.get(name));
  const [x, y, colour] = names;
  const { times, shade, alone, uncoloured, ...joined } = joinRows(
    column(x),
    column(y),
    colour === '' ? undefined : column(colour),
  );
  return {
    ...joined,
    names,
    times: times.map((time) => first + BigInt(time)),
    // Those of a parameter that is written more often are no loss.
    alone: alone[joined.points] === 0 ? [0, 0] : alone,
    ...(colour !== '' && { shade, uncoloured }),
    gaps: gapsOf(times),
  };
}

/** The values of a column, and those before them, since a time. */
function columnIn(
  { timestamps, numericValues }: ParameterData,
  name: string,
  since: bigint,
  { times, values }: Earlier = nothing,
): Column {
  const column = numericValues[name] ?? [];
  const rows = timestamps.flatMap((_, row) => (column[row] == null ? [] : [row]));
  return {
    times: [...times, ...rows.map((row) => timestamps[row]!)].map((time) => Number(time - since)),
    values: [...values, ...rows.map((row) => column[row]!)],
    rows: [...times.map(() => -1), ...rows],
    before: times.length,
  };
}

const nothing: Earlier = { times: [], values: [] };

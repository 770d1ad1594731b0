import type { Client, ParameterData } from '../../../src/client/client.ts';
import { gapsOf } from '../lines/gaps.ts';
import { bucketFor, type Selection } from '../lines/point-load.ts';
import type { TimeRange } from '../state/view-text.ts';

/** Which parameters are drawn: across, up, and as colours; the last one is empty where there is none. */
export type Names = readonly [x: string, y: string, shade: string];

/** Rows that have a number of both parameters, in order of time. */
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
  /** Of all that was read, how many rows have only the first parameter, and how many only the second one. */
  readonly alone?: readonly [x: number, y: number];
  /** How many of the rows do not have the third one. */
  readonly uncoloured?: number;
  /** How many rows of the first parameter there are, where not all are drawn. */
  readonly of?: number;
  /** Length of time that has one row drawn, ns, where not all are drawn, but one of each while. */
  readonly bucket?: bigint;
  /** The same where times are those of rows all the same. */
  readonly thinned?: bigint;
}

/**
 * Loads rows to draw one parameter over another: all of them where there are `most` at most. Of more the first row of each
 * of so many buckets, if the parameters are written together; else the first `most` rows. Never means: they would show
 * values that nobody wrote.
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
  const all = rowsOf(first.data, names, (name) => name);
  if (first.nextCursor === undefined) return all;
  const few = isWrittenTogether(first.data, names)
    ? await loadFew(client, rows, names, range, most, signal)
    : undefined;
  if (few !== undefined) return few;
  const of = await client.query(
    { ...rows, ...range, numericParameters: [{ parameterName: names[0], aggregationType: 'Count' }] },
    { signal },
  );
  return { ...all, of: of.numericValues[`count(${names[0]})`]?.[0] ?? all.x.length };
}

/** The first row of each bucket; undefined where the parameters turn out to have rows of their own. */
async function loadFew(
  client: Client,
  rows: Selection,
  names: Names,
  range: TimeRange,
  most: number,
  signal: AbortSignal,
): Promise<XyRows | undefined> {
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
  const counts = parameters.map((name) => data.numericValues[`count(${name})`] ?? []);
  const [ofFirst = []] = counts;
  if (counts.some((column) => column.some((count, i) => count !== ofFirst[i]))) return undefined;
  const of = ofFirst.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { ...rowsOf(data, names, (name) => `first(${name})`), of, bucket };
}

/** Whether each row has all of the parameters or none. */
function isWrittenTogether({ timestamps, numericValues }: ParameterData, names: Names): boolean {
  const columns = names.filter((name) => name !== '').map((name) => numericValues[name] ?? []);
  return timestamps.every((_, row) => {
    const has = columns.map((column) => column[row] != null);
    return has.every((own) => own === has[0]);
  });
}

function rowsOf(
  { timestamps, numericValues }: ParameterData,
  names: Names,
  columnOf: (name: string) => string,
): XyRows {
  const [xName, yName, shadeName] = names;
  const column = (name: string) => numericValues[columnOf(name)] ?? [];
  const [xs, ys, shades] = [column(xName), column(yName), column(shadeName)];
  const rows = timestamps.flatMap((_, row) =>
    Number.isFinite(xs[row] ?? Number.NaN) && Number.isFinite(ys[row] ?? Number.NaN) ? [row] : [],
  );
  const times = rows.map((row) => timestamps[row]!);
  const without = (own: typeof xs, other: typeof xs) =>
    timestamps.reduce((sum, _, row) => sum + Number(own[row] != null && other[row] == null), 0);
  const [first = 0n] = times;
  return {
    names,
    times,
    x: rows.map((row) => xs[row]!),
    y: rows.map((row) => ys[row]!),
    alone: [without(xs, ys), without(ys, xs)],
    ...(shadeName !== '' && {
      shade: rows.map((row) => shades[row] ?? Number.NaN),
      uncoloured: rows.filter((row) => shades[row] == null).length,
    }),
    gaps: gapsOf(times.map((time) => Number(time - first))),
  };
}

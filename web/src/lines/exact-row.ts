import type { ParameterData } from '../../../src/client/client.ts';
import type { TimeRange } from '../state/view-text.ts';
import { isCalculated } from './calculated.ts';
import type { PointSource, Selection } from './point-load.ts';
import { type Reading, valueText } from './reading.ts';

/** What was written of a channel at one time. */
export interface ExactRow {
  /** ns. */
  readonly time: bigint;
  /** The same but where rows of one time, which have different tags, differ; NaN of text. */
  readonly low: number;
  readonly high: number;
  readonly rows: number;
  readonly text?: string;
}

/** Asks for the row of a channel at a time, or the last one before it. */
export interface RowWish {
  readonly rows: Selection;
  readonly parameter: string;
  readonly isText: boolean;
  /** ns. */
  readonly at: bigint;
  /** No row before it holds; where it has none until `at`, its first one is meant. */
  readonly near: TimeRange;
  /** Where what is calculated begins: integrals are 0 there. */
  readonly begin: bigint;
}

/** So many rows are read at once of channels that may have rows of their own. */
const rowsTogether = 16;
const rowsAlone = 4;

/** The rows of wishes that have the same selection and time, in their order; undefined where there is none. */
export async function loadExactRows(
  client: PointSource,
  wishes: readonly RowWish[],
  signal: AbortSignal,
): Promise<(ExactRow | undefined)[]> {
  // What is calculated is dear: each holds back nothing but itself.
  const written = wishes.filter(({ parameter }) => !isCalculated(parameter));
  const together = written.length > 1 ? await loadTogether(client, written, signal) : undefined;
  return Promise.all(
    wishes.map(async (wish) => {
      const known = together && written.includes(wish) ? rowIn(together, wish, rowsTogether) : undefined;
      return known ?? loadAlone(client, wish, signal);
    }),
  );
}

async function loadTogether(
  client: PointSource,
  wishes: readonly RowWish[],
  signal: AbortSignal,
): Promise<ParameterData | undefined> {
  const { rows, at } = wishes[0]!;
  const from = wishes.map(({ near }) => near.from).reduce((a, b) => (a < b ? a : b));
  if (from > at) return undefined;
  const names = (isText: boolean) =>
    wishes.flatMap((wish) => (wish.isText === isText ? [{ parameterName: wish.parameter }] : []));
  const query = { ...rows, from, to: at, numericParameters: names(false), stringParameters: names(true) };
  return (await client.page({ ...query, order: 'Desc', limit: rowsTogether }, { signal })).data;
}

async function loadAlone(
  client: PointSource,
  wish: RowWish,
  signal: AbortSignal,
): Promise<ExactRow | undefined> {
  const { rows, parameter, isText, at, near } = wish;
  const requested = [{ parameterName: parameter }];
  const query = { ...rows, ...(isText ? { stringParameters: requested } : { numericParameters: requested }) };
  const isOwn = isCalculated(parameter);
  const begin = isOwn ? wish.begin : near.from;
  const read = async (from: bigint, to: bigint, order: 'Asc' | 'Desc') => {
    if (from > to) return undefined;
    const { data } = await client.page({ ...query, from, to, order, limit: rowsAlone }, { signal });
    const [time] = data.timestamps;
    if (time === undefined || time < near.from) return undefined;
    const found = rowIn(data, wish, rowsAlone);
    if (found !== undefined) return found;
    // Rows of one time fill the page.
    const all = await client.query({ ...query, from: isOwn ? begin : time, to: time }, { signal });
    return rowIn(all, wish, Number.POSITIVE_INFINITY, time);
  };
  const held = await read(begin, at, 'Desc');
  // From there on, an integral would be another one.
  return held ?? (isOwn ? undefined : read(near.from, near.to, 'Asc'));
}

/** The first row of a page that has the channel, with the others of its time; undefined where there is none, or more may be on the next page. */
function rowIn(
  { timestamps, numericValues, stringValues }: ParameterData,
  { parameter, isText, near }: RowWish,
  limit: number,
  at?: bigint,
): ExactRow | undefined {
  const values = isText ? stringValues : numericValues;
  // Any object has a `constructor`.
  const column = Object.hasOwn(values, parameter) ? values[parameter]! : [];
  const first = timestamps.findIndex((time, row) => column[row] != null && (at === undefined || time === at));
  const time = timestamps[first];
  if (time === undefined || (time < near.from && at === undefined)) return undefined;
  if (timestamps.length >= limit && timestamps.at(-1) === time) return undefined;
  const own = timestamps.flatMap((other, row) => (other === time ? (column[row] ?? []) : []));
  if (isText)
    return { time, low: Number.NaN, high: Number.NaN, rows: own.length, text: [...new Set(own)].join(', ') };
  const numbers = own as number[];
  const isNone = numbers.some(Number.isNaN);
  return {
    time,
    low: isNone ? Number.NaN : numbers.reduce((a, b) => (b < a ? b : a)),
    high: isNone ? Number.NaN : numbers.reduce((a, b) => (b > a ? b : a)),
    rows: own.length,
  };
}

/** The reading of a row in the place of that of its pixel, which is told beside it. */
export function exactReading({ near: _, ...band }: Reading, row: ExactRow, x = band.x): Reading {
  const { time, low, high, rows, text } = row;
  const isRounded = band.isRounded && { isRounded: true as const };
  const own = { x, low, high, rows, span: { from: time, to: time }, ...isRounded };
  return { ...own, ...(band.text !== undefined && { text: text ?? valueText(own) }), band };
}

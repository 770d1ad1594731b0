import { foldTopic } from '../../../domain/topic.ts';
import { PitwallError } from '../../../errors.ts';
import type { Pace } from '../../../query/pace.ts';
import type { ReadPlan } from '../../../query/plan.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { RowSource } from '../../calculated/row-source.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { sliceBlock } from '../../slice-block.ts';
import type { RowBlock } from '../../store.ts';
import type { ClickHouse, StatementOptions } from '../server/client.ts';
import { every, integer, join, print, type Sql, sql } from '../server/sql.ts';
import { type SeriesRange, series, windowPieces } from '../server/window-sql.ts';
import type { LookForWindows } from './held-tables.ts';
import { readNative } from './native-answer.ts';
import type { ScratchPool } from './scratch-memory.ts';
import {
  isShown,
  type Kept,
  narrowed,
  ofParameters,
  selectedRows,
  streamsInScope,
  timesOf,
} from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { type Alike, asksTexts, sliceBuilder } from './slice-builder.ts';
import { sliceRows } from './slice-rows.ts';
import { tagConditions } from './tag-sql.ts';
import type { TopicNames } from './topic-names.ts';
import { valueRangeOf } from './value-range.ts';

/**
 * Raw rows, read slice of time by slice of time. A slice is one statement whose values come as they stand in the
 * table, without any sorting by ClickHouse, and are sorted and put together to rows here. How long slices are follows
 * from how many values the ones before had, so that what is in memory is bounded, and a limit reads little more than
 * what it gives. (Figures: docs/decisions/010-reads-on-clickhouse.md.)
 */

/** Values of a slice that is just right: some 10 MB, and worth its statement. */
const usualValues = 262_144;
/** A slice with more values, or with more bytes of texts, is given up and cut, unless it is a single time. */
const maxValues = 4 * usualValues;
const maxTextBytes = 32 << 20;
/** Of a single time more is refused. */
const maxValuesOfTime = 16 * usualValues;
const maxTextBytesOfTime = 256 << 20;

export interface RunContext {
  readonly clickhouse: ClickHouse;
  readonly options: StatementOptions;
  readonly kept: Kept;
  readonly hasWindows: LookForWindows;
  readonly topicNames: TopicNames;
  readonly scratch: ScratchPool;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

export function run(plan: ReadPlan, context: RunContext): AsyncGenerator<RowBlock> {
  return calculates(plan) ? calculatedRows(plan, rowSource(context)) : storedRows(plan, context);
}

/** The rows that a plan calculates from. Each read sees what is there at its time. */
function rowSource(context: RunContext): RowSource {
  return {
    run: (plan) => storedRows(plan, context),
    runStream: (plan, { streamId, topic }) => storedRows({ ...plan, streamIds: [streamId], topic }, context),
  };
}

/** The rows of a plan that calculates nothing. */
async function* storedRows(asked: ReadPlan, context: RunContext): AsyncGenerator<RowBlock> {
  const plan = narrowed(behindCursor(asked), context.kept);
  if (plan === undefined || plan.parameters.length === 0) return;
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  for await (const slice of slicesOf(plan, context)) {
    for await (const block of sliceRows(slice, plan, context.pace)) {
      yield block.count > left ? sliceBlock(block, 0, left) : block;
      left -= block.count;
      if (left <= 0) return;
    }
  }
}

/** Times before the cursor's are not wanted; of its own time some rows may be. */
function behindCursor(plan: ReadPlan): ReadPlan {
  const { after, from, to, order } = plan;
  if (after === undefined) return plan;
  if (order === 'Desc') return after.timestamp < to ? { ...plan, to: after.timestamp } : plan;
  return after.timestamp > from ? { ...plan, from: after.timestamp } : plan;
}

/** Slices in the plan's order that hold all rows of it. */
async function* slicesOf(plan: ReadPlan, context: RunContext): AsyncGenerator<Slice> {
  if (plan.limit === undefined) {
    // Most reads are small: then one statement is all.
    const whole = await readSlice(plan, plan.from, plan.to, context, 2 * usualValues);
    if (whole !== undefined) {
      if (whole.values > 0) yield whole;
      return;
    }
  }
  const range = await valueRangeOf(plan, context);
  if (range === undefined) return;
  const wanted = Math.min(
    usualValues,
    Math.max(2048, 2 * (plan.limit ?? usualValues) * plan.parameters.length),
  );
  const { first, last, count } = range;
  let width = scaled(last - first + 1n, wanted / Math.max(wanted, count));
  const descending = plan.order === 'Desc';
  for (let from = first, to = last; from <= to; ) {
    // Slices that hold nothing take time, too.
    const turn = context.pace();
    if (turn !== undefined) await turn;
    const span = width > to - from ? to - from + 1n : width;
    const [begin, end] = descending ? [to - span + 1n, to] : [from, from + span - 1n];
    const slice = await readSlice(plan, begin, end, context, span === 1n ? maxValuesOfTime : maxValues);
    if (slice === undefined) {
      if (span === 1n) throw tooManyAtOnce(begin);
      width = scaled(span, 1 / 8);
      continue;
    }
    if (slice.values > 0) yield slice;
    if (descending) to = begin - 1n;
    else from = end + 1n;
    width = scaled(span, Math.min(8, Math.max(1 / 8, usualValues / Math.max(1, slice.values))));
  }
}

function scaled(span: bigint, factor: number): bigint {
  const bits = 1_000_000;
  const width = (span * BigInt(Math.ceil(factor * bits))) / BigInt(bits);
  return width > 0n ? width : 1n;
}

/** The values between two times (ns, both inclusive); undefined where there are more than `most`. */
async function readSlice(
  plan: ReadPlan,
  from: bigint,
  to: bigint,
  { clickhouse, options, kept, hasWindows, topicNames, scratch, countRows }: RunContext,
  most: number,
): Promise<Slice | undefined> {
  const alike = alikeOf(plan);
  const isOfWindows = await hasWindows(options);
  const select = isOfWindows ? selectPieces : selectValues;
  const statement = select({ ...plan, from, to }, kept, alike, most + 1);
  const memory = scratch.open();
  const builder = sliceBuilder(plan.parameters, alike, memory);
  const bytesAllowed = from === to ? maxTextBytesOfTime : maxTextBytes;
  for await (const block of readNative(clickhouse.stream(print(statement), options), memory)) {
    countRows(block.rows);
    if (isOfWindows) builder.addLists(block);
    else builder.add(block);
    if (builder.values > most || builder.textBytes > bytesAllowed) {
      memory.release();
      return undefined;
    }
  }
  const slice = builder.build();
  const topics = await topicNames(slice.streams.map(({ topic }) => topic));
  return { ...slice, streams: slice.streams.map(({ streamId }, i) => ({ streamId, topic: topics[i]! })) };
}

function alikeOf({ topic, streamIds, parameters }: ReadPlan): Alike {
  const [first, ...others] = parameters;
  return {
    topic: topic === undefined ? undefined : foldTopic(topic),
    streamId: streamIds?.length === 1 ? streamIds[0] : undefined,
    kind: others.every(({ kind }) => kind === first!.kind) ? first!.kind : undefined,
  };
}

/** The columns that a slice is built of, in its order. */
function selectValues(plan: ReadPlan, kept: Kept, alike: Alike, most: number): Sql {
  const where = every([...selectedRows(plan, kept), ofParameters(plan.parameters)]);
  const columns = [sql`timestamp`, sql`tags`, sql`parameter`, sql`number`];
  if (alike.topic === undefined) columns.push(sql`topic`);
  if (alike.streamId === undefined) columns.push(sql`stream`);
  if (alike.kind === undefined) columns.push(sql`CAST(kind, 'Int8')`);
  if (asksTexts(plan.parameters)) columns.push(sql`text`);
  return sql`SELECT ${join(columns)}
FROM samples FINAL WHERE ${where} LIMIT ${integer(most)} FORMAT Native`;
}

/** The same of both tables, as lists of values of one version and tag set, not told apart. */
function selectPieces(plan: ReadPlan, kept: Kept, alike: Alike, most: number): Sql {
  const hasTexts = asksTexts(plan.parameters);
  const range: SeriesRange = {
    where: [...streamsInScope(plan), ofParameters(plan.parameters)],
    ...timesOf(plan, kept),
  };
  const columns = [sql`times`, sql`toLowCardinality(tags)`, sql`parameter`, sql`numbers`];
  if (alike.topic === undefined) columns.push(sql`topic`);
  if (alike.streamId === undefined) columns.push(sql`stream`);
  if (alike.kind === undefined) columns.push(sql`CAST(kind, 'Int8')`);
  if (hasTexts) columns.push(sql`texts`);
  columns.push(sql`version`, sql`first`, sql`last`);
  const samples = sql`SELECT ${series}, toString(tags) AS tags, version, timestamp AS first, timestamp AS last,
  [timestamp] AS times, [number] AS numbers${hasTexts ? sql`, [text] AS texts` : sql``}
FROM samples WHERE ${every([...range.where, sql`timestamp BETWEEN ${range.from} AND ${range.to}`])}`;
  const where = every([isShown(plan), ...tagConditions(plan.tagFilters)]);
  return sql`SELECT ${join(columns)} FROM (${windowPieces(range, hasTexts)} UNION ALL ${samples})
WHERE ${where} LIMIT ${integer(most)} FORMAT Native`;
}

function tooManyAtOnce(time: bigint): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `there are more than ${maxValuesOfTime} values at the time ${time}; ask for fewer streams or parameters`,
  });
}

import { Kind } from '../../../domain/parameter-data.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { ReadPlan } from '../../../query/plan.ts';
import { every, integer, join, print, type Sql, sql } from '../server/sql.ts';
import { type SeriesRange, series, windowPieces } from '../server/window-sql.ts';
import { readNative } from './native-answer.ts';
import { readWindows } from './read-windows.ts';
import type { RunContext, SliceReading } from './run-context.ts';
import { isShown, type Kept, ofParameters, selectedRows, streamsInScope, timesOf } from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { type Alike, asksTexts, sliceBuilder } from './slice-builder.ts';
import { tagConditions } from './tag-sql.ts';

/** A slice with more bytes of texts is given up, and one of a single time with so many. */
const maxTextBytes = 32 << 20;
const maxTextBytesOfTime = 256 << 20;

/** So many series at most are read with all of the windows that a range cuts. */
const fewSeries = 1000;

/**
 * In which form a statement asks for values. Without windows they come one by one (`values`). Windows of few series come as
 * they stand, and are taken apart here (`windows`): a short read pays for its statement, and that one is short. Of more series
 * the server cuts out what is in the range, so that no more comes (`pieces`).
 */
export async function formOf(
  { parameters, streamIds }: Pick<ReadPlan, 'parameters' | 'streamIds'>,
  { hasWindows, options }: Pick<RunContext, 'hasWindows' | 'options'>,
): Promise<'values' | 'windows' | 'pieces'> {
  // Events are in `samples` alone.
  if (parameters.every(({ kind }) => kind === Kind.Event) || !(await hasWindows(options))) return 'values';
  return streamIds !== undefined && streamIds.length * parameters.length <= fewSeries ? 'windows' : 'pieces';
}

/** The values between two times (ns, both inclusive); undefined where there are more than `most`. */
export async function readSlice(
  plan: ReadPlan,
  from: bigint,
  to: bigint,
  context: RunContext,
  most: number,
): Promise<Slice | undefined> {
  const { kept, topicNames, scratch } = context;
  const memory = scratch.open();
  const reading: SliceReading = {
    plan: { ...plan, from, to },
    kept,
    alike: alikeOf(plan),
    most,
    bytesAllowed: from === to ? maxTextBytesOfTime : maxTextBytes,
    memory,
  };
  const form = await formOf(plan, context);
  const slice =
    form === 'windows' ? await readWindows(reading, context) : await readValues(reading, form, context);
  if (slice === undefined) {
    memory.release();
    return undefined;
  }
  const topics = await topicNames(slice.streams.map(({ topic }) => topic));
  return { ...slice, streams: slice.streams.map(({ streamId }, i) => ({ streamId, topic: topics[i]! })) };
}

async function readValues(
  { plan, kept, alike, most, bytesAllowed, memory }: SliceReading,
  form: 'values' | 'pieces',
  { clickhouse, options, countRows }: RunContext,
): Promise<Slice | undefined> {
  const builder = sliceBuilder(plan.parameters, alike, memory);
  const select = form === 'values' ? selectValues : selectPieces;
  const statement = print(select(plan, kept, alike, most + 1));
  // Deletes are rows without values: of more rows than that the statement gives some.
  let rows = 0;
  for await (const block of readNative(clickhouse.stream(statement, options), memory)) {
    countRows(block.rows);
    if (form === 'values') builder.add(block);
    else builder.addLists(block);
    rows += block.rows;
    if (Math.max(rows, builder.values()) > most || builder.textBytes() > bytesAllowed) return undefined;
  }
  return builder.build();
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

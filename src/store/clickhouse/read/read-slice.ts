import { Kind } from '../../../domain/parameter-data.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { ReadPlan } from '../../../query/plan.ts';
import { every, integer, join, type Sql, sql } from '../server/sql.ts';
import { readBlocks } from './read-blocks.ts';
import { readPieces, readWindows } from './read-windows.ts';
import type { RunContext, SliceReading } from './run-context.ts';
import { ofParameters, selectedRows } from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { type Alike, asksTexts, differingColumns, sliceBuilder } from './slice-builder.ts';

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
  const alike = alikeOf(plan);
  const reading: SliceReading = {
    plan: { ...plan, from, to },
    kept,
    alike,
    builder: sliceBuilder(plan.parameters, alike, memory),
    most,
    bytesAllowed: from === to ? maxTextBytesOfTime : maxTextBytes,
    memory,
  };
  const read = readers[await formOf(plan, context)];
  const slice = await read(reading, context);
  if (slice === undefined) {
    memory.release();
    return undefined;
  }
  const topics = await topicNames(slice.streams.map(({ topic }) => topic));
  return { ...slice, streams: slice.streams.map(({ streamId }, i) => ({ streamId, topic: topics[i]! })) };
}

const readers = { values: readValues, windows: readWindows, pieces: readPieces };

async function readValues(reading: SliceReading, context: RunContext): Promise<Slice | undefined> {
  const { builder } = reading;
  return (await readBlocks(selectValues(reading), builder.add, reading, context))
    ? builder.build()
    : undefined;
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
function selectValues({ plan, kept, alike, most }: SliceReading): Sql {
  const where = every([...selectedRows(plan, kept), ofParameters(plan.parameters)]);
  const columns = [
    sql`timestamp`,
    sql`tags`,
    sql`parameter`,
    sql`number`,
    ...differingColumns(alike),
    ...(asksTexts(plan.parameters) ? [sql`text`] : []),
  ];
  return sql`SELECT ${join(columns)}
FROM samples FINAL WHERE ${where} LIMIT ${integer(most + 1)} FORMAT Native`;
}

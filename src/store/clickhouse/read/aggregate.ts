import type { ResultBlock } from '../../../domain/result.ts';
import { PitwallError } from '../../../errors.ts';
import { createAggregator } from '../../../query/aggregator.ts';
import { answerRows } from '../../../query/answer-rows.ts';
import type { Pace } from '../../../query/pace.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import { resultBlocks } from '../../../query/result-blocks.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { checkBuckets, tooManyRows } from '../../../query/time-buckets.ts';
import { addBlock, plainPlan, rowsPlan } from '../../calculated/calculated-aggregate.ts';
import type { ClickHouse, Settings, StatementOptions } from '../client.ts';
import { codeOf, messageOf } from '../client-errors.ts';
import { print } from '../sql.ts';
import { gatherSlots } from './aggregate-slots.ts';
import { needsFirstTime, type SpeltTopics, selectExtent, selectGroups } from './aggregate-sql.ts';
import { questionsOf } from './measures.ts';
import { readNative } from './native-answer.ts';
import { run, valueRangeOf } from './run.ts';
import type { ScratchPool } from './scratch-memory.ts';
import { type Kept, narrowed } from './selection-sql.ts';
import type { TopicNames } from './topic-names.ts';

export interface AggregateContext {
  readonly clickhouse: ClickHouse;
  readonly options: StatementOptions;
  readonly kept: Kept;
  readonly topicNames: TopicNames;
  readonly spelt: SpeltTopics;
  readonly memory: QueryMemory;
  readonly scratch: ScratchPool;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

/** An answer has so many rows at most: groups, or buckets of all groups. */
const maxRows = 1_000_000;

/**
 * Aggregates in ClickHouse: one statement for all parameters of which the same is asked. What comes back is a row per
 * group, bucket and parameter; empty buckets, order, cursor and limit are then the same code as the embedded store's.
 */
export async function* aggregate(
  plan: AggregatePlan,
  context: AggregateContext,
): AsyncGenerator<ResultBlock> {
  if (plan.calculated !== undefined) {
    yield* aggregateCalculated(plan, context);
    return;
  }
  const { clickhouse, options, kept, topicNames, spelt, memory, pace, countRows } = context;
  const narrow = narrowed(plan, kept);
  if (narrow === undefined) return;
  await checkExtent(narrow, { clickhouse, options });
  const gathered = gatherSlots(plan, memory, topicNames);
  for (const question of questionsOf(plan)) {
    const statement = print(selectGroups(narrow, question, kept, spelt));
    const settings: Settings = {
      ...options.settings,
      max_rows_to_group_by: String(maxRows * question.parameters.length),
      group_by_overflow_mode: 'throw',
    };
    try {
      for await (const block of readNative(clickhouse.stream(statement, { ...options, settings }))) {
        countRows(block.rows);
        await gathered.add(question, block);
        await pace();
      }
    } catch (error) {
      throw isTooManyGroups(error) ? tooManyGroups(plan) : error;
    }
  }
  const { groups, slots, origin, timeOf } = gathered;
  const grid = plan.buckets && { width: plan.buckets.width, origin };
  const timeOfSlot = needsFirstTime(plan) ? timeOf : undefined;
  const rows = await answerRows({ plan, groups, slots, grid, timeOfSlot }, memory, pace);
  yield* resultBlocks(plan, groups, rows, gathered.results(), memory, pace);
}

/** Aggregates here what is calculated from rows as they come from ClickHouse. */
async function* aggregateCalculated(
  plan: AggregatePlan,
  context: AggregateContext,
): AsyncGenerator<ResultBlock> {
  const { kept, memory, pace } = context;
  const narrow = narrowed(plan, kept);
  const range = narrow && (await valueRangeOf(narrow, context));
  if (range === undefined) return;
  const aggregator = createAggregator(plainPlan(plan), range, memory);
  const byStream = plan.groupBy.some((tag) => tag === 'streamId' || tag === 'topic');
  for await (const block of run(rowsPlan(plan), context)) {
    addBlock(aggregator, block, byStream);
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  yield* aggregator.finish(pace);
}

/** Refuses buckets that could not be told apart in the time that the streams of a plan have data of. */
async function checkExtent(
  plan: AggregatePlan,
  { clickhouse, options }: Pick<AggregateContext, 'clickhouse' | 'options'>,
): Promise<void> {
  const { buckets, from, to } = plan;
  if (buckets === undefined || (to - from) / buckets.width < largestNumber) return;
  const [row] = await clickhouse.rows<[first: string, last: string]>(print(selectExtent(plan)), options);
  const [first, last] = [BigInt(row![0]), BigInt(row![1])];
  const [begin, end] = [first < from ? from : first, last > to ? to : last];
  if (begin <= end) checkBuckets({ ...buckets, interpolation: 'None' }, begin, end);
}

/** Numbers of buckets are doubles; `checkBuckets` draws the line. */
const largestNumber = 2n ** 52n;

const tooManyRowsCode = 158;

function isTooManyGroups(error: unknown): boolean {
  return codeOf(error) === tooManyRowsCode && /GROUP BY/i.test(messageOf(error));
}

function tooManyGroups({ buckets, groupBy }: AggregatePlan): PitwallError {
  if (buckets !== undefined) return tooManyRows();
  return new PitwallError('query_too_large', {
    detail: `groupBy ${groupBy.join(', ')} makes more than ${maxRows} groups; group by fewer tags, or ask for less time`,
  });
}

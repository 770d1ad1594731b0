import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { ResultBlock } from '../../../domain/result.ts';
import { PitwallError } from '../../../errors.ts';
import { createAggregator } from '../../../query/aggregator.ts';
import { answerRows } from '../../../query/answer/answer-rows.ts';
import { resultBlocks } from '../../../query/answer/result-blocks.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import { type Calculated, runsAlongRows } from '../../../query/plan/calculated.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { checkBuckets, tooManyRows } from '../../../query/plan/time-buckets.ts';
import { addRows, plainPlan, rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { calculates } from '../../calculated/with-columns.ts';
import type { Settings } from '../server/client.ts';
import { codeOf, messageOf } from '../server/client-errors.ts';
import { print, type Sql } from '../server/sql.ts';
import { aggregateFew } from './aggregate-few.ts';
import { type GatheredSlots, gatherSlots } from './aggregate-slots.ts';
import { selectCleanSums, selectExtent, selectGroups, selectWindowEdges } from './aggregate-sql.ts';
import { expressionSql } from './expression-sql.ts';
import { needsFirstTime, type SpeltTopics } from './group-sql.ts';
import { type CalculatedNumber, type Question, questionsOf } from './measures.ts';
import { meetingsOf } from './meetings.ts';
import { readNative } from './native-answer.ts';
import { oneSnapshot } from './read-settings.ts';
import { run } from './run.ts';
import type { RunContext } from './run-context.ts';
import { narrowed } from './selection-sql.ts';
import { valueRangeOf } from './value-range.ts';

export interface AggregateContext extends RunContext {
  readonly spelt: SpeltTopics;
  readonly memory: QueryMemory;
  /** See `ReadLimits`. */
  readonly fewValues: number;
}

/** The most rows of an answer: groups, or buckets of all groups. */
const maxRows = 1_000_000;

/**
 * Aggregates in ClickHouse: one statement for all parameters of which the same is asked. What comes back is a row per
 * group, bucket and parameter; empty buckets, order, cursor and limit are then the same code as the embedded store's.
 */
export async function* aggregate(
  plan: AggregatePlan,
  context: AggregateContext,
): AsyncGenerator<ResultBlock> {
  const narrow = narrowed(plan, context.kept);
  if (narrow !== undefined) {
    await checkExtent(narrow, context);
    const few = runsAlongRows(plan) ? undefined : await aggregateFew(plan, narrow, context);
    if (few !== undefined) {
      yield* few.finish(context.pace);
      return;
    }
  }
  const calculated = calculates(plan) ? calculatedNumbers(plan) : new Map<number, CalculatedNumber>();
  const made = plainPlan(plan);
  const gathered = calculated && (await gatherThere(made, calculated, context));
  if (gathered === undefined) {
    yield* aggregateCalculated(plan, context);
    return;
  }
  const { memory, pace } = context;
  const { groups, slots } = gathered;
  const grid = made.buckets && { width: made.buckets.width, origin: gathered.origin() };
  const timeOfSlot = needsFirstTime(made) ? (slot: number) => gathered.timeOf(slot) : undefined;
  const rows = await answerRows({ plan: made, groups, slots, grid, timeOfSlot }, memory, pace);
  yield* resultBlocks(made, groups, rows, gathered.results(), memory, pace);
}

/**
 * What ClickHouse can calculate, by the places of the columns; undefined where that is not all of it.
 */
function calculatedNumbers({
  parameters,
  calculated: { requested, columns },
}: AggregatePlan & { readonly calculated: Calculated }): Map<number, CalculatedNumber> | undefined {
  const found = new Map<number, CalculatedNumber>();
  for (const [i, { name, expression, operands, perTopic }] of columns.entries()) {
    const row = perTopic === undefined ? expressionSql(expression) : undefined;
    if (row === undefined) return undefined;
    found.set(requested + i, { name, operands: operands.map((place) => parameters[place]!), ...row });
  }
  return found;
}

/**
 * Asks ClickHouse; undefined where it should not calculate what is asked: operands that meet are put together as far as
 * memory holds them.
 *
 * @param plan with the parameters that are aggregated
 */
async function gatherThere(
  plan: AggregatePlan,
  calculated: ReadonlyMap<number, CalculatedNumber>,
  context: AggregateContext,
): Promise<GatheredSlots | undefined> {
  const { clickhouse, options, kept, topicNames, spelt, memory, pace, countRows } = context;
  const gathered = gatherSlots(plan, memory, topicNames);
  const narrow = narrowed(plan, kept);
  if (narrow === undefined) return gathered;

  /** Adds what a statement answers; whether it did: it adds nothing where it makes more groups than it may. */
  async function ask(
    question: Question,
    select: Sql,
    mostGroups: number,
    snapshot: Settings = {},
  ): Promise<boolean> {
    const settings: Settings = {
      ...options.settings,
      ...snapshot,
      max_rows_to_group_by: String(mostGroups),
      group_by_overflow_mode: 'throw',
    };
    try {
      const answer = clickhouse.stream(print(select), { ...options, settings });
      for await (const block of readNative(answer)) {
        countRows(block.rows);
        await gathered.add(question, block);
        await pace();
      }
      return true;
    } catch (error) {
      if (isTooManyGroups(error)) return false;
      throw error;
    }
  }

  /** Asks what is calculated of several operands; whether that could be done. */
  async function askMeeting(question: Question, operands: readonly ParameterKey[]): Promise<boolean> {
    const meetings = await meetingsOf(narrow!, operands, context);
    if (meetings === undefined) return false;
    let { meeting } = meetings;
    for (const { first, last } of meetings.slices) {
      const slice = { ...narrow!, from: first, to: last };
      const select = () => selectGroups(slice, question, kept, spelt, meeting);
      try {
        if (meeting.isAligned && (await ask(question, select(), maxRows, oneSnapshot))) continue;
      } catch (error) {
        if (!isNotAligned(error)) throw error;
      }
      meeting = { ...meeting, isAligned: false };
      try {
        if (!(await ask(question, select(), maxRows, oneSnapshot))) throw tooManyGroups(plan);
      } catch (error) {
        if (codeOf(error) === outOfMemoryCode) return false;
        throw error;
      }
    }
    return true;
  }

  /** Asks windows without their values; whether they could tell. */
  async function askWindows(question: Question): Promise<boolean> {
    const select =
      selectWindowEdges(narrow!, question, kept, spelt) ?? selectCleanSums(narrow!, question, kept);
    if (select === undefined) return false;
    try {
      return await ask(question, select, maxRows * question.parameters.length);
    } catch (error) {
      if (isNotAligned(error)) return false;
      throw error;
    }
  }

  const operandsOf = (question: Question) => question.calculated?.operands ?? [];
  // First what may have to be calculated here, and all else with it.
  const questions = questionsOf(plan, calculated).sort((a, b) => operandsOf(b).length - operandsOf(a).length);
  for (const question of questions) {
    const operands = operandsOf(question);
    if (operands.length > 1) {
      if (!(await askMeeting(question, operands))) return undefined;
      continue;
    }
    if (await askWindows(question)) continue;
    const select = selectGroups(narrow, question, kept, spelt);
    const mostGroups = maxRows * question.parameters.length;
    if (!(await ask(question, select, mostGroups, oneSnapshot))) throw tooManyGroups(plan);
  }
  return gathered;
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
  await addRows(aggregator, run(rowsPlan(plan), context), plan, pace);
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

/** The largest number of a bucket, which is a double; `checkBuckets` draws the line. */
const largestNumber = 2n ** 52n;

const tooManyRowsCode = 158;
const outOfMemoryCode = 241;
/**
 * Of `throwIf`, and of lists that are not of one length; and of the threads that ClickHouse ends for these, of which one may be
 * told in their place. Where the query itself was ended, the next statement ends at once.
 */
const notAlignedCodes = [395, 190, 394];

function isTooManyGroups(error: unknown): boolean {
  return codeOf(error) === tooManyRowsCode && /GROUP BY/i.test(messageOf(error));
}

function isNotAligned(error: unknown): boolean {
  return notAlignedCodes.includes(codeOf(error) ?? 0);
}

function tooManyGroups({ buckets, groupBy }: AggregatePlan): PitwallError {
  if (buckets !== undefined) return tooManyRows();
  return new PitwallError('query_too_large', {
    detail: `groupBy ${groupBy.join(', ')} makes more than ${maxRows} groups; group by fewer tags, or ask for less time`,
  });
}

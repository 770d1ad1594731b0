import type { ResultBlock } from '../../../domain/result.ts';
import { PitwallError } from '../../../errors.ts';
import { paceQuery, tooSlow } from '../../../query/bounds/pace.ts';
import { queryMemoryPool } from '../../../query/bounds/query-memory.ts';
import { type CountRows, uncounted } from '../../../query/bounds/running-queries.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import { answerHere } from '../../answers/answer-here.ts';
import type { Reader, RowBlock } from '../../store.ts';
import type { Registry } from '../catalog/registry.ts';
import type { ClickHouse } from '../server/client.ts';
import { aggregate } from './aggregate.ts';
import { type ReadLimits, readSettings } from './read-settings.ts';
import { run } from './run.ts';
import type { RunContext } from './run-context.ts';
import { scratchPool } from './scratch-memory.ts';
import type { Retained } from './selection-sql.ts';
import { tagNames } from './tag-names.ts';
import { tagValues } from './tag-values.ts';
import { topicNames } from './topic-names.ts';

/** Memory of aggregating queries for groups and buckets: of each, and of all at one time. */
const queryBytes = 256 << 20;
const allQueriesBytes = 2 * queryBytes;

export interface ReadsOptions {
  readonly clickhouse: ClickHouse;
  readonly registry: Pick<Registry, 'retainedFrom' | 'retainedTimes' | 'topicName' | 'speltTopics'>;
  /** Makes the registry hold all that any node had acknowledged. */
  readonly refresh: () => Promise<void> | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly limits: ReadLimits;
}

/**
 * The reads of the store's contract on ClickHouse. What one statement sees does not change while it runs; a raw read
 * of more than one slice sees what is there when each is read.
 */
export function clickHouseReads(options: ReadsOptions): Omit<Reader, 'catalog'> {
  const { clickhouse, registry, refresh, clock, limits } = options;
  const queryMemory = queryMemoryPool(queryBytes, allQueriesBytes);
  const scratch = scratchPool();
  const settings = readSettings(limits);

  function retainedOf({ workspace, topic }: Selection): Retained {
    if (topic === undefined) return registry.retainedTimes(workspace, clock());
    const oldest = registry.retainedFrom(workspace, topic, clock());
    return oldest === undefined ? undefined : { topics: new Map(), others: oldest };
  }

  const contextOf = (selection: Selection, signal: AbortSignal, countRows: CountRows, pace: Pace) => ({
    clickhouse,
    options: { settings, signal, isRead: true },
    kept: retainedOf(selection),
    topicNames: topicNames((topic) => registry.topicName(selection.workspace, topic), refresh),
    scratch,
    pace,
    countRows,
  });

  /** What a statement that ran out of time ends its read with. */
  function explained(error: unknown): unknown {
    if (!(error instanceof PitwallError) || error.code !== 'query_too_slow') return error;
    const explained = tooSlow(limits.timeMs);
    explained.cause = error.cause;
    return explained;
  }

  /** The blocks of a read, whose time begins anew with each. */
  async function* timed<Block>(
    signal: AbortSignal,
    read: (pace: Pace) => AsyncIterable<Block>,
  ): AsyncGenerator<Block> {
    const { pace, pause, restart } = paceQuery(signal, limits.timeMs);
    try {
      for await (const block of read(pace)) {
        pause();
        yield block;
        restart();
      }
    } catch (error) {
      throw explained(error);
    }
  }

  /** An answer that comes whole. */
  async function whole<Answer>(
    selection: Selection,
    signal: AbortSignal,
    countRows: CountRows,
    read: (context: RunContext) => Promise<Answer>,
  ): Promise<Answer> {
    const { pace } = paceQuery(signal, limits.timeMs);
    try {
      return await read(contextOf(selection, signal, countRows, pace));
    } catch (error) {
      throw explained(error);
    }
  }

  const reads = {
    run: (plan: ReadPlan, signal: AbortSignal, countRows: CountRows = uncounted): AsyncGenerator<RowBlock> =>
      timed(signal, (pace) => run(plan, contextOf(plan, signal, countRows, pace))),

    async *aggregate(
      plan: AggregatePlan,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
    ): AsyncGenerator<ResultBlock> {
      const memory = queryMemory.open();
      try {
        const spelt = registry.speltTopics(plan.workspace);
        yield* timed(signal, (pace) =>
          aggregate(plan, {
            ...contextOf(plan, signal, countRows, pace),
            spelt,
            memory,
            fewValues: limits.fewValues,
          }),
        );
      } finally {
        memory.release();
      }
    },

    tagValues: (selection: Selection, tag: string, signal: AbortSignal, countRows: CountRows = uncounted) =>
      whole(selection, signal, countRows, (context) => tagValues(selection, tag, context)),

    tagNames: (selection: Selection, signal: AbortSignal, countRows: CountRows = uncounted) =>
      whole(selection, signal, countRows, (context) => tagNames(selection, context)),
  };
  return { ...reads, answer: (request, terms) => answerHere(reads, request, terms) };
}

import type { ResultBlock } from '../../../domain/result.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan.ts';
import { queryMemoryPool } from '../../../query/query-memory.ts';
import { paceReads } from '../../pace.ts';
import type { Store } from '../../store.ts';
import type { Registry } from '../catalog/registry.ts';
import type { ClickHouse } from '../client.ts';
import { aggregate } from './aggregate.ts';
import { type ReadLimits, readSettings, usualReadLimits } from './read-settings.ts';
import { run } from './run.ts';
import { scratchPool } from './scratch-memory.ts';
import type { Kept } from './selection-sql.ts';
import { tagValues } from './tag-values.ts';
import { topicNames } from './topic-names.ts';

/** Memory of aggregating queries for groups and buckets: of each, and of all at one time. */
const queryBytes = 256 << 20;
const allQueriesBytes = 2 * queryBytes;

export interface ReadsOptions {
  readonly clickhouse: ClickHouse;
  readonly registry: Pick<Registry, 'keptFrom' | 'keptTimes' | 'topicName' | 'speltTopics'>;
  /** Makes the registry hold all that any node had acknowledged. */
  readonly refresh: () => Promise<void> | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly limits?: ReadLimits;
}

/**
 * The reads of the store's contract on ClickHouse. What one statement sees does not change while it runs; a raw read
 * of more than one slice sees what is there when each is read.
 */
export function clickHouseReads(options: ReadsOptions): Pick<Store, 'run' | 'aggregate' | 'tagValues'> {
  const { clickhouse, registry, refresh, clock } = options;
  const queryMemory = queryMemoryPool(queryBytes, allQueriesBytes);
  const scratch = scratchPool();
  const settings = readSettings(options.limits ?? usualReadLimits);

  function keptOf({ workspace, topic }: Selection): Kept {
    if (topic !== undefined) return { from: registry.keptFrom(workspace, topic, clock()), times: undefined };
    const times = registry.keptTimes(workspace, clock());
    // Where every topic has the same, it is a bound like that of the query.
    return times?.topics.size === 0 ? { from: times.others, times: undefined } : { from: undefined, times };
  }

  const contextOf = (selection: Selection, signal: AbortSignal) => ({
    clickhouse,
    options: { settings, signal },
    kept: keptOf(selection),
    topicNames: topicNames((topic) => registry.topicName(selection.workspace, topic), refresh),
    scratch,
    pause: paceReads(signal),
  });

  return {
    run: (plan: ReadPlan, signal: AbortSignal) => run(plan, contextOf(plan, signal)),

    async *aggregate(plan: AggregatePlan, signal: AbortSignal): AsyncGenerator<ResultBlock> {
      const memory = queryMemory.open();
      try {
        const spelt = registry.speltTopics(plan.workspace);
        yield* aggregate(plan, { ...contextOf(plan, signal), spelt, memory });
      } finally {
        memory.release();
      }
    },

    tagValues: (selection: Selection, tag: string, signal: AbortSignal) =>
      tagValues(selection, tag, contextOf(selection, signal)),
  };
}

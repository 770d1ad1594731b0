import type { ResultBlock } from '../../../domain/result.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan.ts';
import { queryMemoryPool } from '../../../query/query-memory.ts';
import type { RowBlock, Store } from '../../store.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { aggregate } from './aggregate.ts';
import { bindStreams, execute } from './execute.ts';
import type { PinnedSnapshot, Snapshot } from './snapshot.ts';
import { tagValues } from './tag-values.ts';

/** Memory of aggregating queries for groups, buckets and kept values: of each, and of all at one time. */
const queryBytes = 256 << 20;
const allQueriesBytes = 2 * queryBytes;

export interface StoreReadsOptions {
  readonly state: CatalogState;
  readonly takeSnapshot: () => PinnedSnapshot;
  /** How long a read works before its first rows and from some to the next. */
  readonly maxQueryMs: number;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** The reads of the store's contract, each on one snapshot that is held for as long as it runs. */
export function storeReads(options: StoreReadsOptions): Pick<Store, 'run' | 'aggregate' | 'tagValues'> {
  const { state, takeSnapshot, maxQueryMs, explain } = options;
  const queryMemory = queryMemoryPool(queryBytes, allQueriesBytes);

  async function* onSnapshot<Block>(
    read: (snapshot: Snapshot) => AsyncGenerator<Block>,
  ): AsyncGenerator<Block> {
    const { snapshot, release } = takeSnapshot();
    try {
      yield* read(snapshot);
    } catch (error) {
      throw explain(error);
    } finally {
      release();
    }
  }

  return {
    async *run(plan: ReadPlan, signal: AbortSignal): AsyncGenerator<RowBlock> {
      const streams = bindStreams(state, plan);
      yield* onSnapshot((snapshot) => execute(plan, streams, snapshot, signal, maxQueryMs));
    },

    async *aggregate(plan: AggregatePlan, signal: AbortSignal): AsyncGenerator<ResultBlock> {
      const streams = bindStreams(state, plan);
      const memory = queryMemory.open();
      try {
        yield* onSnapshot((snapshot) => aggregate(plan, streams, snapshot, memory, signal, maxQueryMs));
      } finally {
        memory.release();
      }
    },

    async tagValues(selection: Selection, tag: string, signal: AbortSignal): Promise<string[]> {
      const { snapshot, release } = takeSnapshot();
      try {
        return await tagValues(state, snapshot, selection, tag, signal, maxQueryMs);
      } catch (error) {
        throw explain(error);
      } finally {
        release();
      }
    },
  };
}

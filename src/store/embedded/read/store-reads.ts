import type { ResultBlock } from '../../../domain/result.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan.ts';
import { queryMemoryPool } from '../../../query/query-memory.ts';
import type { RowBlock, Store } from '../../store.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { aggregate } from './aggregate.ts';
import { bindStreams, execute } from './execute.ts';
import { partsWithTags } from './parts-with-tags.ts';
import type { OpenSnapshot, PinnedSnapshot } from './snapshot.ts';
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
    plan: Selection,
    read: (open: OpenSnapshot) => AsyncGenerator<Block>,
  ): AsyncGenerator<Block> {
    const pinned = takeSnapshot();
    try {
      yield* read(plan.tagFilters.length === 0 ? pinned : await partsWithTags(pinned, plan));
    } catch (error) {
      throw explain(error);
    } finally {
      pinned.release();
    }
  }

  return {
    async *run(plan: ReadPlan, signal: AbortSignal): AsyncGenerator<RowBlock> {
      const streams = bindStreams(state, plan);
      yield* onSnapshot(plan, (open) => execute(plan, streams, open, signal, maxQueryMs));
    },

    async *aggregate(plan: AggregatePlan, signal: AbortSignal): AsyncGenerator<ResultBlock> {
      const streams = bindStreams(state, plan);
      const memory = queryMemory.open();
      try {
        yield* onSnapshot(plan, (open) => aggregate(plan, streams, open, memory, signal, maxQueryMs));
      } finally {
        memory.release();
      }
    },

    async tagValues(selection: Selection, tag: string, signal: AbortSignal): Promise<string[]> {
      const pinned = takeSnapshot();
      try {
        const open = await partsWithTags(pinned, selection);
        return await tagValues(state, open, selection, tag, signal, maxQueryMs);
      } catch (error) {
        throw explain(error);
      } finally {
        pinned.release();
      }
    },
  };
}

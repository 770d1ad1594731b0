import type { ResultBlock } from '../../../domain/result.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan.ts';
import { queryMemoryPool } from '../../../query/query-memory.ts';
import { type CountRows, uncounted } from '../../../query/running-queries.ts';
import type { RowBlock, Store } from '../../store.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { ofOneMoment } from '../catalog/steps.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import { aggregate } from './aggregate.ts';
import { type BoundStreams, bindStreams } from './bind-streams.ts';
import { execute } from './execute.ts';
import { partsWithTags } from './parts-with-tags.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot, PinnedSnapshot } from './snapshot.ts';
import { tagValues } from './tag-values.ts';

/** Memory of aggregating queries for groups, buckets and kept values: of each, and of all at one time. */
const queryBytes = 256 << 20;
const allQueriesBytes = 2 * queryBytes;

export interface StoreReadsOptions {
  readonly state: CatalogState;
  readonly takeSnapshot: () => PinnedSnapshot;
  readonly left: Pick<LeftSlabs, 'join'>;
  /** How long a read works before its first rows and from some to the next. */
  readonly maxQueryMs: number;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** The reads of the store's contract, each on one snapshot that is held for as long as it runs. */
export function storeReads(options: StoreReadsOptions): Pick<Store, 'run' | 'aggregate' | 'tagValues'> {
  const { state, takeSnapshot, left, maxQueryMs, explain } = options;
  const queryMemory = queryMemoryPool(queryBytes, allQueriesBytes);

  /** A snapshot, and the streams of a plan at its moment. */
  async function bind(plan: ReadPlan | AggregatePlan, terms: ReadTerms) {
    const taken: PinnedSnapshot[] = [];
    const begin = () => {
      taken.pop()?.release();
      taken.push(takeSnapshot());
      return bindStreams(state, plan);
    };
    try {
      const binding = ofOneMoment(state, begin, paceOf(terms));
      const streams = binding instanceof Promise ? await binding : binding;
      return { pinned: taken[0]!, streams };
    } catch (error) {
      taken[0]?.release();
      throw error;
    }
  }

  async function* onSnapshot<Block>(
    plan: ReadPlan | AggregatePlan,
    terms: ReadTerms,
    readBound: (open: OpenSnapshot, streams: BoundStreams) => AsyncGenerator<Block>,
  ): AsyncGenerator<Block> {
    const { pinned, streams } = await bind(plan, terms);
    const read = (open: OpenSnapshot) => readBound(open, streams);
    const blocks = plan.tagFilters.length === 0 ? read(pinned) : readWithTags(pinned, plan, terms, read);
    const end = () => {
      blocks.return(undefined).catch(() => undefined);
      pinned.release();
    };
    const joined = left.join(pinned.slabs, end);
    try {
      for (;;) {
        const next = await blocks.next();
        if (next.done === true) return;
        joined.waits();
        yield next.value;
        joined.goesOn();
      }
    } catch (error) {
      throw explain(error);
    } finally {
      joined.leave();
      await blocks.return(undefined);
      pinned.release();
    }
  }

  return {
    async *run(
      plan: ReadPlan,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
    ): AsyncGenerator<RowBlock> {
      const terms = { signal, maxMs: maxQueryMs, countRows };
      yield* onSnapshot(plan, terms, (open, streams) => execute(plan, streams, open, terms));
    },

    async *aggregate(
      plan: AggregatePlan,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
    ): AsyncGenerator<ResultBlock> {
      const memory = queryMemory.open();
      try {
        const terms = { signal, maxMs: maxQueryMs, countRows };
        yield* onSnapshot(plan, terms, (open, streams) => aggregate(plan, streams, open, memory, terms));
      } finally {
        memory.release();
      }
    },

    async tagValues(
      selection: Selection,
      tag: string,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
    ): Promise<string[]> {
      const pinned = takeSnapshot();
      const terms = { signal, maxMs: maxQueryMs, countRows };
      try {
        const open = await partsWithTags(pinned, selection, paceOf(terms));
        return await tagValues(state, open, selection, tag, terms);
      } catch (error) {
        throw explain(error);
      } finally {
        pinned.release();
      }
    },
  };
}

async function* readWithTags<Block>(
  open: OpenSnapshot,
  plan: Selection,
  terms: ReadTerms,
  read: (open: OpenSnapshot) => AsyncGenerator<Block>,
): AsyncGenerator<Block> {
  yield* read(await partsWithTags(open, plan, paceOf(terms)));
}

function paceOf({ signal, maxMs }: ReadTerms): Pace {
  return paceQuery(signal, maxMs).pace;
}

import type { ResultBlock } from '../../../domain/result.ts';
import { paceQuery } from '../../../query/bounds/pace.ts';
import { type QueryMemoryUse, queryMemoryPool } from '../../../query/bounds/query-memory.ts';
import { type CountRows, uncounted } from '../../../query/bounds/running-queries.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { Reader, RowBlock } from '../../store.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import { type AtMoment, bindAtMoment, type Moments } from '../snapshot/bind-at-moment.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { choosesByTags, partsWithTags } from '../walk/parts-with-tags.ts';
import { aggregate } from './aggregate.ts';
import { type BoundStreams, bindStreams } from './bind-streams.ts';
import { execute } from './execute.ts';
import { allQueriesBytes, queryBytes, type ReadTerms } from './read-terms.ts';
import { tagNames } from './tag-names.ts';
import { tagValues } from './tag-values.ts';

export interface StoreReadsOptions extends Moments {
  readonly left: Pick<LeftSlabs, 'join'>;
  /** How long a read works before its first rows and from some to the next. */
  readonly maxQueryMs: number;
  /** Memory of aggregating queries, on all threads; this one has the first place. */
  readonly memoryUse: QueryMemoryUse;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** The reads of the store's contract. A snapshot that comes with its streams is released when the read ends. */
export interface BoundReads extends Pick<Reader, 'tagValues' | 'tagNames'> {
  run(
    plan: ReadPlan,
    signal: AbortSignal,
    countRows?: CountRows,
    at?: AtMoment<BoundStreams>,
  ): AsyncGenerator<RowBlock>;
  aggregate(
    plan: AggregatePlan,
    signal: AbortSignal,
    countRows?: CountRows,
    at?: AtMoment<BoundStreams>,
  ): AsyncGenerator<ResultBlock>;
}

/** The reads of the store's contract, each on one snapshot that is held for as long as it runs. */
export function storeReads(options: StoreReadsOptions): BoundReads {
  const { state, left, maxQueryMs, memoryUse, explain } = options;
  const queryMemory = queryMemoryPool(queryBytes, allQueriesBytes, memoryUse);

  async function* onSnapshot<Block>(
    plan: ReadPlan | AggregatePlan,
    terms: ReadTerms,
    at: AtMoment<BoundStreams> | undefined,
    readBound: (open: OpenSnapshot, streams: BoundStreams) => AsyncGenerator<Block>,
  ): AsyncGenerator<Block> {
    const binding = at ?? bindAtMoment(options, () => bindStreams(state, plan), paceOf(terms));
    const { pinned, bound: streams } = binding instanceof Promise ? await binding : binding;
    const read = (open: OpenSnapshot) => readBound(open, streams);
    const blocks = choosesByTags(plan) ? readWithTags(pinned, plan, terms, read) : read(pinned);
    const end = () => {
      blocks.return(undefined).catch(() => undefined);
      joined.leave();
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
    run(
      plan: ReadPlan,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
      at?: AtMoment<BoundStreams>,
    ): AsyncGenerator<RowBlock> {
      const terms = { signal, maxMs: maxQueryMs, countRows };
      return onSnapshot(plan, terms, at, (open, streams) => execute(plan, streams, open, terms));
    },

    async *aggregate(
      plan: AggregatePlan,
      signal: AbortSignal,
      countRows: CountRows = uncounted,
      at?: AtMoment<BoundStreams>,
    ): AsyncGenerator<ResultBlock> {
      const memory = queryMemory.open();
      try {
        const terms = { signal, maxMs: maxQueryMs, countRows };
        yield* onSnapshot(plan, terms, at, (open, streams) => aggregate(plan, streams, open, memory, terms));
      } finally {
        memory.release();
      }
    },

    tagValues: (selection, tag, signal, countRows = uncounted) =>
      ofTags(selection, { signal, maxMs: maxQueryMs, countRows }, async (pinned, streams, terms) => {
        const open = await partsWithTags(pinned, selection, paceOf(terms));
        return tagValues(streams, open, selection, tag, terms);
      }),

    tagNames: (selection, signal, countRows = uncounted) =>
      ofTags(selection, { signal, maxMs: maxQueryMs, countRows }, (open, streams, terms) =>
        tagNames(streams, open, selection, terms),
      ),
  };

  async function ofTags<Told>(
    { workspace, streamIds, topic }: Selection,
    terms: ReadTerms,
    read: (open: OpenSnapshot, streams: Uint32Array, terms: ReadTerms) => Promise<Told>,
  ): Promise<Told> {
    const begin = () => streamsToRead(state, workspace, streamIds, topic);
    const { pinned, bound: streams } = await bindAtMoment(options, begin, paceOf(terms));
    try {
      return await read(pinned, streams, terms);
    } catch (error) {
      throw explain(error);
    } finally {
      pinned.release();
    }
  }
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

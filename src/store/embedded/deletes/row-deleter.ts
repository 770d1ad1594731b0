import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { paceReads } from '../../../query/pace.ts';
import { patternBudget, unbounded } from '../../../query/pattern-budget.ts';
import type { Selection } from '../../../query/plan.ts';
import { hasPatterns } from '../../../query/tag-predicate.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import type { Commit } from '../catalog/commit-records.ts';
import { jsonSection, SectionType } from '../log/sections.ts';
import type { PinnedSnapshot } from '../read/snapshot.ts';
import { beginRenewal, type Renewal } from './extent-renewal.ts';
import { countRows } from './row-count.ts';
import { draftRowDelete, type RowsToCount, rowsToCount } from './row-delete.ts';

export interface RowDeleterOptions {
  readonly state: CatalogState;
  readonly checkWritable: (workspaces: readonly string[]) => void;
  readonly commit: Commit;
  readonly takeSnapshot: () => PinnedSnapshot;
  /** What a client may know of an error. */
  readonly explain: (error: unknown) => unknown;
}

type DeleteRows = (selection: Selection, parameters?: readonly ParameterKey[]) => Promise<number>;

/** Deletes rows by one record: counts the rows that it hides, and renews the extents of their streams after it. */
export function rowDeleter(options: RowDeleterOptions): DeleteRows {
  const { state, takeSnapshot } = options;

  /** The moment just before the delete. */
  interface Before {
    readonly lsn: number;
    readonly pinned: PinnedSnapshot;
    readonly streams: readonly RowsToCount[];
    readonly renewal: Renewal;
  }

  /**
   * Throws `query_too_slow` where searching for the patterns takes too long: before there is a record, for from then on
   * every read and merge searches for them, in no more than is searched here.
   */
  async function trySearch(selection: Selection, parameters?: readonly ParameterKey[]): Promise<void> {
    const draft = draftRowDelete(state, selection, parameters);
    const pinned = takeSnapshot();
    try {
      await countRows(pinned, draft, rowsToCount(state, draft), paceReads(neverAborted), patternBudget());
    } catch (error) {
      throw options.explain(error);
    } finally {
      pinned.release();
    }
  }

  return async (selection, parameters) => {
    options.checkWritable([selection.workspace]);
    if (hasPatterns(selection.tagFilters)) {
      await trySearch(selection, parameters);
      options.checkWritable([selection.workspace]);
    }
    const draft = draftRowDelete(state, selection, parameters);
    const found: Before[] = [];
    await options.commit([jsonSection(SectionType.RowDelete, draft.record)], ({ lsn }) => {
      const streams = rowsToCount(state, draft);
      const losing = new Map(streams.map((of) => [of.stream, of.parameters]));
      const { from, to } = selection;
      const renewal = beginRenewal(state, [...losing.keys()], { from, to, losing });
      found.push({ lsn, pinned: takeSnapshot(), streams, renewal });
    });
    const { lsn, pinned, streams, renewal } = found[0]!;
    const after = takeSnapshot();
    const pace = paceReads(neverAborted);
    try {
      const count = await countRows(pinned, draft, streams, pace, unbounded);
      await renewal.run(after, pace);
      state.tombstones.settleExtents(lsn);
      return count;
    } catch (error) {
      throw options.explain(error);
    } finally {
      renewal.end();
      pinned.release();
      after.release();
    }
  };
}

/** The delete is done: who asked for it may leave, the rest is finished. */
const neverAborted = new AbortController().signal;

/** Renews the extents that a stop left undone, before anything is written. */
export async function repairExtents(state: CatalogState, takeSnapshot: () => PinnedSnapshot): Promise<void> {
  const tombstones = state.tombstones.unsettled();
  if (tombstones.length === 0) return;
  const streams = [...new Set(tombstones.flatMap((tombstone) => [...tombstone.streams]))];
  const renewal = beginRenewal(
    state,
    streams.filter((stream) => state.streams.rows.hasData[stream] === true),
  );
  const pinned = takeSnapshot();
  try {
    await renewal.run(pinned, paceReads(neverAborted));
    for (const { lsn } of tombstones) state.tombstones.settleExtents(lsn);
  } finally {
    renewal.end();
    pinned.release();
  }
}

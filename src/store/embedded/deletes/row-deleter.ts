import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { paceReads } from '../../../query/bounds/pace.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { hasPatterns } from '../../../query/plan/tag-predicate.ts';
import { neverAborted, type Pace } from '../../../turns/pace.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { ofOneMoment } from '../catalog/one-moment.ts';
import type { CommitLog } from '../log/commit-log.ts';
import { jsonSection, SectionType } from '../log/sections.ts';
import type { LostRows, RowsToCount } from '../read/lost-rows.ts';
import { type AskOneself, answerOneself } from '../read/own-questions.ts';
import type { PinnedSnapshot } from '../snapshot/snapshot.ts';
import { beginRenewal, renewedTogether, renewNow } from './extent-renewal.ts';
import { draftRowDelete, type RowDelete, type StreamsToCount, streamsToCount } from './row-delete.ts';

export interface RowDeleterOptions {
  readonly state: CatalogState;
  readonly checkWritable: (workspaces: readonly string[]) => void;
  readonly commitLog: Pick<CommitLog, 'append'>;
  readonly takeSnapshot: () => PinnedSnapshot;
  readonly ask: AskOneself;
  /** What a client may know of an error. */
  readonly explain: (error: unknown) => unknown;
}

type DeleteRows = (selection: Selection, parameters?: readonly ParameterKey[]) => Promise<number>;

/** Deletes rows by one record: counts the rows that it hides, and renews the extents of their streams after it. */
export function rowDeleter(options: RowDeleterOptions): DeleteRows {
  const { state, takeSnapshot, ask } = options;

  /** The moment just before the delete. */
  interface Before {
    readonly lsn: number;
    readonly pinned: PinnedSnapshot;
    readonly streams: StreamsToCount;
  }

  /** At once where there are few streams: what is written after the call is left alone. */
  function draftOf(
    selection: Selection,
    parameters?: readonly ParameterKey[],
  ): RowDelete | Promise<RowDelete> {
    return ofOneMoment(state, () => draftRowDelete(state, selection, parameters), paceReads(neverAborted));
  }

  /**
   * Throws `query_too_slow` where searching for the patterns takes too long: before there is a record, for from then on
   * every read and merge searches for them, in no more than is searched here.
   */
  async function trySearch(selection: Selection, parameters?: readonly ParameterKey[]): Promise<void> {
    const draft = await draftOf(selection, parameters);
    const pinned = takeSnapshot();
    const streams = streamsToCount(state, draft);
    const pace = paceReads(neverAborted);
    let searchedMs = 0;
    try {
      for (let from = 0; from < streams.count; from += streamsAtOnce) {
        const some = streams.between(from, from + streamsAtOnce);
        ({ searchedMs } = await lostRows(draft, pinned, some, pace, searchedMs));
      }
    } catch (error) {
      throw options.explain(error);
    } finally {
      streams.release();
      pinned.release();
    }
  }

  function lostRows(
    { selection: { from, to, tagFilters }, parameters }: RowDelete,
    pinned: PinnedSnapshot,
    streams: readonly RowsToCount[],
    pace: Pace,
    searchedMs?: number,
  ): Promise<LostRows> {
    const isNamed = parameters !== undefined;
    return ask(pinned, { kind: 'lostRows', from, to, tagFilters, isNamed, streams, searchedMs }, pace);
  }

  /** Counts the rows that some streams lost, and renews their extents. */
  async function settle(
    draft: RowDelete,
    { lsn, pinned }: Before,
    some: readonly RowsToCount[],
  ): Promise<number> {
    const pace = paceReads(neverAborted);
    const { rows } = await lostRows(draft, pinned, some, pace);
    const losing = new Map(some.map((of) => [of.stream, of.parameters]));
    const { from, to } = draft.selection;
    const renewal = beginRenewal(state, [...losing.keys()], { lsn, from, to, losing });
    await renewNow(renewal, takeSnapshot, ask, pace);
    return rows;
  }

  return async (selection, parameters) => {
    options.checkWritable([selection.workspace]);
    if (hasPatterns(selection.tagFilters)) await trySearch(selection, parameters);
    const drafting = draftOf(selection, parameters);
    const draft = drafting instanceof Promise ? await drafting : drafting;
    options.checkWritable([selection.workspace]);
    const found: Before[] = [];
    await options.commitLog.append({
      sections: [jsonSection(SectionType.RowDelete, draft.record)],
      before({ lsn }) {
        found.push({ lsn, pinned: takeSnapshot(), streams: streamsToCount(state, draft) });
      },
    });
    const before = found[0]!;
    const { streams } = before;
    let count = 0;
    try {
      for (let from = 0; from < streams.count; from += streamsAtOnce)
        count += await settle(draft, before, streams.between(from, from + streamsAtOnce));
      state.tombstones.settleExtents(before.lsn);
      return count;
    } catch (error) {
      throw options.explain(error);
    } finally {
      streams.release();
      before.pinned.release();
    }
  };
}

/** The streams of some deletes, each once. */
function streamsOf(tombstones: readonly { readonly streams: Uint32Array }[]): number[] {
  const found = new Set<number>();
  for (const { streams } of tombstones) for (const stream of streams) found.add(stream);
  return [...found];
}

/** The streams that are looked at before the next ones: what is held of each is a kilobyte. */
const streamsAtOnce = 1024;

/** The delete is done: who asked for it may leave, the rest is finished. */

/** Renews the extents that a stop left undone, before anything is written. */
export async function repairExtents(state: CatalogState, takeSnapshot: () => PinnedSnapshot): Promise<void> {
  const tombstones = state.tombstones.unsettled();
  if (tombstones.length === 0) return;
  const streams = streamsOf(tombstones);
  const pace = paceReads(neverAborted);
  const withData = streams.filter((stream) => state.streams.rows.hasData[stream] === true);
  for (const some of renewedTogether(withData.sort((a, b) => a - b))) {
    await renewNow(beginRenewal(state, some), takeSnapshot, answerOneself, pace);
  }
  for (const { lsn } of tombstones) state.tombstones.settleExtents(lsn);
}

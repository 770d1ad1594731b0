import { PitwallError } from '../../errors.ts';
import { paceReads } from '../../query/pace.ts';
import { neverAborted } from '../../turns/pace.ts';
import { whole } from '../../turns/steps.ts';
import type { Batch, Change, ChangedStreams, Store, StreamsChange } from '../store.ts';
import { draftSteps } from './catalog/batch-draft.ts';
import { type CatalogState, placeStreams } from './catalog/catalog-state.ts';
import type { Commit } from './catalog/commit-records.ts';
import { ofOneMoment } from './catalog/one-moment.ts';
import {
  draftStreamsChange,
  type NamedStreams,
  noStreams,
  selectToChange,
} from './catalog/streams-change.ts';
import type { Admitted, WorkspaceLimits } from './catalog/workspace-limits.ts';
import { rowDeleter } from './deletes/row-deleter.ts';
import { commitInSlices } from './log/commit-slices.ts';
import type { SectionDraft } from './log/sections.ts';
import type { WriteRoom } from './maintenance/write-room.ts';
import type { AskOneself } from './read/own-questions.ts';
import type { PinnedSnapshot } from './snapshot/snapshot.ts';

export interface StoreWritesOptions {
  readonly state: CatalogState;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly interruptedAfterMs: number;
  readonly limits: Pick<WorkspaceLimits, 'admit'>;
  readonly room: Pick<WriteRoom, 'failure'>;
  readonly commit: Commit;
  /** Closes the slab, so that what is deleted leaves the log. */
  readonly rotate: () => void;
  /** Resolves when rows that retention takes away are gone from what is told of streams. */
  readonly settleExpired: () => Promise<void>;
  readonly takeSnapshot: () => PinnedSnapshot;
  /** Has a read thread look at rows, where that is more than a little. */
  readonly ask: AskOneself;
  /** What a client is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** The writes of the store's contract, as records of the log. */
export function storeWrites(
  options: StoreWritesOptions,
): Pick<Store, 'append' | 'changeStreams' | 'deleteRows' | 'admit'> {
  const { state, clock, limits, room, commit } = options;
  const deleteRange = rowDeleter({
    ...options,
    checkWritable: (workspaces) => checkWritable(workspaces, true),
  });
  /** Workspaces whose removal is on its way to the disk. */
  const leaving = new Set<string>();

  /** What was deleted counts until it is out of the log. */
  function makeRoom(workspace: string): void {
    if (state.workspaces.get(workspace)?.maxBytes !== undefined) options.rotate();
  }

  /** Throws a PitwallError (503) where a write to these workspaces cannot be taken now. */
  function checkWritable(workspaces: readonly string[], freesSpace = false): void {
    const { failure } = room;
    if (failure !== undefined && !(freesSpace && failure === 'disk_full')) throw new PitwallError(failure);
    // The write would use numbers that are gone when its record is applied, after that of the removal.
    if (workspaces.some((name) => leaving.has(name))) {
      throw new PitwallError('overloaded', { detail: 'the workspace is being removed' });
    }
  }

  function append(batch: Batch): Promise<void> {
    try {
      checkWritable(
        workspacesOf(batch),
        batch.changes.every(({ type }) => freeing.has(type)),
      );
      const admitted = batch.isAdmitted === true ? undefined : limits.admit(batch);
      if (batch.onCopied !== undefined && hasMany(batch)) {
        return appendMany(batch).finally(() => admitted?.done());
      }
      // Nothing is left to do after it. What waits for the disk should hold little: see `ingest/writer.ts`.
      if (admitted === undefined && batch.changes.every(({ type }) => leavesNothing.has(type))) {
        return write(batch);
      }
      return appendAndSettle(batch, admitted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Whoever is told of the place sees streams that the batch makes as not made yet. */
  function write(batch: Batch): Promise<void> {
    const more = batch.onPlaced?.() ?? [];
    return place(batch, whole(draftSteps(state, batch, clock())), more);
  }

  /** Gives the record its place in the log: from here on its numbers keep their meaning. */
  function place(
    batch: Batch,
    drafts: readonly SectionDraft[],
    changes = batch.onPlaced?.() ?? [],
  ): Promise<void> {
    const { workspace } = batch;
    const all =
      changes.length === 0
        ? drafts
        : [...drafts, ...whole(draftSteps(state, { workspace, changes }, clock()))];
    placeStreams(state, all);
    return all.length > 0 ? commit(all, undefined, batch.onCopied) : Promise.resolve();
  }

  /**
   * The way of rows of very many streams: drafted in slices of time. Where a number may have lost its meaning meanwhile it
   * is drafted again; where that goes on, at once. Nothing is left to hold the batch while the disk is waited for.
   */
  function appendMany(batch: Batch, tries = draftTries): Promise<void> {
    const { count } = state.lostNumbers;
    return commitInSlices(draftSteps(state, batch, clock())).then((drafts) => {
      checkWritable(workspacesOf(batch));
      if (state.lostNumbers.count === count) return place(batch, drafts);
      return tries > 1 ? appendMany(batch, tries - 1) : write(batch);
    });
  }

  async function appendAndSettle(batch: Batch, admitted: Admitted | undefined): Promise<void> {
    const removals = state.removals.count;
    const removed = batch.changes.filter((change) => change.type === 'removeWorkspace');
    for (const { name } of removed) leaving.add(name);
    try {
      await write(batch);
    } finally {
      admitted?.done();
      for (const { name } of removed) leaving.delete(name);
    }
    // Retention that was made shorter takes rows away at once.
    if (
      state.removals.count !== removals &&
      batch.changes.some(({ type }) => type === 'topic' || type === 'workspace')
    ) {
      await options.settleExpired();
    }
  }

  async function changeStreams(change: StreamsChange): Promise<ChangedStreams> {
    const frees = change.action !== 'restore';
    checkWritable([change.workspace], frees);
    const select = () => selectToChange(state, change, options.interruptedAfterMs);
    const selecting = ofOneMoment(state, select, paceReads(neverAborted));
    let selected: NamedStreams;
    if (selecting instanceof Promise) {
      selected = await selecting;
      checkWritable([change.workspace], frees);
    } else selected = selecting;
    const draft = draftStreamsChange(state, change, selected);
    try {
      let changed = noStreams;
      if (draft.sections.length > 0) {
        await commit(draft.sections, () => {
          changed = draft.changed();
        });
      }
      if (change.action === 'hardDelete') makeRoom(change.workspace);
      return changed;
    } catch (error) {
      draft.takeBack();
      throw error;
    }
  }

  return {
    append,
    admit: (batch) => limits.admit(batch)?.done(),
    changeStreams,
    async deleteRows(selection, parameters) {
      const deleted = await deleteRange(selection, parameters);
      makeRoom(selection.workspace);
      return deleted;
    },
  };
}

/** Changes after which nothing is left to do. */
const leavesNothing: ReadonlySet<Change['type']> = new Set(['rows', 'eventDefinitions', 'keep']);
/** Changes, or definitions, that take longer than a millisecond. */
const manyChanges = 512;
const draftTries = 3;
/** Changes that may take rows away. */
const freeing: ReadonlySet<Change['type']> = new Set([
  'topic',
  'workspace',
  'removeWorkspace',
  'revokeToken',
]);

function hasMany({ changes }: Batch): boolean {
  return (
    changes.length >= manyChanges ||
    changes.some((change) => 'definitions' in change && change.definitions.length >= manyChanges)
  );
}

/** The workspaces that a batch writes to. */
function workspacesOf({ workspace, changes }: Batch): string[] {
  const named = (change: Change): string => {
    if (change.type === 'token') return change.token.workspace;
    return change.type === 'workspace' ? change.workspace.name : workspace;
  };
  return changes.map(named);
}

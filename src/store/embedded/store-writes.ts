import { PitwallError } from '../../errors.ts';
import type { Batch, Change, ChangedStreams, Store, StreamsChange } from '../store.ts';
import { draftBatch } from './catalog/batch-draft.ts';
import type { CatalogState } from './catalog/catalog-state.ts';
import type { Commit } from './catalog/commit-records.ts';
import { draftStreamsChange, noStreams } from './catalog/streams-change.ts';
import type { Admitted, WorkspaceLimits } from './catalog/workspace-limits.ts';
import { rowDeleter } from './deletes/row-deleter.ts';
import type { WriteRoom } from './maintenance/write-room.ts';
import type { PinnedSnapshot } from './read/snapshot.ts';

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
  /** What a client is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** The writes of the store's contract, as records of the log. */
export function storeWrites(
  options: StoreWritesOptions,
): Pick<Store, 'append' | 'changeStreams' | 'deleteRows'> {
  const { state, clock, limits, room, commit } = options;
  const deleteRange = rowDeleter({ ...options, checkWritable });
  /** Workspaces whose removal is on its way to the disk. */
  const leaving = new Set<string>();

  /** What was deleted counts until it is out of the log. */
  function makeRoom(workspace: string): void {
    if (state.workspaces.get(workspace)?.maxBytes !== undefined) options.rotate();
  }

  /** Throws a PitwallError (503) where a write to these workspaces cannot be taken now. */
  function checkWritable(workspaces: readonly string[]): void {
    const { failure } = room;
    if (failure !== undefined) throw new PitwallError(failure);
    // The write would use numbers that are gone when its record is applied, after that of the removal.
    if (workspaces.some((name) => leaving.has(name))) {
      throw new PitwallError('overloaded', { detail: 'the workspace is being removed' });
    }
  }

  function append(batch: Batch): Promise<void> {
    try {
      checkWritable(workspacesOf(batch));
      const admitted = limits.admit(batch);
      // Nothing is left to do after it. What waits for the disk should hold little: see `ingest/writer.ts`.
      if (admitted === undefined && batch.changes.every(({ type }) => type === 'rows')) return write(batch);
      return appendAndSettle(batch, admitted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function write(batch: Batch): Promise<void> {
    const drafts = draftBatch(state, batch, clock());
    return drafts.length > 0 ? commit(drafts) : Promise.resolve();
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
    checkWritable([change.workspace]);
    const draft = draftStreamsChange(state, change, options.interruptedAfterMs);
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
    changeStreams,
    async deleteRows(selection, parameters) {
      const deleted = await deleteRange(selection, parameters);
      makeRoom(selection.workspace);
      return deleted;
    },
  };
}

/** The workspaces that a batch writes to. */
function workspacesOf({ workspace, changes }: Batch): string[] {
  const named = (change: Change): string => {
    if (change.type === 'token') return change.token.workspace;
    return change.type === 'workspace' ? change.workspace.name : workspace;
  };
  return changes.map(named);
}

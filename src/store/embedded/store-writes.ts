import { PitwallError } from '../../errors.ts';
import type { Batch, Change, ChangedStreams, Store, StreamsChange } from '../store.ts';
import { draftBatch } from './catalog/batch-draft.ts';
import type { CatalogState } from './catalog/catalog-state.ts';
import { draftStreamsChange, noStreams } from './catalog/streams-change.ts';
import type { WorkspaceLimits } from './catalog/workspace-limits.ts';
import type { RecordPlace } from './log/log-record.ts';
import type { SectionDraft } from './log/sections.ts';

export interface StoreWritesOptions {
  readonly state: CatalogState;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly interruptedAfterMs: number;
  readonly limits: Pick<WorkspaceLimits, 'admit'>;
  /** Throws where rows cannot become parts and there is no room for more. */
  readonly checkRoom: () => void;
  /** Resolves when the record is durable and applied; `before` runs just before it is. */
  readonly commit: (drafts: readonly SectionDraft[], before?: (place: RecordPlace) => void) => Promise<void>;
  /** Closes the slab, so that what is deleted leaves the log. */
  readonly rotate: () => void;
  /** Resolves when rows that retention takes away are gone from what is told of streams. */
  readonly settleExpired: () => Promise<void>;
}

export interface StoreWrites extends Pick<Store, 'append' | 'changeStreams'> {
  /** Throws a PitwallError (503) where a write to these workspaces cannot be taken now. */
  checkWritable(workspaces: readonly string[]): void;
  /** What was deleted counts until it is out of the log. */
  makeRoom(workspace: string): void;
}

/** The writes of the store's contract, as records of the log. */
export function storeWrites(options: StoreWritesOptions): StoreWrites {
  const { state, clock, limits, commit } = options;
  /** Workspaces whose removal is on its way to the disk. */
  const leaving = new Set<string>();

  function makeRoom(workspace: string): void {
    if (state.workspaces.get(workspace)?.maxBytes !== undefined) options.rotate();
  }

  function checkWritable(workspaces: readonly string[]): void {
    options.checkRoom();
    // It would use numbers that are gone when its own record is applied, behind that of the removal.
    if (workspaces.some((name) => leaving.has(name))) {
      throw new PitwallError('overloaded', { detail: 'the workspace is being removed' });
    }
  }

  async function append(batch: Batch): Promise<void> {
    checkWritable(workspacesOf(batch));
    const { removals } = state;
    const admitted = limits.admit(batch);
    const removed = batch.changes.filter((change) => change.type === 'removeWorkspace');
    for (const { name } of removed) leaving.add(name);
    try {
      const drafts = draftBatch(state, batch, clock());
      if (drafts.length > 0) await commit(drafts);
    } finally {
      admitted.done();
      for (const { name } of removed) leaving.delete(name);
    }
    // Retention that was made shorter takes rows away at once.
    if (
      state.removals !== removals &&
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

  return { append, changeStreams, checkWritable, makeRoom };
}

/** The workspaces that a batch writes to. */
function workspacesOf({ workspace, changes }: Batch): string[] {
  const named = (change: Change): string => {
    if (change.type === 'token') return change.token.workspace;
    return change.type === 'workspace' ? change.workspace.name : workspace;
  };
  return changes.map(named);
}

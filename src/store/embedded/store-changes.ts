import { paceReads } from '../../query/bounds/pace.ts';
import { neverAborted } from '../../turns/pace.ts';
import type { ChangedStreams, Keeper, StreamsChange } from '../store.ts';
import type { CatalogState } from './catalog/catalog-state.ts';
import { ofOneMoment } from './catalog/one-moment.ts';
import {
  draftStreamsChange,
  type NamedStreams,
  noStreams,
  selectToChange,
} from './catalog/streams-change.ts';
import { rowDeleter } from './deletes/row-deleter.ts';
import type { CommitLog } from './log/commit-log.ts';
import type { WriteRoom } from './maintenance/write-room.ts';
import type { AskOneself } from './read/own-questions.ts';
import type { PinnedSnapshot } from './snapshot/snapshot.ts';

export interface StoreChangesOptions {
  readonly state: CatalogState;
  /** How long (ms) a stream may be silent before its status says so. */
  readonly interruptedAfterMs: number;
  readonly room: Pick<WriteRoom, 'check'>;
  readonly commitLog: Pick<CommitLog, 'append' | 'rotate'>;
  readonly takeSnapshot: () => PinnedSnapshot;
  /** Has a read thread look at rows, where that is more than a little. */
  readonly ask: AskOneself;
  /** What a client is told of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** Deletes rows and streams and restores streams, each by one record of the log. */
export function storeChanges(options: StoreChangesOptions): Pick<Keeper, 'changeStreams' | 'deleteRows'> {
  const { state, room, commitLog } = options;
  const deleteRange = rowDeleter({
    ...options,
    checkWritable: (workspaces) => room.check(workspaces, true),
  });

  /** What was deleted counts until it is out of the log, so the slab is closed. */
  function makeRoom(workspace: string): void {
    if (state.workspaces.get(workspace)?.maxBytes !== undefined) commitLog.rotate();
  }

  async function changeStreams(change: StreamsChange): Promise<ChangedStreams> {
    const frees = change.action !== 'restore';
    room.check([change.workspace], frees);
    const select = () => selectToChange(state, change, options.interruptedAfterMs);
    const selecting = ofOneMoment(state, select, paceReads(neverAborted));
    let selected: NamedStreams;
    if (selecting instanceof Promise) {
      selected = await selecting;
      room.check([change.workspace], frees);
    } else selected = selecting;
    const draft = draftStreamsChange(state, change, selected);
    try {
      let changed = noStreams;
      if (draft.sections.length > 0) {
        await commitLog.append({
          sections: draft.sections,
          before() {
            changed = draft.changed();
          },
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
    changeStreams,
    async deleteRows(selection, parameters) {
      const deleted = await deleteRange(selection, parameters);
      makeRoom(selection.workspace);
      return deleted;
    },
  };
}

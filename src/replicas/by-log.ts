import { stateBody } from '../alerts/stored-state.ts';
import type { Committer } from '../ingest/commit.ts';
import { requireWorkspace } from '../store/require-workspace.ts';
import type { Store, StoreHealth } from '../store/store.ts';
import { type LogRecord, writeRecord } from './record.ts';

/** Sends a record to the log, and resolves with what comes of it here when it is applied. */
export type SendRecord = (record: LogRecord) => Promise<unknown>;

/** A store of which all that changes state goes by way of the log; what reads is the store's own. */
export function storeByLog(local: Store, send: SendRecord, health: () => StoreHealth): Store {
  return {
    ...local,
    append: async ({ workspace, changes }) => {
      local.admit?.({ workspace, changes });
      await send({ type: 'append', workspace, changes });
    },
    changeStreams: () => Promise.reject(new Error('streams are changed by the committer')),
    deleteRows: async (selection, parameters) =>
      (await send({ type: 'rows', selection, parameters })) as number,
    health,
  };
}

/**
 * The store as the log is applied to it. Who sends a record has looked at the limits of its workspace: how many bytes rows take differs
 * from node to node, and all are to take the same.
 */
export function storeOfLog(local: Store): Store {
  return { ...local, append: (batch) => local.append({ ...batch, isAdmitted: true }) };
}

/** A committer whose writes go by way of the log. Each node publishes them to its own readers as it applies them. */
export function committerByLog(local: Committer, store: Store, send: SendRecord): Committer {
  return {
    commit: async (workspace, changes, announcements, onCopied) => {
      requireWorkspace(store.catalog, workspace);
      store.admit?.({ workspace, changes });
      const applied = send(writeRecord(workspace, changes, announcements));
      onCopied?.();
      return (await applied) as number;
    },
    commitSilence: async (name, state) => {
      await send({ type: 'silence', name, state: stateBody(state) });
    },
    settled: () => local.settled(),
    changeStreams: (workspace, action, filter, now) =>
      send({ type: 'streams', workspace, action, filter, now }) as Promise<number>,
  };
}

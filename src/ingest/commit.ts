import type { StreamFilter } from '../domain/query.ts';
import { PitwallError } from '../errors.ts';
import type { Broker, LiveContent, LivePackage } from '../live/broker.ts';
import { outbox, type Ticket } from '../live/outbox.ts';
import type { Batch, ChangedStreams, Store, StreamsChange } from '../store/store.ts';
import { withoutExpired } from './expired-rows.ts';

/** Where what was written is published. */
export type Live = Pick<Broker, 'capture' | 'publish' | 'missed' | 'ended'>;

/** What a request says of one stream, for its readers. */
export interface Said {
  readonly topic: string;
  readonly streamId: string;
  readonly bytes: number;
  readonly content: LiveContent;
}

/** The one way to the store: what became durable is published, in the order in which it went there. */
export interface Committer {
  /**
   * Resolves with the number of rows that were expired already, and not kept. `said` has the order of the changes.
   * Throws `forbidden` where the workspace is gone: a late write must not bring it back.
   */
  commit(workspace: string, changes: Batch['changes'], said: readonly Said[]): Promise<number>;
  /** Resolves when all that is on its way to the store now has arrived or failed, and was published. */
  settled(): Promise<void>;
  /** Deletes or restores the streams that a filter selects; gives how many it changed. */
  changeStreams(
    workspace: string,
    action: StreamsChange['action'],
    filter: StreamFilter,
    now: number,
  ): Promise<number>;
}

/** A package that waits to be published, or an action that waits for its turn among them. */
type Outgoing = { readonly written: LivePackage; readonly isCut: boolean } | (() => void);

/**
 * Settles the tickets as the append ends, and gives `result` after it. It is no part of `commit`, for it must not hold
 * what was written while the disk is waited for.
 */
function settling<Result>(
  appending: Promise<void>,
  tickets: readonly Ticket[],
  result: Result,
): Promise<Result> {
  const settle = (succeeded: boolean): void => {
    for (const ticket of tickets) ticket.settle(succeeded);
  };
  return appending.then(
    () => {
      settle(true);
      return result;
    },
    (error: unknown) => {
      settle(false);
      throw error;
    },
  );
}

/** Bytes of packages that are stored and wait for an earlier write, so that they are published in order. */
const defaultMaxHeldBytes = 64 << 20;

export function createCommitter(store: Store, live: Live, maxHeldBytes = defaultMaxHeldBytes): Committer {
  const published = outbox<Outgoing>({
    send(outgoing) {
      if (typeof outgoing === 'function') {
        outgoing();
        return;
      }
      live.publish(outgoing.written);
      if (outgoing.isCut) live.missed();
    },
    bytesOf(outgoing) {
      if (typeof outgoing === 'function') return 0;
      const { content, bytes } = outgoing.written;
      return content === undefined ? 0 : bytes;
    },
    cut(outgoing) {
      if (typeof outgoing === 'function') return outgoing;
      return { written: { ...outgoing.written, content: undefined }, isCut: true };
    },
    maxHeldBytes,
  });

  const requireWorkspace = (workspace: string): void => {
    if (store.catalog.workspace(workspace) !== undefined) return;
    throw new PitwallError('forbidden', { detail: `the workspace '${workspace}' does not exist any more` });
  };

  const keep = (workspace: string, written: Batch['changes'], saidOfAll: readonly Said[]) => {
    // Copies, where rows are left out.
    let changes: Batch['changes'][number][] | undefined;
    let said: Said[] | undefined;
    let expired = 0;
    for (const [i, change] of written.entries()) {
      const oldest = change.type === 'rows' ? store.catalog.keptFrom(workspace, change.topic) : undefined;
      if (change.type !== 'rows' || oldest === undefined) continue;
      const left = withoutExpired(change, saidOfAll[i]!.content, oldest);
      if (left === undefined) continue;
      changes ??= [...written];
      said ??= [...saidOfAll];
      changes[i] = left.change;
      said[i] = { ...said[i]!, content: left.content };
      expired += left.expired;
    }
    return { changes: changes ?? written, said: said ?? saidOfAll, expired };
  };

  return {
    commit(workspace, written, saidOfAll) {
      requireWorkspace(workspace);
      const { changes, said, expired } = keep(workspace, written, saidOfAll);
      const tickets = said.map(({ topic, streamId, bytes, content }) => {
        const ends = content.type === 'close';
        const captured = live.capture(workspace, topic, streamId, content);
        const entering = { workspace, topic, streamId, bytes, ends, content: captured };
        return published.enter({ written: entering, isCut: false });
      });
      return settling(store.append({ workspace, changes }), tickets, expired);
    },

    settled: () => new Promise((resolve) => published.enter(resolve).settle(true)),

    async changeStreams(workspace, action, filter, now) {
      requireWorkspace(workspace);
      let changed: ChangedStreams | undefined;
      const ticket = published.enter(() => {
        if (changed !== undefined && action !== 'restore') live.ended(workspace, changed.keys());
      });
      try {
        changed = await store.changeStreams({ workspace, action, filter, now });
        return changed.count;
      } finally {
        ticket.settle(changed !== undefined);
      }
    },
  };
}

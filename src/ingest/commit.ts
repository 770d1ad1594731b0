import type { StreamFilter } from '../domain/query.ts';
import type { StreamKey } from '../domain/stream.ts';
import { PitwallError } from '../errors.ts';
import type { Broker, LiveContent, LivePackage } from '../live/broker.ts';
import { outbox, type Ticket } from '../live/outbox.ts';
import type { Batch, ChangedStreams, Store, StreamsChange } from '../store/store.ts';
import { resultInSlices } from '../wire/in-slices.ts';
import { type Steps, whole } from '../wire/steps.ts';
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
   *
   * @param onCopied as in a batch of the store: given where the arrays of the rows stay as they are until it is called
   */
  commit(
    workspace: string,
    changes: Batch['changes'],
    said: readonly Said[],
    onCopied?: () => void,
  ): Promise<number>;
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

/** What is left of a batch without expired rows, of which there were so many. */
interface Kept {
  readonly changes: Batch['changes'];
  readonly said: readonly Said[];
  readonly expired: number;
}

/** Changes of a step. */
const stepChanges = 512;

/** What is decoded is written, whoever has left. */
const neverAborted = new AbortController().signal;

/** Bytes of packages that are stored and wait for an earlier write, so that they are published in order. */
const defaultMaxHeldBytes = 64 << 20;

/** Readers are told of so many streams that ended in one turn. */
const endedAtOnce = 1000;

export function createCommitter(store: Store, live: Live, maxHeldBytes = defaultMaxHeldBytes): Committer {
  const published = outbox<Outgoing>({
    send(outgoing) {
      if (typeof outgoing === 'function') {
        outgoing();
        return;
      }
      live.publish(outgoing.written);
      if (outgoing.isCut) live.missed(outgoing.written);
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

  function* keep(workspace: string, written: Batch['changes'], saidOfAll: readonly Said[]): Steps<Kept> {
    // Copies, where rows are left out.
    let changes: Batch['changes'][number][] | undefined;
    let said: Said[] | undefined;
    let expired = 0;
    for (const [i, change] of written.entries()) {
      if (i % stepChanges === stepChanges - 1) yield;
      const oldest = change.type === 'rows' ? store.catalog.keptFrom(workspace, change.topic) : undefined;
      if (change.type !== 'rows' || oldest === undefined) continue;
      const left = yield* withoutExpired(change, saidOfAll[i]!.content, oldest);
      if (left === undefined) continue;
      changes ??= [...written];
      said ??= [...saidOfAll];
      changes[i] = left.change;
      said[i] = { ...said[i]!, content: left.content };
      expired += left.expired;
    }
    return { changes: changes ?? written, said: said ?? saidOfAll, expired };
  }

  /** Lines up what is said, for when it is durable. Where that fails, nothing that comes later waits for it. */
  const enter = (workspace: string, said: readonly Said[], tickets: Ticket[]): void => {
    try {
      for (const { topic, streamId, bytes, content } of said) {
        const ends = content.type === 'close';
        const captured = live.capture(workspace, topic, streamId, content);
        const entering = { workspace, topic, streamId, bytes, ends, content: captured };
        tickets.push(published.enter({ written: entering, isCut: false }));
      }
    } catch (error) {
      for (const ticket of tickets) ticket.settle(false);
      throw error;
    }
  };

  const append = (workspace: string, { changes, said, expired }: Kept): Promise<number> => {
    const tickets: Ticket[] = [];
    enter(workspace, said, tickets);
    let appending: Promise<void>;
    try {
      appending = store.append({ workspace, changes });
    } catch (error) {
      // Nothing was written.
      for (const ticket of tickets) ticket.settle(false);
      throw error;
    }
    return settling(appending, tickets, expired);
  };

  /** Others may be placed before it, and the workspace may go meanwhile. */
  const appendLong = (workspace: string, steps: Steps<Kept>, onCopied: () => void): Promise<number> =>
    resultInSlices(steps, neverAborted).then(({ changes, said, expired }) => {
      const tickets: Ticket[] = [];
      const onPlaced = (): void => {
        requireWorkspace(workspace);
        enter(workspace, said, tickets);
      };
      return settling(store.append({ workspace, changes, onCopied, onPlaced }), tickets, expired);
    });

  /** Tells of a part of the streams in each turn of the event loop; those that are written to meanwhile did not end. */
  const tellEnded = (workspace: string, ended: Iterable<StreamKey>): void => {
    const keys = ended[Symbol.iterator]();
    const tell = (isFirst: boolean): void => {
      const some: StreamKey[] = [];
      let next = keys.next();
      for (; next.done !== true; next = keys.next()) {
        const { topic, streamId } = next.value;
        if (isFirst || store.catalog.hasStream(workspace, topic, streamId) !== true) some.push(next.value);
        if (some.length === endedAtOnce) break;
      }
      live.ended(workspace, some);
      if (next.done !== true) setImmediate(tell, false);
    };
    tell(true);
  };

  return {
    commit(workspace, written, saidOfAll, onCopied) {
      requireWorkspace(workspace);
      const kept = keep(workspace, written, saidOfAll);
      return onCopied === undefined ? append(workspace, whole(kept)) : appendLong(workspace, kept, onCopied);
    },

    settled: () => new Promise((resolve) => published.enter(resolve).settle(true)),

    async changeStreams(workspace, action, filter, now) {
      requireWorkspace(workspace);
      let changed: ChangedStreams | undefined;
      const ticket = published.enter(() => {
        if (changed !== undefined && action !== 'restore') tellEnded(workspace, changed.keys());
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

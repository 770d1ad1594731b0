import type { StoredState } from '../alerts/stored-state.ts';
import type { StreamFilter } from '../domain/query.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { Broker, LivePackage } from '../live/broker.ts';
import { outbox, type Ticket } from '../live/outbox.ts';
import { requireWorkspace } from '../store/require-workspace.ts';
import type { Batch, ChangedStreams, Store, StreamsChange } from '../store/store.ts';
import { inNextTurn, nextTurn } from '../turns/rest.ts';
import { type Steps, whole } from '../turns/steps.ts';
import { decodeInSlices } from '../wire/json/in-slices.ts';
import { type AlertChanges, type Alerts, judgedAtOnce } from './alerts/alerts.ts';
import { judgedAhead } from './alerts/judged-ahead.ts';
import type { StateName } from './alerts/rule-states.ts';
import { watchedAppends } from './alerts/watched-appends.ts';
import type { Announcement } from './announcement.ts';
import { keepUnexpired, type UnexpiredChanges } from './expired-rows.ts';

/** Where what was written is published. */
export type Live = Pick<Broker, 'capture' | 'publish' | 'missed' | 'ended'>;

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
    announcements: readonly Announcement[],
    onCopied?: () => void,
  ): Promise<number>;
  /**
   * Writes that a rule fires because a stream was silent for too long; nothing where its state is another one by now. The
   * stream is not opened.
   */
  commitSilence(name: StateName, state: StoredState): Promise<void>;
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

/** Readers are told of so many streams that ended in one turn. */
const endedAtOnce = 1000;

/** The committer of this process's own store. */
export class BatchCommitter implements Committer {
  readonly #store: Store;
  readonly #live: Live;
  readonly #alerts: Alerts | undefined;
  /** What waits to be published, in the order in which it went to the store. */
  readonly #published;
  /** Where other nodes write too, what they have said of the streams is asked for first. */
  readonly #appendWatched;

  /** @param alerts what watches the rows that are written */
  constructor(store: Store, live: Live, alerts?: Alerts, maxHeldBytes = defaultMaxHeldBytes) {
    this.#store = store;
    this.#live = live;
    this.#alerts = alerts;
    this.#published = outbox<Outgoing>({
      send: (outgoing) => {
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
    this.#appendWatched =
      alerts &&
      watchedAppends(store.catalog, alerts, async (workspace, changes, announcements, known, onCopied) => {
        requireWorkspace(store.catalog, workspace);
        const kept = await decodeInSlices(
          keepUnexpired(this.#store.catalog, workspace, changes, announcements),
        );
        const judgement = await decodeInSlices(alerts.judge(workspace, kept.changes, known));
        const appended = this.#append(workspace, kept, judgement && alerts.place(judgement));
        onCopied?.();
        return appended;
      });
  }

  commit(
    workspace: string,
    written: Batch['changes'],
    allAnnouncements: readonly Announcement[],
    onCopied?: () => void,
  ): Promise<number> {
    requireWorkspace(this.#store.catalog, workspace);
    const alerts = this.#alerts?.watches(workspace, written) === true ? this.#alerts : undefined;
    if (alerts?.isShared() === true)
      return this.#appendWatched!(workspace, written, allAnnouncements, onCopied);
    const steps = keepUnexpired(this.#store.catalog, workspace, written, allAnnouncements);
    if (onCopied !== undefined) return this.#appendLong(workspace, steps, onCopied);
    const kept = whole(steps);
    return this.#append(workspace, kept, alerts && judgedAtOnce(alerts, workspace, kept.changes));
  }

  async commitSilence(name: StateName, state: StoredState): Promise<void> {
    requireWorkspace(this.#store.catalog, name.workspace);
    const alerts = this.#alerts;
    if (alerts === undefined) return;
    const { workspace, topic, streamId } = name;
    const silent = (): Promise<number> | undefined => {
      const judged = alerts.placeSilence(name, state);
      return judged && this.#append(workspace, { changes: [], announcements: [], expired: 0 }, judged);
    };
    if (alerts.isShared()) await this.#appendWatched!.alone(topic, streamId, silent);
    else await silent();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => this.#published.enter(resolve).settle(true));
  }

  async changeStreams(
    workspace: string,
    action: StreamsChange['action'],
    filter: StreamFilter,
    now: number,
  ): Promise<number> {
    requireWorkspace(this.#store.catalog, workspace);
    let changed: ChangedStreams | undefined;
    const ticket = this.#published.enter(() => {
      if (changed !== undefined && action !== 'restore') this.#tellEnded(workspace, changed.keys());
    });
    try {
      changed = await this.#store.changeStreams({ workspace, action, filter, now });
      if (action === 'hardDelete' && this.#alerts !== undefined)
        await this.#forgetStates(this.#alerts, workspace, changed, now);
      return changed.count;
    } finally {
      ticket.settle(changed !== undefined);
    }
  }

  /** Lines up what is said, for when it is durable. Where that fails, nothing that comes later waits for it. */
  #enter(workspace: string, announcements: readonly Announcement[], tickets: Ticket[]): void {
    try {
      for (const { topic, streamId, bytes, content, quiet = false } of announcements) {
        const ends = content.type === 'close';
        const captured = this.#live.capture(workspace, topic, streamId, content);
        const entering = { workspace, topic, streamId, bytes, ends, quiet, content: captured };
        tickets.push(this.#published.enter({ written: entering, isCut: false }));
      }
    } catch (error) {
      for (const ticket of tickets) ticket.settle(false);
      throw error;
    }
  }

  /** Lines up what is said of a batch, and what rules say of it. */
  #enterAll(
    workspace: string,
    { announcements }: UnexpiredChanges,
    judged: AlertChanges | undefined,
    tickets: Ticket[],
  ) {
    if (judged !== undefined) tickets.push(judged);
    this.#enter(workspace, announcements, tickets);
    if (judged !== undefined) this.#enter(workspace, judged.announcements, tickets);
  }

  #append(workspace: string, kept: UnexpiredChanges, judged?: AlertChanges): Promise<number> {
    const tickets: Ticket[] = [];
    this.#enterAll(workspace, kept, judged, tickets);
    const changes = judged === undefined ? kept.changes : [...kept.changes, ...judged.changes];
    let appending: Promise<void>;
    try {
      appending = this.#store.append({ workspace, changes });
    } catch (error) {
      // Nothing was written.
      for (const ticket of tickets) ticket.settle(false);
      throw error;
    }
    return settling(appending, tickets, kept.expired);
  }

  /** Others may be placed before it, and the workspace may go meanwhile. */
  async #appendLong(
    workspace: string,
    steps: Steps<UnexpiredChanges>,
    onCopied: () => void,
  ): Promise<number> {
    const kept = await decodeInSlices(steps);
    const judgedNow =
      this.#alerts && (await judgedAhead(this.#store.catalog, this.#alerts, workspace, kept.changes));
    const tickets: Ticket[] = [];
    const onPlaced = (): AlertChanges['changes'] | undefined => {
      requireWorkspace(this.#store.catalog, workspace);
      const judged = judgedNow?.();
      this.#enterAll(workspace, kept, judged, tickets);
      return judged?.changes;
    };
    const { changes, expired } = kept;
    return settling(this.#store.append({ workspace, changes, onCopied, onPlaced }), tickets, expired);
  }

  /** A stream of that name that comes later begins anew. */
  async #forgetStates(
    watching: Alerts,
    workspace: string,
    removed: ChangedStreams,
    removedAt: number,
  ): Promise<void> {
    try {
      for (const changes of watching.forgetting(workspace, removed.keys(), removedAt)) {
        if (changes.length === 0) await nextTurn();
        else await this.#store.append({ workspace, changes });
      }
    } catch {
      // The streams are gone; what is left of their states takes memory.
    }
  }

  /** Tells of a part of the streams in each turn of the event loop; those that are written to meanwhile did not end. */
  #tellEnded(workspace: string, ended: Iterable<StreamKey>): void {
    const keys = ended[Symbol.iterator]();
    const tell = (isFirst: boolean): void => {
      const some: StreamKey[] = [];
      let next = keys.next();
      for (; next.done !== true; next = keys.next()) {
        const { topic, streamId } = next.value;
        if (isFirst || this.#store.catalog.hasStream(workspace, topic, streamId) !== true)
          some.push(next.value);
        if (some.length === endedAtOnce) break;
      }
      this.#live.ended(workspace, some);
      if (next.done !== true) inNextTurn(() => tell(false));
    };
    tell(true);
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PitwallError } from '../errors.ts';
import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import type { Store, StoreHealth } from '../store/store.ts';
import { nextTurn } from '../turns/rest.ts';
import { type Applier, type ApplierOptions, createApplier } from './applier.ts';
import { giveBackups } from './backup-transfer.ts';
import { committerByLog, storeByLog, storeOfLog } from './by-log.ts';
import { createLease, renewMs } from './lease.ts';
import type { LogClock } from './log-clock.ts';
import { type LogWatch, watchLog } from './log-watch.ts';
import type { LogExtent, LogMessage, ReplicaLog } from './nats-log.ts';
import { hearPeers, type PeerState, type Peers } from './peers.ts';
import type { Position } from './position.ts';
import { createReach, type Reach } from './reach.ts';
import { readLog } from './read-log.ts';
import { encodeRecord, type LogRecord, recordVersion } from './record.ts';
import { problemsOf, type ReplicaState } from './replica-state.ts';
import { createSender } from './sender.ts';
import { Waiters } from './waiters.ts';

/** This node among the replicas of a cluster: what it writes goes to the log, what stands there it applies. */
export interface Replicas {
  /** The store of this node, with what changes state by way of the log. */
  readonly store: Store;
  /** What clients write, by way of the log. */
  readonly committer: Committer;
  /** Whether this node does what one at a time does. */
  holdsLease(): boolean;
  state(): ReplicaState;
  /** The number of the last applied message. */
  sequence(): number;
  /** Resolves when the message of this number is applied. Rejects with `not_ready` (503) where that takes more than five seconds. */
  reached(sequence: number): Promise<void>;
  /** Resolves when all is applied that the log had at the call; undefined where reads are not to wait for that. */
  readonly barrier: (() => Promise<void>) | undefined;
  /** Resolves when this node has applied all that the log had at the start, and takes writes. Rejects with the signal's reason. */
  caughtUp(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ReplicasOptions {
  readonly node: string;
  /** The store of this node. */
  readonly store: Store;
  /** Writes to that store, and tells live readers. */
  readonly committer: Committer;
  /** Of alert rules, as this node knows them. */
  readonly states: ApplierOptions['states'];
  readonly clock: LogClock;
  readonly replicaLog: ReplicaLog;
  readonly cluster: string;
  /** Most bytes of the log. */
  readonly logBytes: number;
  /** Whether reads wait until all is applied that the log has as they come. */
  readonly readBarrier: boolean;
  /** Where the log goes on for this node, and what it held at the start. */
  readonly position: Position;
  readonly extent: LogExtent;
  readonly log: Log;
}

const lookMs = 1000;
const caughtUpLookMs = 20;
/** What stands in the way of applying the log does not hold up a stop for longer (ms): the next start goes on there. */
const endMs = 5000;
const keepClockMs = 60_000;
/** What the log keeps of what all have applied. */
const messagesBehind = 1000;

/** After this time (ms) it is looked whether a record that the log has taken is still to come. */
const appliedMs = 10_000;
const gone = { detail: 'the log has taken the write, and does not have it now' };

/** Begins to apply the log, and to take writes once all of it is applied. */
export function joinReplicas(options: ReplicasOptions): Replicas {
  return new JoinedReplicas(options);
}

class JoinedReplicas implements Replicas {
  readonly store: Store;
  readonly committer: Committer;
  readonly barrier: (() => Promise<void>) | undefined;
  readonly #options: ReplicasOptions;
  readonly #applier: Applier;
  readonly #reach: Reach;
  readonly #waiters = new Waiters();
  readonly #sender;
  readonly #lease;
  readonly #ending = new AbortController();
  readonly #clocks: NodeJS.Timeout[] = [];
  readonly #reading: Promise<void>;
  readonly #peers: Peers;
  readonly #giving: { close(): void };
  readonly #run = randomUUID();
  readonly #watch: LogWatch;
  #isCaughtUp = false;
  #isRenewing = false;
  #stopped: string | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: ReplicasOptions) {
    const { node, cluster, store, clock, replicaLog, log, position, extent } = options;
    this.#options = options;
    this.#sender = createSender(replicaLog, this.#run, () => this.#applier.readOf(this.#run));
    this.#watch = watchLog(replicaLog, extent, this.#sender.stuckMs);
    this.#lease = createLease(node, position.lease, () => performance.now());
    clock.advance(position.at);
    this.#reach = createReach(position.sequence);
    this.#applier = createApplier({
      ...options,
      store: storeOfLog(store),
      lease: this.#lease,
      waiters: this.#waiters,
      onApplied: this.#reach.applied,
      signal: this.#ending.signal,
    });
    this.barrier = options.readBarrier ? () => this.#barrier() : undefined;
    this.store = storeByLog(store, this.#send, () => this.#health());
    this.committer = committerByLog(options.committer, store, this.#send);
    this.#isCaughtUp = position.sequence >= extent.last;
    this.#reading = readLog({
      replicaLog,
      from: position.from,
      known: position,
      take: (message) => this.#take(message),
      lastSeen: () => this.#watch.extent.last,
      signal: this.#ending.signal,
      log,
    }).catch((error: unknown) => {
      this.#stopped = (error as Error).message;
      log.error({}, this.#stopped);
      this.#isCaughtUp = false;
      this.#waiters.rejectAll(this.#notReady());
    });
    this.#clocks.push(
      setInterval(() => void this.#look(), lookMs),
      setInterval(clock.keep, keepClockMs),
    );
    this.#clocks.push(setInterval(() => this.#renew(), renewMs));
    const { connection } = replicaLog;
    this.#giving = giveBackups(connection, { cluster, run: this.#run }, store, log);
    this.#peers = hearPeers(connection, cluster, () => this.#own());
  }

  holdsLease(): boolean {
    return this.#lease.isOwn && this.#isCaughtUp;
  }

  state(): ReplicaState {
    const { applied: sequence } = this.#applier;
    const behind = Math.max(0, this.#watch.extent.last - sequence);
    const { node } = this.#options;
    return {
      node,
      sequence,
      behind,
      isCaughtUp: this.#isCaughtUp,
      leaseHolder: this.#lease.state.holder,
      leader: this.#watch.extent.leader,
      servers: this.#watch.extent.servers,
      nodes: this.#peers.all(),
      problems: problemsOf({
        node,
        behind,
        isCaughtUp: this.#isCaughtUp,
        isLogKnown: this.#watch.isKnown,
        isTaken: this.#sender.isTaken,
        hasNamesake: this.#peers.hasNamesake(),
        copies: this.#watch.extent.copies,
        own: [this.#stopped, this.#applier.problem],
      }),
    };
  }

  sequence(): number {
    return this.#applier.begun;
  }

  reached(sequence: number): Promise<void> {
    return this.#reach.reached(sequence);
  }

  async caughtUp(signal: AbortSignal): Promise<void> {
    while (!this.#isCaughtUp) {
      signal.throwIfAborted();
      await pause(caughtUpLookMs);
    }
  }

  async close(): Promise<void> {
    for (const clock of this.#clocks) clearInterval(clock);
    this.#ending.abort();
    this.#giving.close();
    this.#peers.close();
    const patience = new AbortController();
    await Promise.race([
      this.#reading.then(() => this.#applier.settled()),
      pause(endMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    this.#waiters.rejectAll(new PitwallError('shutting_down'));
    this.#options.clock.keep();
    await this.#options.replicaLog.close();
  }

  async #take(message: LogMessage): Promise<void> {
    await this.#applier.apply(message);
    if (message.sequence > this.#watch.extent.last) this.#sender.othersAreTaken();
    if (!this.#isCaughtUp && message.sequence >= this.#watch.extent.last) this.#isCaughtUp = true;
  }

  /** Reads that came before the log was asked share its answer. */
  #barrier(): Promise<void> {
    this.#asking ??= nextTurn().then(async () => {
      this.#asking = undefined;
      const { last } = await this.#options.replicaLog.extent().catch((error: unknown) => {
        throw new PitwallError('not_ready', {
          detail: `the log cannot be asked how far it is: ${(error as Error).message}`,
        });
      });
      await this.reached(last);
    });
    return this.#asking;
  }

  /** Asks how far the log is. Who has not applied what it held some looks before is behind. */
  async #look(): Promise<void> {
    await this.#watch.look();
    if (!this.#watch.isKnown) return;
    if (this.#stopped === undefined && this.#applier.applied < this.#watch.longAgo) this.#isCaughtUp = false;
    if (this.holdsLease()) await this.#forgetApplied().catch(() => undefined);
  }

  /** Where the log is half full, messages go that every node has applied. Those who are away for longer take a backup. */
  async #forgetApplied(): Promise<void> {
    const { replicaLog, logBytes } = this.#options;
    if (this.#watch.extent.bytes < logBytes / 2) return;
    const applied = Math.min(...this.#peers.all().map(({ sequence }) => sequence));
    const first = applied - messagesBehind;
    if (first > this.#watch.extent.first) await replicaLog.forgetBefore(first);
  }

  #own(): PeerState {
    const { node } = this.#options;
    const { applied: sequence } = this.#applier;
    return { node, run: this.#run, sequence, isCaughtUp: this.#isCaughtUp, version: recordVersion };
  }

  #renew(): void {
    if (this.#isRenewing || !this.#isCaughtUp || !this.#watch.isKnown || !this.#lease.isDue()) return;
    this.#isRenewing = true;
    this.#lease.renewing();
    const { node } = this.#options;
    this.#send({ type: 'lease', node, after: this.#lease.state.sequence })
      .catch(() => undefined)
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  /** Sends a record to the log, and resolves with what comes of it here when it is applied. */
  readonly #send = (record: LogRecord): Promise<unknown> => {
    if (!this.#isCaughtUp) return Promise.reject(this.#notReady());
    const id = randomUUID();
    const bytes = encodeRecord(record);
    const applied = this.#waiters.wait(id);
    this.#sender.send(id, bytes).then(
      () => {
        // NATS 2.9 may say that it has what it has lost: who has applied all that is there would wait for ever.
        const look = setInterval(() => {
          if (this.#watch.isKnown && this.#applier.applied >= this.#watch.extent.last)
            this.#waiters.reject(id, new PitwallError('not_ready', gone));
        }, appliedMs);
        const end = (): void => clearInterval(look);
        applied.then(end, end);
      },
      (error: unknown) => this.#waiters.reject(id, error),
    );
    return applied;
  };

  #notReady(): PitwallError {
    return new PitwallError('not_ready', { detail: this.state().problems.join('; ') });
  }

  #health(): StoreHealth {
    const health = this.#options.store.health();
    const takesWrites = this.#isCaughtUp && this.#watch.isKnown && this.#sender.isTaken;
    return {
      ...health,
      writable: health.writable && takesWrites,
      problems: [...health.problems, ...this.state().problems],
    };
  }
}

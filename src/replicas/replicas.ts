import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PitwallError } from '../errors.ts';
import type { Committer } from '../ingest/commit.ts';
import type { Store, StoreHealth } from '../store/store.ts';
import { Applier } from './applier.ts';
import { giveBackups } from './backup-transfer.ts';
import { committerByLog, storeByLog, storeOfLog } from './by-log.ts';
import { MessagesLost } from './frame.ts';
import type { Closable } from './hear.ts';
import { keptMarks } from './kept-marks.ts';
import { createLease, renewMs } from './lease.ts';
import type { LogMessage } from './log-streams.ts';
import { forgetApplied, type LogWatch, lostElsewhere, watchLog } from './log-watch.ts';
import { hearPeers, type PeerState, type Peers } from './peers.ts';
import { createBarrier, createReach, type Reach } from './reach.ts';
import { readLog } from './read-log.ts';
import { encodeRecord, type LogRecord, recordVersion } from './record.ts';
import { giveTail, type Repair, repairLog } from './repair.ts';
import type { ReplicasOptions } from './replica.ts';
import { problemsOf, type ReplicaState } from './replica-state.ts';
import { createSender } from './sender.ts';
import { createTail, type Tail } from './tail.ts';
import { Waiters } from './waiters.ts';

const lookMs = 1000;
const caughtUpLookMs = 20;
/** What stands in the way of applying the log does not hold up a stop for longer (ms): the next start goes on there. */
const endMs = 5000;
const keepClockMs = 60_000;

/** After this time (ms) it is looked whether a record that the log has taken is still to come. */
const appliedMs = 10_000;
const gone = { detail: 'the log has taken the write, and does not have it now' };

/** This node among the replicas of a cluster: what it writes goes to the log, what stands there it applies. */
export class Replicas {
  /** The store of this node, with what changes state by way of the log. */
  readonly store: Store;
  /** What clients write, by way of the log. */
  readonly committer: Committer;
  /** Resolves when all is applied that the log had at the call; undefined where reads are not to wait for that. */
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
  readonly #giving: readonly Closable[];
  readonly #run = randomUUID();
  readonly #watch: LogWatch;
  readonly #tail: Tail;
  /** Aborts when this node stops for good with this generation of the log. */
  readonly #frozen = new AbortController();
  #repair: Repair | undefined;
  #isCaughtUp = false;
  #isRenewing = false;
  #stopped: string | undefined;

  /** Begins to apply the log, and to take writes once all of it is applied. */
  constructor(options: ReplicasOptions) {
    const { node, cluster, store, clock, replicaLog, log, position, extent } = options;
    this.#options = options;
    this.#sender = createSender(
      replicaLog,
      this.#run,
      () => this.#applier.read,
      (sequence) => this.#watch.taken(sequence),
    );
    this.#watch = watchLog(replicaLog, extent, this.#sender.stuckMs, () => this.#applier.applied);
    this.#lease = createLease(node, position.lease, () => performance.now());
    clock.advance(position.at);
    this.#reach = createReach(position.sequence);
    this.#tail = createTail(position, keptMarks(options.dataDir, position));
    this.#applier = new Applier({
      ...options,
      store: storeOfLog(store),
      lease: this.#lease,
      waiters: this.#waiters,
      tail: this.#tail,
      onApplied: this.#reach.applied,
      signal: this.#ending.signal,
    });
    this.barrier = options.readBarrier ? createBarrier(replicaLog, (last) => this.reached(last)) : undefined;
    this.store = storeByLog(store, this.#send, () => this.#health());
    this.committer = committerByLog(options.committer, store, this.#send);
    this.#isCaughtUp = options.lost === undefined && position.sequence >= extent.last;
    this.#reading = options.lost === undefined ? this.#read() : Promise.resolve();
    this.#clocks.push(
      setInterval(() => void this.#look(), lookMs),
      setInterval(clock.keep, keepClockMs),
      setInterval(() => this.#renew(), renewMs),
    );
    const { connection } = replicaLog;
    this.#peers = hearPeers(connection, cluster, () => this.#own());
    const hasRead = options.lost === undefined;
    const own = { node, run: this.#run, cluster, peers: this.#peers, hasRead };
    this.#giving = [
      giveBackups(connection, own, store, log),
      giveTail(connection, own, this.#tail, () => replicaLog.maxBytes),
    ];
    if (options.lost !== undefined) this.#freeze(options.lost);
  }

  /** Whether this node does what one at a time does. */
  holdsLease(): boolean {
    return this.#lease.isOwn && this.#isCaughtUp;
  }

  state(): ReplicaState {
    const { applied: sequence } = this.#applier;
    const behind = Math.max(0, this.#watch.extent.last - sequence);
    const told = {
      node: this.#options.node,
      generation: this.#watch.extent.generation,
      isStopped: this.#stopped !== undefined,
      sequence,
      behind,
      isCaughtUp: this.#isCaughtUp,
      leaseHolder: this.#lease.state.holder,
      leader: this.#watch.extent.leader,
      servers: this.#watch.extent.servers,
      nodes: this.#peers.all(),
    };
    const problems = problemsOf({
      ...told,
      isLogKnown: this.#watch.isKnown,
      isTaken: this.#sender.isTaken,
      hasNamesake: this.#peers.hasNamesake(),
      copies: this.#watch.extent.copies,
      own: [this.#stopped, this.#repair?.problem, this.#applier.problem],
    });
    return { ...told, problems };
  }

  /** The last message of which anything is applied. */
  sequence(): number {
    return this.#applier.begun;
  }

  reached(sequence: number): Promise<void> {
    return this.#reach.reached(sequence);
  }

  /** Resolves when it has applied all that the log had at the start, and takes writes. Rejects with the signal's reason. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    while (!this.#isCaughtUp) {
      signal.throwIfAborted();
      await pause(caughtUpLookMs);
    }
  }

  async close(): Promise<void> {
    for (const clock of this.#clocks) clearInterval(clock);
    this.#ending.abort();
    this.#repair?.close();
    for (const giving of this.#giving) giving.close();
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

  async #read(): Promise<void> {
    const { replicaLog, position, log } = this.#options;
    try {
      await readLog({
        replicaLog,
        from: position.from,
        known: position,
        take: (message, mark) => this.#take(message, mark),
        lastSeen: () => this.#watch.extent.last,
        signal: AbortSignal.any([this.#ending.signal, this.#frozen.signal]),
        log,
      });
    } catch (error) {
      if (error instanceof MessagesLost) this.#freeze(error.message);
      else this.#stop((error as Error).message);
    }
  }

  /** Takes nothing more of the log, and acknowledges nothing that is under way. */
  #stop(why: string): void {
    this.#stopped = why;
    this.#options.log.error({}, why);
    this.#isCaughtUp = false;
    this.#waiters.rejectAll(this.#notReady());
  }

  /** Stops for good with this generation of the log, and sees to the next one when all is applied that was begun. */
  #freeze(why: string): void {
    if (this.#frozen.signal.aborted) return;
    this.#frozen.abort();
    this.#stop(why);
    const hasRead = this.#options.lost === undefined;
    void Promise.resolve()
      .then(() => this.#reading)
      .then(() => this.#applier.settled())
      .then(() => {
        if (this.#ending.signal.aborted) return;
        const own = { run: this.#run, peers: this.#peers, extent: () => this.#watch.extent };
        this.#repair = repairLog({ ...this.#options, ...own, hasRead });
      });
  }

  async #take(message: LogMessage, mark: number): Promise<void> {
    await this.#applier.apply(message, mark);
    if (message.sequence > this.#watch.extent.last) this.#sender.othersAreTaken();
    if (!this.#isCaughtUp && message.sequence >= this.#watch.extent.last) this.#isCaughtUp = true;
  }

  /** Asks how far the log is. Who has not applied what it held some looks before is behind. */
  async #look(): Promise<void> {
    await this.#watch.look();
    const { id } = this.#watch.extent;
    if (this.#peers.all().some(({ log, isFrozen }) => log === id && isFrozen)) this.#freeze(lostElsewhere);
    if (!this.#watch.isKnown) return await this.#seekNext();
    if (this.#stopped === undefined && this.#applier.applied < this.#watch.longAgo) this.#isCaughtUp = false;
    const { replicaLog, logBytes } = this.#options;
    const { extent, lost } = this.#watch;
    if (lost !== undefined) this.#freeze(lost);
    if (this.holdsLease())
      await forgetApplied(replicaLog, extent, logBytes, this.#peers.all()).catch(() => undefined);
  }

  /** A log that cannot be asked may have gone, because others have begun the next generation of it. */
  async #seekNext(): Promise<void> {
    const { replicaLog, onNext } = this.#options;
    if (await replicaLog.isOutdated().catch(() => false)) onNext();
  }

  #own(): PeerState {
    return {
      node: this.#options.node,
      run: this.#run,
      sequence: this.#applier.applied,
      isCaughtUp: this.#isCaughtUp,
      version: recordVersion,
      log: this.#watch.extent.id,
      lastWrite: this.#tail.lastWrite,
      isFrozen: this.#repair !== undefined,
    };
  }

  #renew(): void {
    if (this.#isRenewing || !this.#isCaughtUp || !this.#watch.isKnown || !this.#lease.isDue()) return;
    this.#isRenewing = true;
    this.#lease.renewing();
    this.#send({ type: 'lease', node: this.#options.node, after: this.#lease.state.sequence })
      .catch(() => undefined)
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  /** Sends a record to the log, and resolves with what comes of it here when it is applied. */
  readonly #send = (record: LogRecord): Promise<unknown> => {
    if (!this.#isCaughtUp || this.#applier.problem !== undefined) return Promise.reject(this.#notReady());
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
        applied.finally(() => clearInterval(look)).catch(() => undefined);
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

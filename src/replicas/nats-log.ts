import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { connectionTo, type NatsAddress } from '../live/nats/address.ts';
import {
  addStream,
  furnishStream,
  type LogExtent,
  type LogMessage,
  type LogPlace,
  madeOf,
  newestGeneration,
  sealStream,
  streamOf,
  subjectOf,
} from './log-streams.ts';

const requestMs = 3000;
/** Bytes of messages that are on their way to this node at one time. */
const bytesAhead = 16 << 20;

export interface ReplicaLogOptions {
  readonly address: NatsAddress;
  readonly cluster: string;
  readonly node: string;
  /** Most bytes of the log. */
  readonly logBytes: number;
}

/** The servers do not let this node in. */
export class LoginRefused extends Error {}

/** Rejects, with LoginRefused among others, where no server can be reached, or has JetStream, or a majority of them is not there. */
export async function openReplicaLog({
  address,
  cluster,
  node,
  logBytes,
}: ReplicaLogOptions): Promise<ReplicaLog> {
  const { connect, errors } = await import('@nats-io/transport-node');
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
  const refused = (error: unknown): never => {
    throw error instanceof errors.AuthorizationError ? new LoginRefused(error.message) : error;
  };
  const options = { ...connectionTo(address, node), timeout: requestMs };
  // One that lasts would try for ever with a login that is refused.
  await (await connect(options).catch(refused)).close();
  const connection = await connect({
    ...options,
    pingInterval: 2000,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    noAsyncTraces: true,
    ignoreAuthErrorAbort: true,
  });
  try {
    const manager = await jetstreamManager(connection, { timeout: requestMs });
    const copies = copiesOn(address.servers.length);
    const place = { cluster, copies, maxBytes: logBytes };
    const log = new ReplicaLog(connection, jetstream(connection, { timeout: requestMs }), manager, place);
    await log.follow();
    return log;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** As many copies as servers are named, 3 or 5 at most. */
const copiesOn = (servers: number): number => (servers >= 5 ? 5 : servers >= 3 ? 3 : 1);

/** A generation that is empty for so long (ms) has lost who made it. */
const abandonedMs = 20_000;
/** The generations that are named: a description has room for twice as many. */
const mostBefore = 50;
/** A new stream has a leader within this time (ms). */
const electionMs = 10_000;

/** One ordered log on NATS JetStream that all nodes of a cluster write and read, of which one generation follows another. */
export class ReplicaLog {
  readonly connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #place: LogPlace;
  #generation = 1;
  #offset = 0;
  /** Since when the next generation was seen without messages. */
  #emptySince: number | undefined;
  #isConnected = true;
  /** Aborts when the connection is lost: what the log is then may be another thing than before. */
  #lost = new AbortController();

  constructor(
    connection: NatsConnection,
    client: JetStreamClient,
    manager: JetStreamManager,
    place: LogPlace,
  ) {
    this.connection = connection;
    this.#client = client;
    this.#manager = manager;
    this.#place = place;
    this.#watch().catch(() => undefined);
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        this.#isConnected = false;
        this.#lost.abort();
        this.#lost = new AbortController();
      } else if (type === 'reconnect') this.#isConnected = true;
    }
    this.#isConnected = false;
  }

  /** As operators know it. */
  get name(): string {
    return streamOf(this.#place.cluster, this.#generation);
  }

  get #subject(): string {
    return subjectOf(this.#place.cluster, this.#generation);
  }

  /** Bytes of the largest message. */
  get maxBytes(): number {
    // What is larger than all that may be on its way would never come.
    return Math.min(this.connection.info?.max_payload ?? 1 << 20, bytesAhead / 4);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * Resolves with its place when a majority has the message; a repeat under the same id within two minutes changes nothing. Rejects when the
   * log has not said so within the time (ms): then nobody knows whether it has it.
   */
  async publish(id: string, message: Uint8Array, timeoutMs: number): Promise<number> {
    const options = { msgID: id, timeout: timeoutMs, retries: 1 };
    return this.#offset + (await this.#client.publish(this.#subject, message, options)).seq;
  }

  /** The first message of an empty log: rejects where others were before it, or the log does not take it. */
  async found(message: Uint8Array): Promise<void> {
    await this.#client.publish(this.#subject, message, { expect: { lastSequence: 0 } });
  }

  /** What the log holds. Rejects where it cannot be asked now. */
  async extent(): Promise<LogExtent> {
    const { config, state, cluster } = await this.#manager.streams.info(this.name);
    const others = (cluster?.replicas ?? []).map(({ name, current }) => ({ name, isCurrent: current }));
    const leader = cluster?.leader;
    return {
      madeAt: 0,
      ...madeOf(config.description),
      generation: this.#generation,
      isSealed: config.sealed === true,
      first: this.#offset + state.first_seq,
      last: this.#offset + state.last_seq,
      bytes: state.bytes,
      copies: config.num_replicas,
      leader,
      servers: leader === undefined ? others : [{ name: leader, isCurrent: true }, ...others],
    };
  }

  /** The message of a place; undefined where it has gone, or has not come yet. */
  async messageAt(sequence: number): Promise<LogMessage | undefined> {
    const found = await this.#manager.streams.getMessage(this.name, { seq: sequence - this.#offset });
    return found === null ? undefined : { sequence, at: found.time.getTime(), data: found.data };
  }

  /** Goes to the newest generation that has messages. */
  async follow(): Promise<void> {
    this.#generation = await newestGeneration(this.#manager, this.#place);
    ({ offset: this.#offset } = await furnishStream(this.#manager, this.#place, this.#generation));
  }

  /** Whether there is a newer generation that has messages. */
  async isOutdated(): Promise<boolean> {
    return (await newestGeneration(this.#manager, this.#place)) > this.#generation;
  }

  /** Has the log take no more messages, for good. */
  async seal(): Promise<void> {
    await sealStream(this.#manager, this.name);
  }

  /** Begins the next generation with a message, behind a place, and removes this one. Rejects where another node does that. */
  async begin(id: string, offset: number, message: Uint8Array): Promise<void> {
    const { cluster } = this.#place;
    const { before, id: own } = await this.extent();
    const next = this.#generation + 1;
    await this.#leaveNoEmpty(streamOf(cluster, next));
    await addStream(this.#manager, this.#place, next, {
      id,
      offset,
      before: [...before, own].slice(-mostBefore),
    });
    this.#emptySince = undefined;
    const options = { msgID: id, expect: { lastSequence: 0 } };
    for (const until = performance.now() + electionMs; ; await pause(100)) {
      const failure = await this.#client.publish(subjectOf(cluster, next), message, options).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (failure === undefined) break;
      if (performance.now() > until) throw failure.error;
    }
    await this.#manager.streams.delete(this.name);
  }

  /** Removes a stream that another node has made, and lost before its first message. */
  async #leaveNoEmpty(name: string): Promise<void> {
    const there = await this.#manager.streams.info(name).catch(() => undefined);
    if (there?.state.last_seq !== 0) return;
    this.#emptySince ??= performance.now();
    if (performance.now() - this.#emptySince > abandonedMs) await this.#manager.streams.delete(name);
  }

  /** Leaves the server of this connection for another one. */
  leaveServer(): void {
    if (this.#isConnected) this.connection.reconnect().catch(() => undefined);
  }

  /** Calls `handle` with each message from a place on, one after the other, until the signal aborts or the connection is lost. */
  async read(
    from: number,
    handle: (message: LogMessage) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<void> {
    const { DeliverPolicy } = await import('@nats-io/jetstream');
    const consumer = await this.#client.consumers.get(this.name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, from - this.#offset),
    });
    const messages = await consumer.consume({ max_bytes: bytesAhead, idle_heartbeat: 1000, expires: 5000 });
    const stop = (): void => messages.stop();
    const { signal: lost } = this.#lost;
    for (const ending of [signal, lost]) ending.addEventListener('abort', stop, { once: true });
    if (signal.aborted || lost.aborted) stop();
    try {
      for await (const message of messages) {
        const at = Number(message.timestampNanos / 1_000_000n);
        const handled = handle({ sequence: this.#offset + message.seq, at, data: message.data });
        if (handled !== undefined) await handled;
        if (signal.aborted || lost.aborted) break;
      }
    } finally {
      for (const ending of [signal, lost]) ending.removeEventListener('abort', stop);
      await messages.close().catch(() => undefined);
    }
  }

  /** Forgets messages before a place. */
  async forgetBefore(sequence: number): Promise<void> {
    await this.#manager.streams.purge(this.name, { seq: sequence - this.#offset });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

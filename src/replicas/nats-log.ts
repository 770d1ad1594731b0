import { randomUUID } from 'node:crypto';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { NatsAddress } from '../live/nats-address.ts';

/** A message that a majority of the servers has. */
export interface LogMessage {
  /** Its place: each message has another, and later ones have larger ones. */
  readonly sequence: number;
  /** The time that the log gave it, ms since the Unix epoch: the same on every node. */
  readonly at: number;
  readonly data: Uint8Array;
}

/** What the log holds. */
export interface LogExtent {
  /** The identity of the log: one that was made anew under the same name has another. */
  readonly id: string;
  /** When it was made by the clock of its servers, ms since the Unix epoch: the same on every node. */
  readonly madeAt: number;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** How many servers keep it. */
  readonly copies: number;
  /** The server that leads, and those that it knows of. */
  readonly leader: string | undefined;
  readonly servers: readonly { readonly name: string; readonly isCurrent: boolean }[];
}

/** One ordered log on NATS JetStream that all nodes of a cluster write and read. */
export interface ReplicaLog {
  /** Bytes of the largest message. */
  readonly maxBytes: number;
  readonly isConnected: boolean;
  /**
   * Resolves when a majority has the message; a repeat under the same id within two minutes changes nothing. Rejects when the log has not
   * said so within the time (ms): then nobody knows whether it has it.
   */
  publish(id: string, message: Uint8Array, timeoutMs: number): Promise<void>;
  /** The first message of an empty log: rejects where others were before it, or the log does not take it. */
  found(message: Uint8Array): Promise<void>;
  /** Rejects where the log cannot be asked now. */
  extent(): Promise<LogExtent>;
  /** Leaves the server of this connection for another one. */
  leaveServer(): void;
  /** The message of a place; undefined where it has gone, or has not come yet. */
  messageAt(sequence: number): Promise<LogMessage | undefined>;
  /** Calls `handle` with each message from a place on, one after the other, until the signal aborts or the connection is lost. */
  read(
    from: number,
    handle: (message: LogMessage) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Forgets messages before a place. */
  forgetBefore(sequence: number): Promise<void>;
  /** As operators know it. */
  readonly name: string;
  readonly connection: NatsConnection;
  close(): Promise<void>;
}

/** Each message id is remembered so long, in ns: longer than any publisher tries. */
const duplicateWindowNs = 120_000_000_000;
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
  const { isTls, user, password, token } = address;
  const refused = (error: unknown): never => {
    throw error instanceof errors.AuthorizationError ? new LoginRefused(error.message) : error;
  };
  const options = {
    servers: [...address.servers],
    name: `pitwall ${node}`,
    timeout: requestMs,
    ...(isTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    ...(token === undefined ? {} : { token }),
  };
  // One that lasts would try for ever with a login that is refused.
  await (await connect(options).catch(refused)).close();
  const connection = await connect({
    ...options,
    pingInterval: 2000,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
  });
  try {
    const manager = await jetstreamManager(connection, { timeout: requestMs });
    await makeStream(manager, cluster, address.servers.length, logBytes);
    return new NatsLog(connection, jetstream(connection, { timeout: requestMs }), manager, cluster);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The stream of a cluster, made where it is not there; of as many copies as servers are named, 3 or 5 at most. */
async function makeStream(
  manager: JetStreamManager,
  cluster: string,
  servers: number,
  maxBytes: number,
): Promise<void> {
  const name = streamOf(cluster);
  const copies = servers >= 5 ? 5 : servers >= 3 ? 3 : 1;
  const { JetStreamApiError } = await import('@nats-io/jetstream');
  try {
    const { config } = await manager.streams.info(name);
    const more = copies > config.num_replicas;
    if (config.max_bytes !== maxBytes || more)
      await manager.streams.update(name, { max_bytes: maxBytes, ...(more && { num_replicas: copies }) });
    // Who made it may have been killed before it said when.
    await tellWhenMade(manager, name);
    return;
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error;
  }
  const adding = manager.streams.add({
    name,
    description: JSON.stringify({ id: randomUUID() }),
    subjects: [subjectOf(cluster)],
    num_replicas: copies,
    duplicate_window: duplicateWindowNs,
    max_bytes: maxBytes,
  });
  await adding.catch(async (error: unknown) => {
    // Another node may have made it at the same moment.
    await manager.streams.info(name).catch(() => {
      throw error;
    });
  });
  await tellWhenMade(manager, name);
}

/** Keeps with a stream when it was made: what NATS says of that differs from server to server, and clocks of nodes may be wrong. */
async function tellWhenMade(manager: JetStreamManager, name: string): Promise<void> {
  const { config, created } = await manager.streams.info(name);
  const { id, madeAt } = madeOf(config.description);
  if (madeAt !== undefined) return;
  await manager.streams.update(name, { description: JSON.stringify({ id, madeAt: Date.parse(created) }) });
}

function madeOf(description: string | undefined): { readonly id: string; readonly madeAt?: number } {
  const { id, madeAt } = JSON.parse(description ?? '{}') as {
    readonly id?: string;
    readonly madeAt?: number;
  };
  if (id === undefined) throw new Error('the stream of NATS is not one that replicas of Pitwall have made');
  return { id, ...(madeAt !== undefined && { madeAt }) };
}

const streamOf = (cluster: string): string => `PITWALL_${cluster}`;
const subjectOf = (cluster: string): string => `pitwall.replicas.${cluster}`;

class NatsLog implements ReplicaLog {
  readonly connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #cluster: string;
  #isConnected = true;
  /** Aborts when the connection is lost: what the log is then may be another thing than before. */
  #lost = new AbortController();

  constructor(
    connection: NatsConnection,
    client: JetStreamClient,
    manager: JetStreamManager,
    cluster: string,
  ) {
    this.connection = connection;
    this.#client = client;
    this.#manager = manager;
    this.#cluster = cluster;
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

  get name(): string {
    return streamOf(this.#cluster);
  }

  get maxBytes(): number {
    // What is larger than all that may be on its way would never come.
    return Math.min(this.connection.info?.max_payload ?? 1 << 20, bytesAhead / 4);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  async publish(id: string, message: Uint8Array, timeoutMs: number): Promise<void> {
    await this.#client.publish(subjectOf(this.#cluster), message, {
      msgID: id,
      timeout: timeoutMs,
      retries: 1,
    });
  }

  async found(message: Uint8Array): Promise<void> {
    await this.#client.publish(subjectOf(this.#cluster), message, { expect: { lastSequence: 0 } });
  }

  async extent(): Promise<LogExtent> {
    const { config, state, cluster } = await this.#manager.streams.info(streamOf(this.#cluster));
    const others = (cluster?.replicas ?? []).map(({ name, current }) => ({ name, isCurrent: current }));
    const leader = cluster?.leader;
    return {
      madeAt: 0,
      ...madeOf(config.description),
      first: state.first_seq,
      last: state.last_seq,
      bytes: state.bytes,
      copies: config.num_replicas,
      leader,
      servers: leader === undefined ? others : [{ name: leader, isCurrent: true }, ...others],
    };
  }

  async messageAt(sequence: number): Promise<LogMessage | undefined> {
    const found = await this.#manager.streams.getMessage(streamOf(this.#cluster), { seq: sequence });
    return found === null ? undefined : { sequence, at: found.time.getTime(), data: found.data };
  }

  leaveServer(): void {
    if (this.#isConnected) this.connection.reconnect().catch(() => undefined);
  }

  async read(
    from: number,
    handle: (message: LogMessage) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<void> {
    const { DeliverPolicy } = await import('@nats-io/jetstream');
    const consumer = await this.#client.consumers.get(streamOf(this.#cluster), {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    });
    const messages = await consumer.consume({ max_bytes: bytesAhead, idle_heartbeat: 1000, expires: 5000 });
    const stop = (): void => messages.stop();
    const { signal: lost } = this.#lost;
    for (const ending of [signal, lost]) ending.addEventListener('abort', stop, { once: true });
    try {
      for await (const message of messages) {
        const at = Number(message.timestampNanos / 1_000_000n);
        const handled = handle({ sequence: message.seq, at, data: message.data });
        if (handled !== undefined) await handled;
        if (signal.aborted || lost.aborted) break;
      }
    } finally {
      for (const ending of [signal, lost]) ending.removeEventListener('abort', stop);
      await messages.close().catch(() => undefined);
    }
  }

  async forgetBefore(sequence: number): Promise<void> {
    await this.#manager.streams.purge(streamOf(this.#cluster), { seq: sequence });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

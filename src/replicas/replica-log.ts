import type { NatsConnection } from '@nats-io/transport-node';
import type { Made } from './log-streams.ts';

/** A message that a majority of the servers has. */
export interface LogMessage {
  /** Its place: each message has another, and later ones have larger ones. */
  readonly sequence: number;
  /** The time that the log gave it, ms since the Unix epoch: the same on every node. */
  readonly at: number;
  readonly data: Uint8Array;
}

/** What the log holds. */
export interface LogExtent extends Made {
  readonly madeAt: number;
  readonly generation: number;
  /** Whether it takes no more messages: a node has found that it lost some. */
  readonly isSealed: boolean;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** How many servers keep it. */
  readonly copies: number;
  /** The server that leads, and those that it knows of. */
  readonly leader: string | undefined;
  readonly servers: readonly { readonly name: string; readonly isCurrent: boolean }[];
}

/** One ordered log on NATS JetStream that all nodes of a cluster write and read, of which one generation follows another. */
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
  /** Goes to the newest generation that has messages. */
  follow(): Promise<void>;
  /** Whether there is a newer generation that has messages. */
  isOutdated(): Promise<boolean>;
  /** Has the log take no more messages, for good. */
  seal(): Promise<void>;
  /** Begins the next generation with a message, behind a place, and removes this one. Rejects where another node does that. */
  begin(id: string, offset: number, message: Uint8Array): Promise<void>;
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

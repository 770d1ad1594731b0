import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Log } from '../../log.ts';
import { connectionTo, type NatsAddress } from './address.ts';

/** A connection to NATS that is made in the background and comes back for ever, with its subscriptions. */
export interface LastingConnection {
  readonly isUp: boolean;
  /** What NATS, or the attempt to reach it, said last; undefined where all is well. */
  readonly complaint: string | undefined;
  /** Whether that was a refusal of the login. */
  readonly isRefused: boolean;
  /** Bytes of the largest message; what NATS says, or its default. */
  readonly maxPayloadBytes: number;
  /** To be called only while it is up; throws where the message is too large. */
  publish(subject: string, message: Uint8Array): void;
  /** Each subject once, whether it is up or not. The handler must not throw. */
  subscribe(subject: string, handle: Handle): void;
  unsubscribe(subject: string): void;
  /** Resolves when NATS has read all that was sent before; rejects when the connection is lost meanwhile. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Gets the subject under which a message came, which may be one of many that were subscribed with wildcards. */
type Handle = (message: Uint8Array, subject: string) => void;

export interface ConnectionOptions {
  readonly address: NatsAddress;
  /** For the log and for NATS's own list of its clients. */
  readonly node: string;
  readonly log: Log;
  readonly onUp: () => void;
  readonly onDown: () => void;
}

const connectTimeoutMs = 5000;
/** The silence of a server after which it is asked; after two questions without an answer it is gone. */
const pingMs = 5000;
/**
 * The first pause between attempts to connect: short, so that after a failure all nodes are back at about the same
 * time.
 */
const firstPauseMs = 100;
const longestPauseMs = 2000;
/** Attempts from one line in the log to the next: about a minute. */
const quietAttempts = 30;
const defaultPayloadBytes = 1 << 20;

export function keepConnected(parts: ConnectionOptions): LastingConnection {
  return new KeptConnection(parts);
}

class KeptConnection implements LastingConnection {
  readonly #parts: ConnectionOptions;
  /** By subject, for the next connection too. */
  readonly #handlers = new Map<string, Handle>();
  /** Subscriptions of the connection that is there, by subject. */
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #pauses = backoff();
  #nats: NatsConnection | undefined;
  #isUp = false;
  #isClosed = false;
  /** Why it could not be had, or was lost. */
  #complaint: string | undefined;
  /** The server does not let this client in. */
  #isRefused = false;
  /** Settles when no more attempts are made. */
  readonly #ended;

  constructor(parts: ConnectionOptions) {
    this.#parts = parts;
    this.#ended = this.#run();
  }

  /** Ends the pause between two attempts to connect. */
  #wake = (): void => undefined;

  get isUp(): boolean {
    return this.#isUp;
  }

  get complaint(): string | undefined {
    return this.#complaint;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  get maxPayloadBytes(): number {
    return this.#nats?.info?.max_payload ?? defaultPayloadBytes;
  }

  publish(subject: string, message: Uint8Array): void {
    this.#nats!.publish(subject, message);
  }

  subscribe(subject: string, handle: Handle): void {
    this.#handlers.set(subject, handle);
    if (this.#nats !== undefined) this.#subscribeAt(this.#nats, subject);
  }

  unsubscribe(subject: string): void {
    this.#handlers.delete(subject);
    this.#subscriptions.get(subject)?.unsubscribe();
    this.#subscriptions.delete(subject);
  }

  async flush(): Promise<void> {
    return await this.#nats?.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    // An attempt that is under way ends by itself, and what it brings is closed.
    if (this.#nats === undefined) return;
    await this.#nats.close();
    await this.#ended;
  }

  #subscribeAt(connection: NatsConnection, subject: string): void {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) this.#handlers.get(subject)?.(message.data, message.subject);
      },
    });
    this.#subscriptions.set(subject, subscription);
  }

  #up(connection: NatsConnection): void {
    this.#isUp = true;
    this.#complaint = undefined;
    this.#isRefused = false;
    this.#pauses.reset();
    this.#parts.log.info({ server: connection.getServer() }, 'the live link to NATS stands');
    this.#parts.onUp();
  }

  #down(reason: string): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#parts.onDown();
    if (!this.#isClosed)
      this.#parts.log.warn(
        { server: this.#parts.address.shown, reason },
        'the live link to NATS is lost; trying again',
      );
  }

  /** The client connects again by itself, and subscribes anew; resolves when it has given up. */
  async #serve(connection: NatsConnection): Promise<void> {
    this.#nats = connection;
    for (const subject of this.#handlers.keys()) this.#subscribeAt(connection, subject);
    this.#up(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') this.#down(status.type);
      else if (status.type === 'reconnect') this.#up(connection);
      else if (status.type === 'error') {
        this.#complaint = status.error.message;
        this.#parts.log.error({ reason: this.#complaint }, 'NATS reports an error');
      }
    }
    await connection.closed();
  }

  async #run(): Promise<void> {
    // Loaded here, so that a service on its own starts without it.
    const { connect, errors } = await import('@nats-io/transport-node');
    for (let attempts = 0; !this.#isClosed; attempts++) {
      try {
        const connection = await connect(
          connectOptions(this.#parts.address, this.#parts.node, this.#pauses.next),
        );
        attempts = -1;
        if (this.#isClosed) await connection.close();
        else await this.#serve(connection);
      } catch (error) {
        this.#complaint = (error as Error).message;
        this.#isRefused = error instanceof errors.AuthorizationError;
        if (attempts % quietAttempts === 0)
          this.#parts.log.warn(
            { server: this.#parts.address.shown, reason: this.#complaint },
            'NATS cannot be reached; trying again',
          );
      }
      this.#down('the connection was closed');
      this.#nats = undefined;
      this.#subscriptions.clear();
      if (!this.#isClosed) await this.#pause(this.#pauses.next());
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function connectOptions(address: NatsAddress, node: string, nextPauseMs: () => number) {
  return {
    ...connectionTo(address, node),
    noEcho: true,
    timeout: connectTimeoutMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: nextPauseMs,
    ignoreAuthErrorAbort: true,
  };
}

/** Rising pauses, each with chance in it, so that nodes do not come all at once. */
function backoff() {
  let longest = firstPauseMs;
  return {
    next() {
      const pauseMs = longest * (0.5 + Math.random() / 2);
      longest = Math.min(longest * 2, longestPauseMs);
      return pauseMs;
    },
    reset() {
      longest = firstPauseMs;
    },
  };
}

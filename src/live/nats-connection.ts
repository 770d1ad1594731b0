import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import type { NatsAddress } from './nats-address.ts';

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
/** A server that is silent is asked; after two questions without an answer it is gone. */
const pingMs = 5000;
/** Pauses between attempts to connect: short, so that after a failure all nodes are back at about the same time. */
const firstPauseMs = 100;
const longestPauseMs = 2000;
/** Attempts from one line in the log to the next: about a minute. */
const quietAttempts = 30;
const defaultPayloadBytes = 1 << 20;

export function keepConnected({ address, node, log, onUp, onDown }: ConnectionOptions): LastingConnection {
  const handlers = new Map<string, Handle>();
  const subscriptions = new Map<string, Subscription>();
  const pauses = backoff();
  let nats: NatsConnection | undefined;
  let isUp = false;
  let isClosed = false;
  let complaint: string | undefined;
  let isRefused = false;
  let wake = (): void => undefined;

  function subscribeAt(connection: NatsConnection, subject: string): void {
    const subscription = connection.subscribe(subject, {
      callback(error, message) {
        if (error === null) handlers.get(subject)?.(message.data, message.subject);
      },
    });
    subscriptions.set(subject, subscription);
  }

  function up(connection: NatsConnection): void {
    isUp = true;
    complaint = undefined;
    isRefused = false;
    pauses.reset();
    log.info({ server: connection.getServer() }, 'the live link to NATS stands');
    onUp();
  }

  function down(reason: string): void {
    if (!isUp) return;
    isUp = false;
    onDown();
    if (!isClosed) log.warn({ server: address.shown, reason }, 'the live link to NATS is lost; trying again');
  }

  /** The client connects again by itself, and subscribes anew; resolves when it has given up. */
  async function serve(connection: NatsConnection): Promise<void> {
    nats = connection;
    for (const subject of handlers.keys()) subscribeAt(connection, subject);
    up(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') down(status.type);
      else if (status.type === 'reconnect') up(connection);
      else if (status.type === 'error') {
        complaint = status.error.message;
        log.error({ reason: complaint }, 'NATS reports an error');
      }
    }
    await connection.closed();
  }

  async function run(): Promise<void> {
    // Loaded here, so that a service on its own starts without it.
    const { connect, errors } = await import('@nats-io/transport-node');
    for (let attempts = 0; !isClosed; attempts++) {
      try {
        const connection = await connect(connectOptions(address, node, pauses.next));
        attempts = -1;
        if (isClosed) await connection.close();
        else await serve(connection);
      } catch (error) {
        complaint = (error as Error).message;
        isRefused = error instanceof errors.AuthorizationError;
        if (attempts % quietAttempts === 0)
          log.warn({ server: address.shown, reason: complaint }, 'NATS cannot be reached; trying again');
      }
      down('the connection was closed');
      nats = undefined;
      subscriptions.clear();
      if (!isClosed) await pause(pauses.next());
    }
  }

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const ended = run();

  return {
    get isUp() {
      return isUp;
    },
    get complaint() {
      return complaint;
    },
    get isRefused() {
      return isRefused;
    },
    get maxPayloadBytes() {
      return nats?.info?.max_payload ?? defaultPayloadBytes;
    },
    publish: (subject, message) => nats!.publish(subject, message),
    subscribe(subject, handle) {
      handlers.set(subject, handle);
      if (nats !== undefined) subscribeAt(nats, subject);
    },
    unsubscribe(subject) {
      handlers.delete(subject);
      subscriptions.get(subject)?.unsubscribe();
      subscriptions.delete(subject);
    },
    flush: async () => await nats?.flush(),
    async close() {
      isClosed = true;
      wake();
      // An attempt that is under way ends by itself, and what it brings is closed.
      if (nats === undefined) return;
      await nats.close();
      await ended;
    },
  };
}

function connectOptions(address: NatsAddress, node: string, nextPauseMs: () => number) {
  const { servers, isTls, user, password, token } = address;
  return {
    servers: [...servers],
    name: `pitwall ${node}`,
    noEcho: true,
    timeout: connectTimeoutMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: nextPauseMs,
    ignoreAuthErrorAbort: true,
    ...(isTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    ...(token === undefined ? {} : { token }),
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

import { randomBytes } from 'node:crypto';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import { type NatsAddress, natsAddress } from './nats-address.ts';
import { type Beat, decodeBeat, encodeBeats } from './nats-beat.ts';
import { chunks, createAssembly, senderId } from './nats-chunks.ts';
import { createInterest } from './nats-interest.ts';
import { decodePackage, encodePackage, type WholePackage } from './nats-package.ts';
import { createPeers } from './nats-peers.ts';
import { createSender } from './nats-sender.ts';
import { packageSubject } from './nats-subject.ts';
import type { TopicSummary } from './nats-summary.ts';

/**
 * The link to the other nodes over NATS. It is made in the background and made again for ever; without it this node
 * does all its work but hears nothing of the others, nor they of it. What is promised:
 * docs/decisions/011-live-between-nodes.md.
 *
 * Subjects: `<prefix>.1.live.…` for packages (`nats-subject.ts`), `<prefix>.1.node` for beats. The 1 is the version of
 * all that is sent: nodes of another one share nothing with this.
 */
export interface LiveLink {
  connected(): boolean;
  /** Why NATS does not let this node in, where it said so when it was last asked. */
  refused(): string | undefined;
  /** For people, empty where all is well. */
  readonly problems: readonly string[];
  readonly counts: LinkCounts;
  /** Who hears what the link brings. To be set once, before the first event of the loop. */
  attach(ends: LinkEnds): void;
  /** Patterns of packages, as `subscriptionPattern` makes them; counted. */
  want(pattern: string): void;
  unwant(pattern: string): void;
  /** In order. Not sent where there is no link or no room; others learn that it is missing. */
  publish(whole: WholePackage): void;
  /** A package could not even be made for the others; they learn that it is missing. */
  missed(): void;
  /** Resolves when NATS knows what is wanted, or is away. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface LinkEnds {
  onPackage(arrived: WholePackage): void;
  onSummary(summary: readonly TopicSummary[]): void;
  /** Something that was wanted did not and will not come. */
  onGap(reason: string): void;
  /** What happened here since the last call, or, with `all`, every stream that is active through this node. */
  summary(all: boolean): TopicSummary[];
}

/** Packages, since the start. */
export interface LinkCounts {
  readonly sent: number;
  readonly lost: number;
  readonly received: number;
}

export interface LinkOptions {
  /** See `natsAddress`. */
  readonly url: string;
  /** This node's name. */
  readonly node: string;
  readonly log: Log;
  readonly now?: () => number;
}

const beatMs = 1000;
const connectTimeoutMs = 5000;
/** A server that is silent is asked; after two questions without an answer it is gone. */
const pingMs = 5000;
/** Pauses between attempts to connect: short, so that after a failure all nodes are back at about the same time. */
const firstPauseMs = 100;
const longestPauseMs = 2000;
const settleTimeoutMs = 2000;
/** Larger packages do not go to other nodes. */
const maxPackageBytes = 64 << 20;
const maxWaitingBytes = 64 << 20;
/** Far below the 64 MB after which NATS cuts off a receiver that is behind. */
const windowBytes = 8 << 20;
const maxUnfinishedBytes = 256 << 20;
/** What NATS allows where it does not say. */
const defaultPayloadBytes = 1 << 20;

/** Throws an Error where the address is wrong; that NATS cannot be reached is no error. */
export function connectLiveLink({ url, node, log, now = Date.now }: LinkOptions): LiveLink {
  const address = natsAddress(url);
  const packages = `${address.prefix}.1.live.`;
  const beats = `${address.prefix}.1.node`;
  const id = randomBytes(8);
  const sender = senderId(id);
  const subscriptions = new Map<string, Subscription>();
  let nats: NatsConnection | undefined;
  let isUp = false;
  let isClosed = false;
  let refusal: string | undefined;
  let isRefused = false;
  let ends: LinkEnds | undefined;
  let tellAll = false;
  let received = 0;
  let wake = (): void => undefined;
  const pauses = backoff();

  const onGap = (reason: string): void => {
    log.warn({ reason }, 'live data of other nodes are missing');
    ends?.onGap(reason);
  };
  const assembly = createAssembly({ maxBytes: maxUnfinishedBytes, onLost: onGap });
  const peers = createPeers({ now, onGap, onGone: assembly.forget });
  const out = createSender(
    {
      publish: (subject, message) => nats!.publish(subject, message),
      flush: () => nats!.flush(),
    },
    { maxWaitingBytes, windowBytes },
  );
  const interest = createInterest({
    subscribe(pattern) {
      if (nats !== undefined) subscribe(nats, pattern);
    },
    unsubscribe(pattern) {
      subscriptions.get(pattern)?.unsubscribe();
      subscriptions.delete(pattern);
    },
  });

  /** What another node sent wrongly is told, and does not stop the connection. */
  function attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      log.error({ err: error }, 'a message of another node cannot be read');
      ends?.onGap('a message of another node cannot be read');
    }
  }

  function subscribe(to: NatsConnection, pattern: string): void {
    const subscription = to.subscribe(packages + pattern, {
      callback(error, message) {
        if (error !== null) return;
        attempt(() => {
          const whole = assembly.receive(message.data);
          if (whole === undefined) return;
          received++;
          ends?.onPackage(decodePackage(whole));
        });
      },
    });
    subscriptions.set(pattern, subscription);
  }

  function beat(word: Beat['word']): void {
    const topics = word === 'bye' ? [] : (ends?.summary(tellAll || word === 'hello') ?? []);
    tellAll = false;
    for (const message of encodeBeats({ sender, node, word, passed: out.passed, lost: out.lost, topics }))
      nats?.publish(beats, message);
  }

  function heard(message: Uint8Array): void {
    const said = decodeBeat(message);
    if (said.word === 'hello') tellAll = true;
    peers.heard(said);
    if (said.topics.length > 0) ends?.onSummary(said.topics);
  }

  function up(connection: NatsConnection): void {
    isUp = true;
    pauses.reset();
    refusal = undefined;
    isRefused = false;
    log.info({ server: connection.getServer(), nodes: peers.names() }, 'the live link to NATS stands');
    beat('hello');
  }

  function down(reason: string): void {
    if (!isUp) return;
    isUp = false;
    out.disconnected();
    peers.wasAway();
    if (!isClosed) log.warn({ server: address.shown, reason }, 'the live link to NATS is lost; trying again');
  }

  /** One connection, which comes back by itself; resolves when it is closed for good. */
  async function serve(connection: NatsConnection): Promise<void> {
    nats = connection;
    connection.subscribe(beats, {
      callback(error, message) {
        if (error === null) attempt(() => heard(message.data));
      },
    });
    for (const pattern of interest.subscribed()) subscribe(connection, pattern);
    up(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') down(status.type);
      else if (status.type === 'reconnect') up(connection);
      else if (status.type === 'error') {
        refusal = status.error.message;
        log.error({ reason: refusal }, 'NATS reports an error');
      }
    }
    await connection.closed();
  }

  async function keepConnected(): Promise<void> {
    // Loaded here, so that a service on its own starts without it.
    const { connect, errors } = await import('@nats-io/transport-node');
    for (let attempts = 0; !isClosed; attempts++) {
      try {
        const connection = await connect(connectOptions(address, node, pauses.next));
        attempts = -1;
        if (isClosed) await connection.close();
        else await serve(connection);
      } catch (error) {
        refusal = (error as Error).message;
        isRefused = error instanceof errors.AuthorizationError;
        if (attempts % 30 === 0)
          log.warn({ server: address.shown, reason: refusal }, 'NATS cannot be reached; trying again');
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

  const clock = setInterval(() => {
    peers.tick();
    if (!isUp) return;
    out.confirm();
    beat('beat');
  }, beatMs).unref();
  const ended = keepConnected();

  return {
    connected: () => isUp,
    refused: () => (isRefused ? refusal : undefined),
    get problems() {
      if (isUp) return refusal === undefined ? [] : [`NATS reports an error: ${refusal}`];
      const why = refusal === undefined ? '' : ` (${refusal})`;
      return [
        `the live link to NATS at ${address.shown} is down${why}: readers get only what is written through this node`,
      ];
    },
    get counts() {
      return { sent: out.passed - out.lost, lost: out.lost, received };
    },
    attach(given) {
      ends = given;
    },
    want: interest.add,
    unwant: interest.remove,
    publish(whole) {
      if (!isUp || nats === undefined) {
        out.missed();
        return;
      }
      const { workspace, topic, streamId, content } = whole;
      const bytes = encodePackage(whole);
      if (bytes.length > maxPackageBytes) {
        log.warn({ topic, streamId, bytes: bytes.length }, 'a package is too large for other nodes');
        out.missed();
        return;
      }
      const maxPayload = Math.min(nats.info?.max_payload ?? defaultPayloadBytes, defaultPayloadBytes);
      const subject = packages + packageSubject(workspace, topic, streamId, content.type);
      out.offer(subject, chunks({ sender: id, number: out.offered }, bytes, maxPayload), bytes.length);
    },
    missed: out.missed,
    async settled() {
      if (!isUp || nats === undefined) return;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, settleTimeoutMs);
      });
      await Promise.race([nats.flush().catch(() => undefined), patience]);
      clearTimeout(timer);
    },
    async close() {
      isClosed = true;
      clearInterval(clock);
      wake();
      const connection = nats;
      if (connection !== undefined) {
        if (isUp) {
          const patience = pause(settleTimeoutMs).then(() => 'over');
          await Promise.race([out.drained(), patience]);
          beat('bye');
          await Promise.race([connection.flush().catch(() => undefined), patience]);
          wake();
        }
        await connection.close();
        await ended;
      }
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

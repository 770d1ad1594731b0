import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { TopicActivity } from './nats-activity.ts';
import { natsAddress } from './nats-address.ts';
import { type Beat, decodeBeat, encodeBeats } from './nats-beat.ts';
import { chunks, createAssembly, senderId } from './nats-chunks.ts';
import { keepConnected } from './nats-connection.ts';
import { createInterest } from './nats-interest.ts';
import { decodePackage, encodePackage, type WholePackage } from './nats-package.ts';
import { createPeers } from './nats-peers.ts';
import { createSender } from './nats-sender.ts';
import { packageSubject } from './nats-subject.ts';

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
  /** A package of this node was let go before it came here; the other nodes learn that it is missing. */
  missed(): void;
  /** Resolves when NATS knows what is wanted, or is away. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface LinkEnds {
  onPackage(arrived: WholePackage): void;
  onSummary(summary: readonly TopicActivity[]): void;
  /** Something that was wanted did not and will not come. */
  onGap(reason: string): void;
  /** What happened here since the last call, or, with `all`, every stream that is active through this node. */
  summary(all: boolean): TopicActivity[];
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
  /** How long NATS has (ms) to take what is on its way, when the link settles and when it closes; 2,000 by default. */
  readonly settleTimeoutMs?: number;
}

const beatMs = 1000;
const usualSettleMs = 2000;
/** Larger packages do not go to other nodes. */
const maxPackageBytes = 64 << 20;
const maxWaitingBytes = 64 << 20;
/** Far below the 64 MB after which NATS cuts off a receiver that is behind. */
const windowBytes = 8 << 20;
const maxUnfinishedBytes = 256 << 20;
/** Messages are no larger, even where NATS allows it. */
const maxMessageBytes = 1 << 20;
const namesMatter =
  'give each its own --node-name, or hub connections behind a load balancer do not find their node';

/** Throws an Error where the address is wrong; that NATS cannot be reached is no error. */
export function connectLiveLink(options: LinkOptions): LiveLink {
  const { url, node, log, now = Date.now, settleTimeoutMs = usualSettleMs } = options;
  const address = natsAddress(url);
  const packages = `${address.prefix}.1.live.`;
  const beats = `${address.prefix}.1.node`;
  const id = randomBytes(8);
  const sender = senderId(id);
  let ends: LinkEnds | undefined;
  let tellAll = false;
  let received = 0;

  const onGap = (reason: string): void => {
    log.warn({ reason }, 'live data of other nodes are missing');
    ends?.onGap(reason);
  };
  const assembly = createAssembly({ maxBytes: maxUnfinishedBytes, onLost: onGap });
  const peers = createPeers({
    now,
    onGap,
    onCame(other) {
      log.info({ node: other }, 'another node is there');
      // So that it knows from now on what of this node's it has missed.
      beat('beat');
    },
    onGone(other, gone) {
      assembly.forget(gone);
      log.info({ node: other }, 'another node is gone');
    },
  });
  const nats = keepConnected({
    address,
    node,
    log,
    onUp: () => beat('hello'),
    onDown() {
      out.disconnected();
      peers.wasAway();
    },
  });
  const out = createSender(nats, { maxWaitingBytes, windowBytes });
  const interest = createInterest({
    subscribe: (pattern) => nats.subscribe(packages + pattern, (message) => attempt(() => arrived(message))),
    unsubscribe: (pattern) => nats.unsubscribe(packages + pattern),
  });
  nats.subscribe(beats, (message) => attempt(() => heard(message)));

  /** What another node sent wrongly is told, and does not stop the connection. */
  function attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      log.error({ err: error }, 'a message of another node cannot be read');
      ends?.onGap('a message of another node cannot be read');
    }
  }

  function arrived(message: Uint8Array): void {
    const whole = assembly.receive(message);
    if (whole === undefined) return;
    received++;
    ends?.onPackage(decodePackage(whole));
  }

  function beat(word: Beat['word']): void {
    const topics = word === 'bye' ? [] : (ends?.summary(tellAll || word === 'hello') ?? []);
    tellAll = false;
    for (const message of encodeBeats({ sender, node, word, passed: out.passed, lost: out.lost, topics }))
      nats.publish(beats, message);
  }

  function heard(message: Uint8Array): void {
    const said = decodeBeat(message);
    if (said.word === 'hello') tellAll = true;
    peers.heard(said);
    if (said.topics.length > 0) ends?.onSummary(said.topics);
  }

  const clock = setInterval(() => {
    peers.tick();
    if (nats.isUp) {
      out.confirm();
      beat('beat');
    } else {
      // Nobody hears it, and it must not grow; the hello tells what is active then.
      ends?.summary(false);
    }
  }, beatMs).unref();

  return {
    connected: () => nats.isUp,
    refused: () => (nats.isRefused ? nats.complaint : undefined),
    get problems() {
      const { isUp, complaint } = nats;
      if (isUp) {
        return [
          ...(complaint === undefined ? [] : [`NATS reports an error: ${complaint}`]),
          ...(peers.names().includes(node) ? [`another node is named ${node} too: ${namesMatter}`] : []),
        ];
      }
      const why = complaint === undefined ? '' : ` (${complaint})`;
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
      if (!nats.isUp) {
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
      const messageBytes = Math.min(nats.maxPayloadBytes, maxMessageBytes);
      const subject = packages + packageSubject(workspace, topic, streamId, content.type);
      out.offer(subject, chunks({ sender: id, number: out.offered }, bytes, messageBytes), bytes.length);
    },
    missed: out.missed,
    settled: () => (nats.isUp ? within(settleTimeoutMs, nats.flush()) : Promise.resolve()),
    async close() {
      clearInterval(clock);
      if (nats.isUp) await within(settleTimeoutMs, out.drained());
      if (nats.isUp) {
        beat('bye');
        await within(settleTimeoutMs, nats.flush());
      }
      await nats.close();
    },
  };
}

/** Resolves when the promise is settled, or has had its time. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => undefined), patience]);
  clearTimeout(timer);
}

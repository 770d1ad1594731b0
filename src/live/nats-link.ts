import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import { createSlices } from '../turns/slices.ts';
import type { LinkEnds, LiveLink } from './live-link.ts';
import { natsAddress } from './nats-address.ts';
import { type Beat, decodeBeat, encodeBeats, type Place } from './nats-beat.ts';
import { chunks, createAssembly, senderId } from './nats-chunks.ts';
import { keepConnected } from './nats-connection.ts';
import { createInterest } from './nats-interest.ts';
import { createLosses } from './nats-losses.ts';
import { createNamer, createNames } from './nats-names.ts';
import {
  decodePackage,
  encodePackage,
  encodeSteps,
  maxPackageBytes,
  type WholePackage,
} from './nats-package.ts';
import { createPeers } from './nats-peers.ts';
import { createSender, type Offered } from './nats-sender.ts';
import { sizeOfContent, splitContent } from './nats-split.ts';
import { packageSubject, placeOf } from './nats-subject.ts';

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
const anewMs = 600_000;
const loggedPlaces = 10;
const usualSettleMs = 2000;
const maxWaitingBytes = 64 << 20;
/** Far below the 64 MB after which NATS cuts off a receiver that is behind. */
const windowBytes = 8 << 20;
const maxUnfinishedBytes = 256 << 20;
/** Messages are no larger, even where NATS allows it. */
const maxMessageBytes = 1 << 20;
/** Packages that take no more than that are encoded at once: in a fraction of a millisecond. */
const encodedAtOnce = 128 * 1024;
const namesMatter =
  'give each its own --node-name, or hub connections behind a load balancer do not find their node';

/** Throws an Error where the address is wrong; that NATS cannot be reached is no error. */
export function connectLiveLink(options: LinkOptions): LiveLink {
  const { url, node, log, now = Date.now, settleTimeoutMs = usualSettleMs } = options;
  const address = natsAddress(url);
  const packages = `${address.prefix}.2.live.`;
  const beats = `${address.prefix}.2.node`;
  const id = randomBytes(8);
  const sender = senderId(id);
  let ends: LinkEnds | undefined;
  let tellAll = false;
  let received = 0;
  let beatNumber = 0;
  let anewAt = Number.NEGATIVE_INFINITY;
  let asks = new Set<string>();
  const losses = createLosses();
  const namer = createNamer();
  const names = createNames();

  const onGap = (reason: string, places?: readonly Place[]): void => {
    log.warn({ reason, places: places?.slice(0, loggedPlaces) }, 'live data of other nodes are missing');
    if (places === undefined) ends?.onGap();
    else for (const place of places) ends?.onGap(place);
  };
  const assembly = createAssembly({
    maxBytes: maxUnfinishedBytes,
    onLost(reason, subject) {
      const place = placeOf(subject);
      onGap(reason, place && [place]);
    },
  });
  const peers = createPeers({
    now,
    onGap,
    onMissed: (other) => void asks.add(other),
    onCame(other) {
      log.info({ node: other }, 'another node is there');
      // So that it knows from now on what of this node's it has missed.
      beat('beat');
    },
    onGone(other, gone) {
      assembly.forget(gone);
      names.forget(gone);
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
  const out = createSender(nats, { maxWaitingBytes, windowBytes }, losses.add, createSlices('live'));
  const interest = createInterest({
    subscribe: (pattern) =>
      nats.subscribe(packages + pattern, (message, subject) =>
        arrived(message, subject.slice(packages.length)),
      ),
    unsubscribe: (pattern) => nats.unsubscribe(packages + pattern),
  });
  nats.subscribe(beats, (message) => {
    try {
      heard(message);
    } catch (error) {
      // The next one tells by its number that this one was missed.
      log.error({ err: error }, 'a beat of another node cannot be read');
    }
  });

  /** What another node sent wrongly is told to those who wanted it, and does not stop the connection. */
  function arrived(message: Uint8Array, subject: string): void {
    try {
      const bytes = assembly.receive(message, subject);
      if (bytes === undefined) return;
      received++;
      const whole = decodePackage(bytes);
      if (subjectOf(whole) !== subject) {
        throw new RangeError('a package of another node that is not what its subject says');
      }
      ends?.onPackage(whole);
    } catch (error) {
      log.error({ err: error, subject }, 'a message of another node cannot be read');
      const place = placeOf(subject);
      if (place !== undefined) ends?.onGap(place);
    }
  }

  function beat(word: Beat['word']): void {
    // Numbers of streams that are long gone are let go of with the others.
    const all = tellAll || word === 'hello' || now() - anewAt > anewMs;
    const { isAnew, topics } =
      word === 'bye' ? { isAnew: false, topics: [] } : namer.pack(ends?.summary(all) ?? [], all);
    if (isAnew) anewAt = now();
    tellAll = false;
    const { places, others } = losses.take();
    for (let i = 0; i < others; i++) out.missed();
    const { passed, lostAnywhere: lost } = out;
    const said = { sender, node, word, number: beatNumber, passed, lost, lostIn: places };
    for (const message of encodeBeats({ ...said, asks: [...asks], isAnew, topics })) {
      beatNumber++;
      nats.publish(beats, message);
    }
    asks = new Set();
  }

  function heard(message: Uint8Array): void {
    const said = decodeBeat(message);
    if (said.word === 'hello' || said.asks.includes(sender)) tellAll = true;
    peers.heard(said);
    if (said.word === 'bye') return;
    const summary = names.unpack(said.sender, said);
    if (summary.length > 0) ends?.onSummary(summary);
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
      const { workspace, topic } = whole;
      const place = { workspace, topic };
      const messageBytes = Math.min(nats.maxPayloadBytes, maxMessageBytes);
      const subject = packages + subjectOf(whole);
      type Messages = Offered['messages'];
      const offer = (messages: (number: number) => Messages, bytes: number, hasRoom: boolean) =>
        out.offer({ subject, place, messages: messages(out.offered), bytes }, hasRoom);
      const parts = splitContent(whole.content, maxPackageBytes);
      const bytesOfOne = parts.length === 1 ? sizeOfContent(whole.content) : maxPackageBytes;
      if (bytesOfOne <= encodedAtOnce) {
        const bytes = encodePackage(whole);
        offer((number) => chunks({ sender: id, number }, bytes, messageBytes), bytes.length, false);
        return;
      }
      // Encoded when their turn comes, in slices, or a large write would take its room twice.
      function* later(content: WholePackage['content'], number: number) {
        const bytes = yield* encodeSteps({ ...whole, content });
        for (const message of chunks({ sender: id, number }, bytes, messageBytes)) {
          yield message;
          yield undefined;
        }
      }
      let isTaken = false;
      for (const [i, content] of parts.entries()) {
        if (i > 0 && !isTaken) break;
        isTaken = offer((number) => later(content, number), bytesOfOne, i > 0);
      }
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

function subjectOf({ workspace, topic, streamId, content }: WholePackage): string {
  return packageSubject(workspace, topic, streamId, content.type);
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

import { randomBytes } from 'node:crypto';
import type { Log } from '../../log.ts';
import { createSlices } from '../../turns/slices.ts';
import { type NatsAddress, natsAddress } from './address.ts';
import { type Assembly, createAssembly, senderId } from './chunks.ts';
import { keepConnected, type LastingConnection } from './connection.ts';
import { decodeHeartbeat, type Place } from './heartbeat.ts';
import { createInterest, type Interest } from './interest.ts';
import type { LinkCounts, LinkEnds, LiveLink } from './live-link.ts';
import { createLosses } from './losses.ts';
import { createNames } from './names.ts';
import { OwnHeartbeats } from './own-heartbeats.ts';
import { decodePackage, type WholePackage } from './package.ts';
import { createPeers, type Peers } from './peers.ts';
import { PackagePublisher, subjectOf } from './publishing.ts';
import { createSender, type Sender } from './sender.ts';
import { placeOf } from './subject.ts';

export interface LinkOptions {
  /** See `natsAddress`. */
  readonly url: string;
  /** This node's name. */
  readonly node: string;
  readonly log: Log;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
  /** How long NATS has (ms) to take what is on its way, when the link settles and when it closes; 2,000 by default. */
  readonly settleTimeoutMs?: number;
}

const beatMs = 1000;
const loggedPlaces = 10;
const usualSettleMs = 2000;
const maxWaitingBytes = 64 << 20;
/** The bytes that may be on their way: far below the 64 MB after which NATS cuts off a receiver that is behind. */
const windowBytes = 8 << 20;
const maxUnfinishedBytes = 256 << 20;
const namesMatter =
  'give each its own --node-name, or hub connections behind a load balancer do not find their node';

/** Throws an Error where the address is wrong; that NATS cannot be reached is no error. */
export function connectLiveLink(options: LinkOptions): LiveLink {
  return new NatsLink(options);
}

class NatsLink implements LiveLink {
  readonly #node: string;
  readonly #log: Log;
  readonly #settleTimeoutMs: number;
  readonly #address: NatsAddress;
  /** What subjects of packages begin with. */
  readonly #prefix: string;
  /** This node's id of this start. */
  readonly #id = randomBytes(8);
  readonly #sender = senderId(this.#id);
  readonly #nats: LastingConnection;
  /** Packages of this node on their way to NATS. */
  readonly #out: Sender;
  readonly #packages: PackagePublisher;
  readonly #interest: Interest;
  readonly #beats: OwnHeartbeats;
  /** The other nodes, their unfinished packages, and the streams that their beats name by numbers. */
  readonly #peers: Peers;
  readonly #assembly: Assembly;
  readonly #names = createNames();
  /** Packages of other nodes so far. */
  #received = 0;
  /** Who hears what comes; undefined until `attach`. */
  #ends: LinkEnds | undefined;
  /** Beats once a second until `close`. */
  readonly #clock: NodeJS.Timeout;

  constructor({
    url,
    node,
    log,
    now = () => performance.now(),
    settleTimeoutMs = usualSettleMs,
  }: LinkOptions) {
    this.#node = node;
    this.#log = log;
    this.#settleTimeoutMs = settleTimeoutMs;
    this.#address = natsAddress(url, '--live');
    const { prefix } = this.#address;
    this.#prefix = `${prefix}.2.live.`;
    const beatSubject = `${prefix}.2.node`;
    const losses = createLosses();
    this.#assembly = createAssembly({
      maxBytes: maxUnfinishedBytes,
      onLost: (reason, subject) => {
        const place = placeOf(subject);
        this.#onGap(reason, place && [place]);
      },
    });
    this.#peers = createPeers({
      now,
      onGap: (reason, places) => this.#onGap(reason, places),
      onMissed: (other) => this.#beats.ask(other),
      onCame: (other) => this.#onCame(other),
      onGone: (other, gone) => this.#onGone(other, gone),
    });
    this.#nats = keepConnected({
      address: this.#address,
      node,
      log,
      onUp: () => this.#beats.send('hello'),
      onDown: () => {
        this.#out.disconnected();
        this.#peers.wasAway();
      },
    });
    this.#out = createSender(this.#nats, { maxWaitingBytes, windowBytes }, losses.add, createSlices('live'));
    this.#packages = new PackagePublisher(this.#nats, this.#out, this.#id, this.#prefix);
    this.#beats = new OwnHeartbeats({
      sender: this.#sender,
      node,
      now,
      out: this.#out,
      losses,
      summary: (all) => this.#ends?.summary(all) ?? [],
      publish: (message) => this.#nats.publish(beatSubject, message),
    });
    this.#interest = createInterest({
      subscribe: (pattern) =>
        this.#nats.subscribe(this.#prefix + pattern, (message, subject) =>
          this.#onMessage(message, subject.slice(this.#prefix.length)),
        ),
      unsubscribe: (pattern) => this.#nats.unsubscribe(this.#prefix + pattern),
    });
    this.#nats.subscribe(beatSubject, (message) => this.#onBeat(message));
    this.#clock = setInterval(() => this.#tick(), beatMs).unref();
  }

  connected(): boolean {
    return this.#nats.isUp;
  }

  refused(): string | undefined {
    return this.#nats.isRefused ? this.#nats.complaint : undefined;
  }

  get problems(): readonly string[] {
    const { isUp, complaint } = this.#nats;
    if (isUp) {
      const isNamedTwice = this.#peers.names().includes(this.#node);
      return [
        ...(complaint === undefined ? [] : [`NATS reports an error: ${complaint}`]),
        ...(isNamedTwice ? [`another node is named ${this.#node} too: ${namesMatter}`] : []),
      ];
    }
    const why = complaint === undefined ? '' : ` (${complaint})`;
    return [
      `the live link to NATS at ${this.#address.shown} is down${why}: readers get only what is written through this node`,
    ];
  }

  get counts(): LinkCounts {
    const { passed, lost } = this.#out;
    return { sent: passed - lost, lost, received: this.#received };
  }

  attach(ends: LinkEnds): void {
    this.#ends = ends;
  }

  want(pattern: string): void {
    this.#interest.add(pattern);
  }

  unwant(pattern: string): void {
    this.#interest.remove(pattern);
  }

  publish(whole: WholePackage): void {
    if (this.#nats.isUp) this.#packages.publish(whole);
    else this.#out.missed();
  }

  missed(place?: Place): void {
    this.#out.missed(place);
  }

  settled(): Promise<void> {
    return this.#nats.isUp ? within(this.#settleTimeoutMs, this.#nats.flush()) : Promise.resolve();
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    if (this.#nats.isUp) await within(this.#settleTimeoutMs, this.#out.drained());
    if (this.#nats.isUp) {
      this.#beats.send('bye');
      await within(this.#settleTimeoutMs, this.#nats.flush());
    }
    await this.#nats.close();
  }

  /** What another node sent wrongly is told to those who wanted it, and does not stop the connection. */
  #onMessage(message: Uint8Array, subject: string): void {
    try {
      const bytes = this.#assembly.receive(message, subject);
      if (bytes === undefined) return;
      this.#received++;
      const whole = decodePackage(bytes);
      if (subjectOf(whole) !== subject) {
        throw new RangeError('a package of another node that is not what its subject says');
      }
      this.#ends?.onPackage(whole);
    } catch (error) {
      this.#log.error({ err: error, subject }, 'a message of another node cannot be read');
      const place = placeOf(subject);
      if (place !== undefined) this.#ends?.onGap(place);
    }
  }

  #onBeat(message: Uint8Array): void {
    try {
      const beat = decodeHeartbeat(message);
      if (beat.word === 'hello' || beat.asks.includes(this.#sender)) this.#beats.tellAll();
      this.#peers.heard(beat);
      if (beat.word === 'bye') return;
      const summary = this.#names.unpack(beat.sender, beat);
      if (summary.length > 0) this.#ends?.onSummary(summary);
    } catch (error) {
      // The next one tells by its number that this one was missed.
      this.#log.error({ err: error }, 'a beat of another node cannot be read');
    }
  }

  #onCame(other: string): void {
    this.#log.info({ node: other }, 'another node is there');
    // So that it knows from now on what of this node's it has missed.
    this.#beats.send('beat');
  }

  #onGone(other: string, sender: string): void {
    this.#assembly.forget(sender);
    this.#names.forget(sender);
    this.#log.info({ node: other }, 'another node is gone');
  }

  /** Something of these topics, or, where undefined, of any, did not and will not come. */
  #onGap(reason: string, places?: readonly Place[]): void {
    this.#log.warn(
      { reason, places: places?.slice(0, loggedPlaces) },
      'live data of other nodes are missing',
    );
    if (places === undefined) this.#ends?.onGap();
    else for (const place of places) this.#ends?.onGap(place);
  }

  #tick(): void {
    this.#peers.tick();
    if (this.#nats.isUp) {
      this.#out.confirm();
      this.#beats.send('beat');
    } else {
      // Nobody hears it, and it must not grow; the hello tells what is active then.
      this.#ends?.summary(false);
    }
  }
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

import type { LiveEvent } from '../live/live-event.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import { liveMessages } from './live-messages.ts';
import { subscriptionsOf } from './live-topics.ts';
import { mostUnderWay } from './repeats.ts';
import { FilterTree } from './topic-filter.ts';

/** What is on its way to a client. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** ns; undefined where it has none. */
  readonly time: bigint | undefined;
}

/** The connection of a session, where it has one. */
export interface Outlet {
  /** Messages with an acknowledgement that it may have at one time. */
  readonly receiveMaximum: number;
  /** False where it has too much to send; then the message is not sent. */
  publish(message: Outgoing, packetId: number | undefined, dup: boolean): boolean;
}

/** Waits for a client that is away, or slow. */
const mostWaiting = 1000;
const mostWaitingBytes = 4 << 20;
/** Topics whose filters are remembered. */
const mostRemembered = 10_000;

/** How a session subscribes; counted for its token. */
export interface SessionFeed {
  add(session: Session, subscription: Subscription): void;
  remove(session: Session, subscription: Subscription): void;
}

/** A client of MQTT, and what outlives its connections. */
export class Session implements Subscriber {
  readonly workspace: string;
  readonly clientId: string;
  /** Numbers of messages of QoS 2 that were taken and not released. */
  readonly unreleased = new Set<number>();
  /** When the client last said goodbye, ns. */
  leftAt: bigint | undefined;
  /** What an earlier connection is writing. */
  writing: Promise<unknown> = Promise.resolve();
  /** How long it outlives its connection. */
  expiryMs = 0;
  /** When it ends, in ms of the clock; undefined while it is connected. */
  endsAt: number | undefined;
  readonly #feed: SessionFeed;
  readonly #onLeftOut: (count: number) => void;
  #filters = new FilterTree<{ readonly qos: 0 | 1 }>();
  /** How often each subscription of the hub is asked for by a filter. */
  readonly #fed = new Map<string, { readonly subscription: Subscription; count: number }>();
  readonly #granted = new Map<string, number>();
  #outlet: Outlet | undefined;
  #waiting: Outgoing[] = [];
  #waitingBytes = 0;
  readonly #underWay = new Map<number, Outgoing>();
  #lastId = 0;

  constructor(workspace: string, clientId: string, feed: SessionFeed, onLeftOut: (count: number) => void) {
    this.workspace = workspace;
    this.clientId = clientId;
    this.#feed = feed;
    this.#onLeftOut = onLeftOut;
  }

  get filterCount(): number {
    return this.#filters.size;
  }

  /** Whether there was none before. Throws where the token has as many as it may. */
  subscribe(filter: string, qos: 0 | 1): boolean {
    const isNew = this.#filters.get(filter) === undefined;
    if (isNew) for (const subscription of subscriptionsOf(filter)) this.#feedOf(subscription, 1);
    this.#filters.set(filter, { qos });
    this.#granted.clear();
    return isNew;
  }

  /** False where there is none. */
  unsubscribe(filter: string): boolean {
    if (this.#filters.get(filter) === undefined) return false;
    this.#filters.delete(filter);
    for (const subscription of subscriptionsOf(filter)) this.#feedOf(subscription, -1);
    this.#granted.clear();
    return true;
  }

  /** Of all filters that the topic matches the highest; undefined where it matches none. */
  qosOf(topic: string): 0 | 1 | undefined {
    let known = this.#granted.get(topic);
    if (known === undefined) {
      known = this.#filters.matches(topic).reduce((most, { qos }) => Math.max(most, qos), -1);
      if (this.#granted.size >= mostRemembered) this.#granted.clear();
      this.#granted.set(topic, known);
    }
    return known < 0 ? undefined : (known as 0 | 1);
  }

  /** As it was granted to just this filter. */
  qosOfFilter(filter: string): 0 | 1 | undefined {
    return this.#filters.get(filter)?.qos;
  }

  deliver(event: LiveEvent): void {
    if (this.#outlet === undefined && this.expiryMs === 0) return;
    const { messages, leftOut } = liveMessages(event);
    if (leftOut > 0) this.#onLeftOut(leftOut);
    for (const { topic, payload, time } of messages) {
      const qos = this.qosOf(topic);
      if (qos !== undefined) this.send({ topic, payload, qos, retain: false, time });
    }
  }

  interrupted(): void {
    this.#onLeftOut(1);
  }

  /** Sends a message, or has it wait; one that cannot wait is left out, and counted. */
  send(message: Outgoing): void {
    if (message.qos === 0) {
      if (this.#outlet !== undefined && !this.#outlet.publish(message, undefined, false)) this.#onLeftOut(1);
      return;
    }
    if (this.#outlet !== undefined && this.#waiting.length === 0 && this.#start(message)) return;
    if (
      this.#waiting.length >= mostWaiting ||
      this.#waitingBytes + message.payload.length > mostWaitingBytes
    ) {
      this.#onLeftOut(1);
      return;
    }
    this.#waiting.push(message);
    this.#waitingBytes += message.payload.length;
  }

  /** The client has taken a message. */
  acknowledged(packetId: number): void {
    if (this.#underWay.delete(packetId)) this.#sendWaiting();
  }

  /** Sends again what an earlier connection did not bring, and what waits. */
  attach(outlet: Outlet): void {
    this.#outlet = outlet;
    this.endsAt = undefined;
    for (const [packetId, message] of this.#underWay) outlet.publish(message, packetId, true);
    this.#sendWaiting();
  }

  detach(outlet: Outlet): void {
    if (this.#outlet === outlet) this.#outlet = undefined;
  }

  /** It hears nothing more; whoever counts its subscriptions drops them. */
  dropFilters(): void {
    this.#filters = new FilterTree();
    this.#fed.clear();
    this.#granted.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#underWay.clear();
    this.unreleased.clear();
  }

  #sendWaiting(): void {
    let sent = 0;
    while (sent < this.#waiting.length && this.#start(this.#waiting[sent]!)) {
      this.#waitingBytes -= this.#waiting[sent]!.payload.length;
      sent++;
    }
    if (sent > 0) this.#waiting = this.#waiting.slice(sent);
  }

  /** Sends a message with a number of its own; false where as many are under way as may be. */
  #start(message: Outgoing): boolean {
    const outlet = this.#outlet;
    if (outlet === undefined || this.#underWay.size >= Math.min(outlet.receiveMaximum, mostUnderWay))
      return false;
    let id = this.#lastId;
    do id = (id % 0xffff) + 1;
    while (this.#underWay.has(id));
    if (!outlet.publish(message, id, false)) return false;
    this.#lastId = id;
    this.#underWay.set(id, message);
    return true;
  }

  #feedOf(subscription: Subscription, change: 1 | -1): void {
    const key = JSON.stringify(subscription);
    const known = this.#fed.get(key);
    if (change === 1) {
      if (known === undefined) {
        this.#feed.add(this, subscription);
        this.#fed.set(key, { subscription, count: 1 });
      } else known.count++;
      return;
    }
    if (known === undefined || --known.count > 0) return;
    this.#fed.delete(key);
    this.#feed.remove(this, subscription);
  }
}

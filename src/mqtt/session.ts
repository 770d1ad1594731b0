import { PitwallError } from '../errors.ts';
import type { LiveEvent } from '../live/live-event.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import { liveMessages } from './live-messages.ts';
import { subscriptionsOf } from './live-topics.ts';
import { type Outgoing, OutgoingQueue } from './outgoing-queue.ts';
import type { ReaderMemory } from './reader-memory.ts';
import { FilterTree } from './topic-filter.ts';

/** The most topics whose matching filters are remembered. */
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
  /** Messages of QoS 2 that were taken and not released: a digest by number. */
  readonly unreleased = new Map<number, string>();
  readonly queue: OutgoingQueue;
  /** When the client last said goodbye, ns. */
  leftAt: bigint | undefined;
  /** What an earlier connection is writing. */
  writing: Promise<unknown> = Promise.resolve();
  /** How long it outlives its connection. */
  expiryMs = 0;
  /** When it ends, in ms of the clock; undefined while it is connected. */
  endsAt: number | undefined;
  /** It asks for nothing any more, and its client begins another one: it is there for what is known of its connections. */
  hasEnded = false;
  readonly #feed: SessionFeed;
  readonly #onLeftOut: (count: number) => void;
  readonly #memory: ReaderMemory;
  #filterBytes = 0;
  #filters = new FilterTree<{ readonly qos: 0 | 1 }>();
  /** How often each subscription of the hub is asked for by a filter. */
  readonly #fed = new Map<string, { readonly subscription: Subscription; count: number }>();
  readonly #granted = new Map<string, number>();

  constructor(
    workspace: string,
    clientId: string,
    feed: SessionFeed,
    memory: ReaderMemory,
    onLeftOut: (count: number) => void,
  ) {
    this.workspace = workspace;
    this.clientId = clientId;
    this.queue = new OutgoingQueue(memory, onLeftOut);
    this.#feed = feed;
    this.#memory = memory;
    this.#onLeftOut = onLeftOut;
  }

  get filterCount(): number {
    return this.#filters.size;
  }

  /** Whether there was none before. Throws where the token has as many as it may, or there is no memory for more. */
  subscribe(filter: string, qos: 0 | 1): boolean {
    const isNew = this.#filters.get(filter) === undefined;
    if (isNew) this.#begin(filter);
    this.#filters.set(filter, { qos });
    this.#granted.clear();
    return isNew;
  }

  /** False where there is none. */
  unsubscribe(filter: string): boolean {
    if (this.#filters.get(filter) === undefined) return false;
    this.#filters.delete(filter);
    this.#release(bytesOf(filter));
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
    if (!this.queue.isConnected && this.expiryMs === 0) return;
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

  send(message: Outgoing): void {
    this.queue.send(message);
  }

  /** It hears nothing more; whoever counts its subscriptions drops them. */
  dropFilters(): void {
    this.#filters = new FilterTree();
    this.#release(this.#filterBytes);
    this.#fed.clear();
    this.#granted.clear();
    this.queue.clear();
    this.unreleased.clear();
  }

  #begin(filter: string): void {
    const bytes = bytesOf(filter);
    if (!this.#memory.queue(bytes))
      throw new PitwallError('overloaded', {
        detail: 'filters and messages take as much memory as they may',
      });
    this.#filterBytes += bytes;
    try {
      for (const subscription of subscriptionsOf(filter)) this.#feedOf(subscription, 1);
    } catch (error) {
      this.#release(bytes);
      throw error;
    }
  }

  #release(bytes: number): void {
    this.#memory.unqueue(bytes);
    this.#filterBytes -= bytes;
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

/** What each level of a filter takes. */
const levelBytes = 250;

function bytesOf(filter: string): number {
  return filter.split('/').length * levelBytes + 2 * filter.length;
}

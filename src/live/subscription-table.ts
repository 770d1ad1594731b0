import { foldTopic } from '../domain/topic.ts';
import type { Subscriber, Subscription } from './subscription.ts';

/**
 * Who has which subscriptions, with a value for each that means something to the owner of the table. A subscriber has the
 * same subscription once; topics are compared without regard to case.
 */
export interface SubscriptionTable<Value> {
  has(subscriber: Subscriber, subscription: Subscription): boolean;
  set(subscriber: Subscriber, subscription: Subscription, value: Value): Held<Value>;
  /** Takes one out and gives it; undefined where it is not there. */
  remove(subscriber: Subscriber, subscription: Subscription): Held<Value> | undefined;
  /** Takes out what a subscriber has for exactly this stream, or for `*` in these words, without a look at each. */
  removeStream(subscriber: Subscriber, topic: string, streamId: string): Removed<Value>;
  /** Takes out all that a subscriber has, with a look at each stream. */
  drop(subscriber: Subscriber): Removed<Value>;
  isEmpty(): boolean;
  /** Every subscriber with its subscriptions. */
  all(): Iterable<readonly [Subscriber, readonly Subscription[]]>;
}

/** A subscription in the table. */
export interface Held<Value> {
  readonly subscription: Subscription;
  readonly value: Value;
  /** What the subscriber has of its stream: over when the stream was taken out. */
  readonly stream: { readonly isOver: boolean };
}

/** What was taken out of the table, however much it is: to be gone through when there is time. */
export interface Removed<Value> {
  readonly size: number;
  held(): Iterable<Held<Value>>;
}

/** By kind and id. */
interface OfStream<Value> {
  readonly held: Map<string, Held<Value>>;
  isOver: boolean;
}

/** Subscriptions by stream: a stream is taken out without a look at the others. */
type OfSubscriber<Value> = Map<string, OfStream<Value>>;

export function subscriptionTable<Value>(): SubscriptionTable<Value> {
  const bySubscriber = new Map<Subscriber, OfSubscriber<Value>>();

  function forget(subscriber: Subscriber, own: OfSubscriber<Value>, stream: string): void {
    own.delete(stream);
    if (own.size === 0) bySubscriber.delete(subscriber);
  }

  return {
    has: (subscriber, subscription) =>
      bySubscriber.get(subscriber)?.get(streamOf(subscription))?.held.has(keyOf(subscription)) === true,

    set(subscriber, subscription, value) {
      const own: OfSubscriber<Value> = bySubscriber.get(subscriber) ?? new Map();
      const name = streamOf(subscription);
      const stream: OfStream<Value> = own.get(name) ?? { held: new Map(), isOver: false };
      const held = { subscription, value, stream };
      stream.held.set(keyOf(subscription), held);
      bySubscriber.set(subscriber, own.set(name, stream));
      return held;
    },

    remove(subscriber, subscription) {
      const own = bySubscriber.get(subscriber);
      const name = streamOf(subscription);
      const stream = own?.get(name);
      const key = keyOf(subscription);
      const found = stream?.held.get(key);
      if (own === undefined || stream === undefined || found === undefined) return undefined;
      stream.held.delete(key);
      if (stream.held.size === 0) forget(subscriber, own, name);
      return found;
    },

    removeStream(subscriber, topic, streamId) {
      const own = bySubscriber.get(subscriber);
      const name = nameOf(topic, streamId);
      const stream = own?.get(name);
      if (own === undefined || stream === undefined) return removed([]);
      forget(subscriber, own, name);
      return removed([stream]);
    },

    drop(subscriber) {
      const own = bySubscriber.get(subscriber);
      bySubscriber.delete(subscriber);
      return removed(own?.values() ?? []);
    },

    isEmpty: () => bySubscriber.size === 0,

    *all() {
      for (const [subscriber, own] of bySubscriber) {
        yield [subscriber, Array.from(heldOf(own.values()), ({ subscription }) => subscription)];
      }
    },
  };
}

function removed<Value>(streams: Iterable<OfStream<Value>>): Removed<Value> {
  const all = [...streams];
  let size = 0;
  for (const stream of all) {
    stream.isOver = true;
    size += stream.held.size;
  }
  return { size, held: () => heldOf(all) };
}

function* heldOf<Value>(streams: Iterable<OfStream<Value>>): Generator<Held<Value>> {
  for (const { held } of streams) yield* held.values();
}

/** What is of a topic, and of no stream of it, has a name of its own. */
function streamOf(subscription: Subscription): string {
  return nameOf(subscription.topic, 'streamId' in subscription ? subscription.streamId : undefined);
}

function nameOf(topic: string, streamId: string | undefined): string {
  return JSON.stringify([foldTopic(topic), streamId]);
}

function keyOf(subscription: Subscription): string {
  return JSON.stringify([subscription.kind, 'id' in subscription ? subscription.id : undefined]);
}

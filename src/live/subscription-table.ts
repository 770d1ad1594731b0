import { foldTopic } from '../domain/topic.ts';
import type { Subscriber, Subscription } from './subscription.ts';

/**
 * Who has which subscriptions, with a value for each that means something to the owner of the table. A subscriber has the
 * same subscription once; topics are compared without regard to case.
 */
export interface SubscriptionTable<Value> {
  has(subscriber: Subscriber, subscription: Subscription): boolean;
  set(subscriber: Subscriber, subscription: Subscription, value: Value): void;
  /** Takes one out and gives its value; undefined where it is not there. */
  remove(subscriber: Subscriber, subscription: Subscription): Value | undefined;
  /** Takes out what a subscriber has for exactly this stream, or for `*` in these words. */
  removeStream(subscriber: Subscriber, topic: string, streamId: string): Value[];
  /** Takes out all that a subscriber has. */
  drop(subscriber: Subscriber): Value[];
  isEmpty(): boolean;
  /** Every subscriber with its subscriptions. */
  all(): Iterable<readonly [Subscriber, readonly Subscription[]]>;
}

interface Entry<Value> {
  readonly subscription: Subscription;
  readonly value: Value;
}

/** Subscriptions by stream, then by kind and id: a stream is taken out without a look at the others. */
type OfSubscriber<Value> = Map<string, Map<string, Entry<Value>>>;

export function subscriptionTable<Value>(): SubscriptionTable<Value> {
  const bySubscriber = new Map<Subscriber, OfSubscriber<Value>>();

  function find(subscriber: Subscriber, subscription: Subscription): Entry<Value> | undefined {
    return bySubscriber.get(subscriber)?.get(streamOf(subscription))?.get(keyOf(subscription));
  }

  function forget(subscriber: Subscriber, own: OfSubscriber<Value>, stream: string): void {
    own.delete(stream);
    if (own.size === 0) bySubscriber.delete(subscriber);
  }

  return {
    has: (subscriber, subscription) => find(subscriber, subscription) !== undefined,

    set(subscriber, subscription, value) {
      const own: OfSubscriber<Value> = bySubscriber.get(subscriber) ?? new Map();
      const stream = streamOf(subscription);
      const ofStream: Map<string, Entry<Value>> = own.get(stream) ?? new Map();
      ofStream.set(keyOf(subscription), { subscription, value });
      bySubscriber.set(subscriber, own.set(stream, ofStream));
    },

    remove(subscriber, subscription) {
      const found = find(subscriber, subscription);
      if (found === undefined) return undefined;
      const own = bySubscriber.get(subscriber)!;
      const stream = streamOf(subscription);
      const ofStream = own.get(stream)!;
      ofStream.delete(keyOf(subscription));
      if (ofStream.size === 0) forget(subscriber, own, stream);
      return found.value;
    },

    removeStream(subscriber, topic, streamId) {
      const own = bySubscriber.get(subscriber);
      const stream = nameOf(topic, streamId);
      const ofStream = own?.get(stream);
      if (own === undefined || ofStream === undefined) return [];
      forget(subscriber, own, stream);
      return Array.from(ofStream.values(), ({ value }) => value);
    },

    drop(subscriber) {
      const own = bySubscriber.get(subscriber);
      bySubscriber.delete(subscriber);
      return own === undefined ? [] : entriesOf(own).map(({ value }) => value);
    },

    isEmpty: () => bySubscriber.size === 0,

    *all() {
      for (const [subscriber, own] of bySubscriber) {
        yield [subscriber, entriesOf(own).map(({ subscription }) => subscription)];
      }
    },
  };
}

function entriesOf<Value>(own: OfSubscriber<Value>): Entry<Value>[] {
  const found: Entry<Value>[] = [];
  for (const ofStream of own.values()) for (const entry of ofStream.values()) found.push(entry);
  return found;
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

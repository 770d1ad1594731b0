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

export function subscriptionTable<Value>(): SubscriptionTable<Value> {
  const bySubscriber = new Map<Subscriber, Map<string, Entry<Value>>>();

  function take(subscriber: Subscriber, isTaken: (subscription: Subscription) => boolean): Value[] {
    const own = bySubscriber.get(subscriber);
    if (own === undefined) return [];
    const taken: Value[] = [];
    for (const [key, { subscription, value }] of own) {
      if (!isTaken(subscription)) continue;
      own.delete(key);
      taken.push(value);
    }
    if (own.size === 0) bySubscriber.delete(subscriber);
    return taken;
  }

  return {
    has: (subscriber, subscription) => bySubscriber.get(subscriber)?.has(keyOf(subscription)) === true,

    set(subscriber, subscription, value) {
      const own = bySubscriber.get(subscriber) ?? new Map<string, Entry<Value>>();
      bySubscriber.set(subscriber, own.set(keyOf(subscription), { subscription, value }));
    },

    remove(subscriber, subscription) {
      const own = bySubscriber.get(subscriber);
      const key = keyOf(subscription);
      const found = own?.get(key);
      if (own === undefined || found === undefined) return undefined;
      own.delete(key);
      if (own.size === 0) bySubscriber.delete(subscriber);
      return found.value;
    },

    removeStream(subscriber, topic, streamId) {
      const folded = foldTopic(topic);
      return take(
        subscriber,
        (subscription) =>
          'streamId' in subscription &&
          subscription.streamId === streamId &&
          foldTopic(subscription.topic) === folded,
      );
    },

    drop(subscriber) {
      const own = bySubscriber.get(subscriber);
      bySubscriber.delete(subscriber);
      return Array.from(own?.values() ?? [], ({ value }) => value);
    },

    isEmpty: () => bySubscriber.size === 0,

    *all() {
      for (const [subscriber, own] of bySubscriber) {
        yield [subscriber, [...own.values()].map(({ subscription }) => subscription)];
      }
    },
  };
}

function keyOf(subscription: Subscription): string {
  const stream = 'streamId' in subscription ? subscription.streamId : '';
  const id = 'id' in subscription ? subscription.id : '';
  return JSON.stringify([subscription.kind, foldTopic(subscription.topic), stream, id]);
}

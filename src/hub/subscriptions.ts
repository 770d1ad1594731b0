import { foldTopic } from '../domain/topic.ts';
import { PitwallError } from '../errors.ts';
import type { Broker } from '../live/broker.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import type { Caller } from './hub-method.ts';

/** The subscriptions of all connections: the broker's, counted so that one token cannot have them all. */
export interface Subscriptions {
  /** The same one twice is one. Throws `overloaded` (503) where the token has as many as it may. */
  add(caller: Caller, subscription: Subscription): void;
  remove(caller: Caller, subscription: Subscription): void;
  removeStream(caller: Caller, topic: string, streamId: string): void;
  /** Forgets a connection. */
  drop(subscriber: Subscriber): void;
}

interface Held {
  /** The token that they count for, whatever token comes later. */
  readonly tokenId: string;
  readonly subscriptions: Map<string, Subscription>;
}

export function countedSubscriptions(broker: Broker, maxPerToken: number): Subscriptions {
  const bySubscriber = new Map<Subscriber, Held>();
  const perToken = new Map<string, number>();

  const count = (tokenId: string, more: number): void => {
    const sum = (perToken.get(tokenId) ?? 0) + more;
    if (sum === 0) perToken.delete(tokenId);
    else perToken.set(tokenId, sum);
  };

  const heldBy = ({ subscriber, principal }: Caller): Held => {
    const known = bySubscriber.get(subscriber);
    if (known !== undefined) return known;
    const held = { tokenId: principal.tokenId, subscriptions: new Map<string, Subscription>() };
    bySubscriber.set(subscriber, held);
    return held;
  };

  return {
    add(caller, subscription) {
      const { tokenId, subscriptions } = heldBy(caller);
      const key = keyOf(subscription);
      if (subscriptions.has(key)) return;
      if ((perToken.get(tokenId) ?? 0) >= maxPerToken) {
        throw new PitwallError('overloaded', {
          detail: `the token has ${maxPerToken} subscriptions; no more are allowed at one time`,
        });
      }
      broker.subscribe(caller.subscriber, subscription);
      subscriptions.set(key, subscription);
      count(tokenId, 1);
    },

    remove(caller, subscription) {
      const { tokenId, subscriptions } = heldBy(caller);
      if (!subscriptions.delete(keyOf(subscription))) return;
      broker.unsubscribe(caller.subscriber, subscription);
      count(tokenId, -1);
    },

    removeStream(caller, topic, streamId) {
      const { tokenId, subscriptions } = heldBy(caller);
      broker.unsubscribeStream(caller.subscriber, topic, streamId);
      for (const [key, subscription] of subscriptions) {
        const isOfStream = 'streamId' in subscription && subscription.streamId === streamId;
        if (!isOfStream || foldTopic(subscription.topic) !== foldTopic(topic)) continue;
        subscriptions.delete(key);
        count(tokenId, -1);
      }
    },

    drop(subscriber) {
      const held = bySubscriber.get(subscriber);
      if (held === undefined) return;
      bySubscriber.delete(subscriber);
      broker.drop(subscriber);
      count(held.tokenId, -held.subscriptions.size);
    },
  };
}

function keyOf(subscription: Subscription): string {
  const stream = 'streamId' in subscription ? subscription.streamId : '';
  const id = 'id' in subscription ? subscription.id : '';
  return JSON.stringify([subscription.kind, foldTopic(subscription.topic), stream, id]);
}

import { PitwallError } from '../errors.ts';
import type { Broker } from '../live/broker.ts';
import type { Subscriber, Subscription } from '../live/subscription.ts';
import { subscriptionTable } from '../live/subscription-table.ts';
import type { Caller } from './connection/hub-method.ts';

/** The subscriptions of all connections: the broker's, counted so that one token cannot have them all. */
export interface Subscriptions {
  /** The same one twice is one. Throws `overloaded` (503) where the token has as many as it may. */
  add(caller: Caller, subscription: Subscription): void;
  remove(caller: Caller, subscription: Subscription): void;
  removeStream(caller: Caller, topic: string, streamId: string): void;
  /** Forgets a connection. */
  drop(subscriber: Subscriber): void;
}

export function countedSubscriptions(broker: Broker, maxPerToken: number): Subscriptions {
  const held = subscriptionTable<true>();
  /** The token that the subscriptions of a connection count for, whatever token comes later. */
  const tokens = new Map<Subscriber, string>();
  const perToken = new Map<string, number>();

  const count = (tokenId: string, more: number): void => {
    const sum = (perToken.get(tokenId) ?? 0) + more;
    if (sum === 0) perToken.delete(tokenId);
    else perToken.set(tokenId, sum);
  };

  const tokenOf = ({ subscriber, principal }: Caller): string => {
    const known = tokens.get(subscriber) ?? principal.tokenId;
    tokens.set(subscriber, known);
    return known;
  };

  return {
    add(caller, subscription) {
      const { subscriber } = caller;
      const tokenId = tokenOf(caller);
      if (held.has(subscriber, subscription)) return;
      if ((perToken.get(tokenId) ?? 0) >= maxPerToken) {
        throw new PitwallError('overloaded', {
          detail: `the token has ${maxPerToken} subscriptions; no more are allowed at one time`,
        });
      }
      broker.subscribe(subscriber, subscription);
      held.set(subscriber, subscription, true);
      count(tokenId, 1);
    },

    remove(caller, subscription) {
      if (held.remove(caller.subscriber, subscription) === undefined) return;
      broker.unsubscribe(caller.subscriber, subscription);
      count(tokenOf(caller), -1);
    },

    removeStream(caller, topic, streamId) {
      broker.unsubscribeStream(caller.subscriber, topic, streamId);
      count(tokenOf(caller), -held.removeStream(caller.subscriber, topic, streamId).size);
    },

    drop(subscriber) {
      const tokenId = tokens.get(subscriber);
      if (tokenId === undefined) return;
      tokens.delete(subscriber);
      broker.drop(subscriber);
      count(tokenId, -held.drop(subscriber).size);
    },
  };
}

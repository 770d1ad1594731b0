import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../src/hub/connection/hub-method.ts';
import { countedSubscriptions } from '../../src/hub/subscriptions.ts';
import { createBroker } from '../../src/live/broker.ts';
import type { Subscription } from '../../src/live/subscription.ts';

const broker = createBroker({
  catalog: { describe: () => undefined, topicName: () => undefined, documents: () => [] },
  aheadMs: 60_000,
  interruptedAfterMs: 60_000,
  now: () => 0,
  everySecond: () => () => {},
});

function caller(tokenId: string): Caller {
  return {
    principal: { tokenId, workspace: 'default', scopes: ['read'] },
    subscriber: { workspace: 'default', deliver() {} },
  };
}

function parameter(id: string, topic = 'cars', streamId = '*'): Subscription {
  return { kind: 'parameter', topic, streamId, id };
}

describe('the subscriptions of a token', () => {
  it('are so many at most, over all of its connections', () => {
    const subscriptions = countedSubscriptions(broker, 2);
    const [one, two, other] = [caller('a'), caller('a'), caller('b')];
    subscriptions.add(one, parameter('x'));
    subscriptions.add(two, parameter('x'));
    assert.throws(() => subscriptions.add(two, parameter('y')), {
      code: 'overloaded',
      message: /2 subscriptions/,
    });
    subscriptions.add(other, parameter('y'));
  });

  it('count once when they are made twice, whatever the case of the topic', () => {
    const subscriptions = countedSubscriptions(broker, 1);
    const one = caller('a');
    subscriptions.add(one, parameter('x'));
    subscriptions.add(one, parameter('x', 'CARS'));
    subscriptions.remove(one, parameter('x', 'Cars'));
    subscriptions.remove(one, parameter('x'));
    subscriptions.add(one, parameter('y'));
    assert.throws(() => subscriptions.add(one, parameter('x')), { code: 'overloaded' });
  });

  it('make room when a stream is left, and when the connection goes', () => {
    const subscriptions = countedSubscriptions(broker, 2);
    const [one, two] = [caller('a'), caller('a')];
    subscriptions.add(one, parameter('x', 'cars', 's'));
    subscriptions.add(one, { kind: 'event', topic: 'cars', streamId: 's', id: 'e' });
    subscriptions.removeStream(one, 'Cars', 's');
    subscriptions.add(one, parameter('x'));
    subscriptions.add(one, parameter('y'));
    subscriptions.drop(one.subscriber);
    subscriptions.drop(one.subscriber);
    subscriptions.add(two, parameter('x'));
    subscriptions.add(two, parameter('y'));
    assert.throws(() => subscriptions.add(two, parameter('z')), { code: 'overloaded' });
  });
});

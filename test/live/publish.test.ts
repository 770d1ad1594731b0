import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { maxTimestamp } from '../../src/domain/timestamp.ts';
import type { LiveContent } from '../../src/live/broker.ts';
import { calculatedFeed } from '../../src/live/calculated-feed.ts';
import { publishContent } from '../../src/live/publish.ts';
import type { Subscriber, Subscription } from '../../src/live/subscription.ts';
import { type SubscriptionTree, subscriptionTree } from '../../src/live/subscription-tree.ts';
import { noHurry } from './no-hurry.ts';

const rows: Rows = {
  count: 1,
  base: 1n,
  offsets: Float64Array.of(0),
  tagSets: [noTags],
  tagIndex: undefined,
  columns: ['a', 'b'].map((name) => ({
    kind: Kind.Numeric,
    name,
    values: Float64Array.of(1),
    present: undefined,
  })),
};

function reader(name: string, told: string[], onDelivery: () => void = () => {}): Subscriber {
  return {
    workspace: 'w',
    deliver({ target }) {
      told.push(`${name} ${target}`);
      onDelivery();
    },
    interrupted: () => assert.fail('nothing is missing'),
  };
}

const nothingOf = (tree: SubscriptionTree) =>
  calculatedFeed(tree, () => [], { left: 0 }, { last: () => maxTimestamp, onAhead: undefined });
const ofParameter = (id: string): Subscription => ({ kind: 'parameter', topic: 't', streamId: 's', id });

describe('a package that is delivered in several turns', () => {
  const contents: readonly [LiveContent, Subscription, string][] = [
    [{ type: 'parameterData', rows: [rows] }, ofParameter('a'), 'ParameterDataReceived'],
    [{ type: 'close', endType: 'Closed' }, { kind: 'packages', topic: 't' }, 'PackageReceived'],
  ];
  for (const [content, subscription, target] of contents) {
    it(`does not reach who unsubscribed meanwhile: ${target}`, () => {
      const tree = subscriptionTree(noHurry);
      const told: string[] = [];
      const [two, three] = ['two', 'three'].map((name) => reader(name, told));
      const one = reader('one', told, () => tree.remove(two!, subscription));
      for (const subscriber of [one, two!, three!]) tree.add(subscriber, subscription);
      const place = { topic: 't', streamId: 's' };
      const steps = publishContent({
        tree,
        place,
        content,
        time: 0,
        source: { bytes: 1 },
        calculated: nothingOf(tree),
      });
      while (steps.next().done !== true);
      assert.deepEqual(told, [`one ${target}`, `three ${target}`]);
    });
  }

  it('has only the parameters that are still subscribed to', () => {
    const tree = subscriptionTree(noHurry);
    const seen: string[][] = [];
    const subscriber: Subscriber = {
      ...reader('one', []),
      deliver({ args: [data] }) {
        seen.push(Object.keys((data as { numericValues: object }).numericValues));
      },
    };
    // The subscriptions of both parameters are found by the time of the first delivery.
    tree.add(
      reader('other', [], () => tree.remove(subscriber, ofParameter('a'))),
      ofParameter('a'),
    );
    for (const id of ['a', 'b']) tree.add(subscriber, ofParameter(id));
    const place = { topic: 't', streamId: 's' };
    const content: LiveContent = { type: 'parameterData', rows: [rows] };
    const steps = publishContent({
      tree,
      place,
      content,
      time: 0,
      source: { bytes: 1 },
      calculated: nothingOf(tree),
    });
    while (steps.next().done !== true);
    assert.deepEqual(seen, [['b']]);
  });
});

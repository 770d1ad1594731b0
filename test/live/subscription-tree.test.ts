import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Subscriber, Subscription } from '../../src/live/subscription.ts';
import { subscriptionTree } from '../../src/live/subscription-tree.ts';
import { until } from '../until.ts';
import { noHurry, shortSlices } from './no-hurry.ts';

const names = fc.constantFrom('a', 'b', '*');
const topics = fc.constantFrom('t', 'T', 'u', '*');
const subscription: fc.Arbitrary<Subscription> = fc.oneof(
  fc.record({ kind: fc.constantFrom('parameter', 'event'), topic: topics, streamId: names, id: names }),
  fc.record({
    kind: fc.constantFrom('parameterDefinitions', 'eventDefinitions'),
    topic: topics,
    streamId: names,
  }),
  fc.record({ kind: fc.constantFrom('activeStreams', 'topicMetrics', 'packages'), topic: topics }),
);
const action = fc.oneof(
  fc.record({ type: fc.constantFrom('add', 'remove'), who: fc.nat(2), subscription }),
  fc.record({ type: fc.constant('removeStream'), who: fc.nat(2), topic: topics, streamId: names }),
  fc.record({ type: fc.constant('drop'), who: fc.nat(2) }),
);

const same = (pattern: string, value: string) => pattern === '*' || pattern === value;
const sameTopic = (pattern: string, value: string) => same(pattern.toLowerCase(), value.toLowerCase());

/** Does a subscription ask for this? */
function covers(asked: Subscription, what: Subscription): boolean {
  if (asked.kind !== what.kind || !sameTopic(asked.topic, what.topic)) return false;
  if ('streamId' in asked && 'streamId' in what && !same(asked.streamId, what.streamId)) return false;
  return !('id' in asked && 'id' in what) || same(asked.id, what.id);
}

const textOf = (one: Subscription) => JSON.stringify({ ...one, topic: one.topic.toLowerCase() });

describe('subscriptions', () => {
  it('match as a look at every one of them would, whatever was added and removed', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), subscription, (actions, what) => {
        const people: Subscriber[] = [0, 1, 2].map(() => ({ workspace: 'w', deliver() {} }));
        const tree = subscriptionTree(noHurry);
        let held: { who: number; subscription: Subscription }[] = [];
        for (const step of actions) {
          const subscriber = people[step.who]!;
          if ('subscription' in step) {
            const isThis = (one: (typeof held)[number]) =>
              one.who === step.who && textOf(one.subscription) === textOf(step.subscription);
            held = held.filter((one) => !isThis(one));
            if (step.type === 'add') {
              tree.add(subscriber, step.subscription);
              held.push({ who: step.who, subscription: step.subscription });
            } else {
              tree.remove(subscriber, step.subscription);
            }
          } else if ('streamId' in step) {
            tree.removeStream(subscriber, step.topic, step.streamId);
            held = held.filter(
              ({ who, subscription: one }) =>
                who !== step.who ||
                !('streamId' in one) ||
                one.streamId !== step.streamId ||
                one.topic.toLowerCase() !== step.topic.toLowerCase(),
            );
          } else {
            tree.drop(subscriber);
            held = held.filter(({ who }) => who !== step.who);
          }
        }
        const expected = new Set(
          held.filter((one) => covers(one.subscription, what)).map(({ who }) => people[who]!),
        );
        const streamId = 'streamId' in what ? what.streamId : undefined;
        const id = 'id' in what ? what.id : undefined;
        assert.deepEqual(new Set(tree.matches(what.kind, what.topic, streamId, id)), expected);
        assert.equal(tree.hasAny(what.kind, what.topic, streamId, id), expected.size > 0);
        assert.equal(tree.isEmpty(), held.length === 0);
        if (what.kind !== 'parameter') return;
        const parameters = tree.parametersOf(what.topic, what.streamId);
        assert.equal(parameters.has(what.id), expected.size > 0);
        assert.deepEqual(new Set(parameters.groups(what.id).flatMap((own) => [...own])), expected);
        const byName = held.filter(
          ({ subscription: one }) =>
            covers(one, what) && 'id' in one && one.id === what.id && what.id !== '*',
        );
        assert.deepEqual(
          new Set(parameters.named(what.id).flatMap((own) => [...own])),
          new Set(byName.map(({ who }) => people[who]!)),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('very many subscriptions of one reader', () => {
  it('are dropped in slices: others keep theirs, and nothing of them is left', async () => {
    const tree = subscriptionTree(shortSlices());
    const [one, other] = [
      { workspace: 'w', deliver() {} },
      { workspace: 'w', deliver() {} },
    ];
    const of = (i: number): Subscription => ({
      kind: 'parameter',
      topic: 't',
      streamId: `s${i}`,
      id: 'Speed',
    });
    const count = 2000;
    for (let i = 0; i < count; i++) tree.add(one, of(i));
    tree.add(other, of(count - 1));
    tree.drop(one);
    assert.equal(tree.isEmpty(), false);
    const left = () =>
      Array.from({ length: count }, (_, i) => i).filter((i) =>
        tree.hasAny('parameter', 't', `s${i}`, 'Speed'),
      );
    let most = 0;
    for (let before = left().length; before > 1; ) {
      await new Promise(setImmediate);
      const now = left().length;
      most = Math.max(most, before - now);
      before = now;
    }
    assert.ok(most <= 128, `${most} were dropped in one turn`);
    assert.deepEqual(left(), [count - 1]);
    assert.deepEqual([...tree.matches('parameter', 't', `s${count - 1}`, 'Speed')], [other]);
    tree.drop(other);
    assert.deepEqual(left(), []);
    assert.equal(tree.isEmpty(), true);
  });

  it('of one stream are taken back at once, though they leave the tree in slices', async () => {
    const tree = subscriptionTree(shortSlices());
    const [one, other] = [
      { workspace: 'w', deliver() {} },
      { workspace: 'w', deliver() {} },
    ];
    const of = (i: number): Subscription => ({ kind: 'parameter', topic: 't', streamId: 's', id: `p${i}` });
    const count = 2000;
    for (let i = 0; i < count; i++) tree.add(one, of(i));
    tree.add(other, of(1));
    tree.add(one, { kind: 'packages', topic: 't' });
    const groups = Array.from({ length: count }, (_, i) => tree.parametersOf('t', 's').groups(`p${i}`)[0]!);
    tree.removeStream(one, 'T', 's');
    assert.deepEqual(
      groups.flatMap((group) => [...group]),
      [other],
    );
    assert.deepEqual([groups[1]!.has(one), groups[1]!.has(other)], [false, true]);
    assert.deepEqual([...tree.matches('parameter', 't', 's', 'p0')], []);
    // It comes back before they are gone.
    tree.add(one, of(count - 1));
    const inTree = () =>
      Array.from({ length: count }, (_, i) => i).filter((i) => tree.hasAny('parameter', 't', 's', `p${i}`));
    let most = 0;
    for (let before = inTree().length; before > 2; ) {
      await new Promise(setImmediate);
      const now = inTree().length;
      most = Math.max(most, before - now);
      before = now;
    }
    assert.ok(most <= 128, `${most} left in one turn`);
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    assert.deepEqual(inTree(), [1, count - 1]);
    assert.deepEqual([...tree.matches('parameter', 't', 's', `p${count - 1}`)], [one]);
    tree.drop(other);
    tree.drop(one);
    await until(() => inTree().length === 0);
    assert.equal(tree.isEmpty(), true);
  });
});

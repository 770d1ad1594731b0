import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Subscriber, Subscription } from '../../src/live/subscription.ts';
import { type Removed, subscriptionTable } from '../../src/live/subscription-table.ts';

const subscriber = (): Subscriber => ({ workspace: 'w', deliver() {} });
const event = (topic: string, streamId: string, id = 'e'): Subscription => ({
  kind: 'event',
  topic,
  streamId,
  id,
});
const valuesOf = (removed: Removed<string>) => {
  const values = Array.from(removed.held(), ({ value }) => value);
  assert.equal(removed.size, values.length);
  return values;
};

describe('a table of subscriptions', () => {
  it('holds each once for a subscriber, whatever the case of its topic', () => {
    const table = subscriptionTable<number>();
    const [one, two] = [subscriber(), subscriber()];
    table.set(one, event('Cars', 's'), 1);
    assert.ok(table.has(one, event('cars', 's')));
    for (const other of [event('cars', 'S'), event('cars', 's', 'E')]) assert.ok(!table.has(one, other));
    assert.ok(!table.has(two, event('cars', 's')));
    table.set(one, event('CARS', 's'), 2);
    assert.equal(table.remove(two, event('cars', 's')), undefined);
    assert.equal(table.remove(one, event('cars', 's'))?.value, 2);
    assert.equal(table.remove(one, event('cars', 's')), undefined);
    assert.ok(table.isEmpty());
  });

  it('gives the values of what is taken out of it, and knows who has what', () => {
    const table = subscriptionTable<string>();
    const [one, two] = [subscriber(), subscriber()];
    const metrics = { kind: 'topicMetrics', topic: 'cars' } as const;
    table.set(one, event('cars', 's'), 'a');
    table.set(one, { kind: 'eventDefinitions', topic: 'CARS', streamId: 's' }, 'b');
    table.set(one, event('cars', '*'), 'c');
    table.set(one, metrics, 'd');
    table.set(two, event('cars', 's'), 'e');
    assert.deepEqual(valuesOf(table.removeStream(one, 'Cars', 's')), ['a', 'b']);
    assert.deepEqual(valuesOf(table.removeStream(one, 'Cars', 's')), []);
    assert.deepEqual(valuesOf(table.removeStream(one, 'Cars', '*')), ['c']);
    assert.deepEqual(
      [...table.all()],
      [
        [one, [metrics]],
        [two, [event('cars', 's')]],
      ],
    );
    assert.deepEqual(valuesOf(table.drop(one)), ['d']);
    assert.deepEqual(valuesOf(table.drop(one)), []);
    assert.ok(!table.isEmpty());
    assert.deepEqual(valuesOf(table.drop(two)), ['e']);
    assert.ok(table.isEmpty());
  });

  it('says at once of all that is taken out that it is over, and not of what comes in its place', () => {
    const table = subscriptionTable<string>();
    const [one, two] = [subscriber(), subscriber()];
    const held = ['e', 'f'].map((id) => table.set(one, event('cars', 's', id), id));
    const others = [table.set(one, event('cars', 't'), 'g'), table.set(two, event('cars', 's'), 'h')];
    table.removeStream(one, 'cars', 's');
    held.push(table.set(one, event('cars', 's'), 'i'));
    assert.deepEqual(
      [...held, ...others].map(({ stream }) => stream.isOver),
      [true, true, false, false, false],
    );
    table.drop(one);
    assert.deepEqual(
      [...held, ...others].map(({ stream }) => stream.isOver),
      [true, true, true, true, false],
    );
  });
});

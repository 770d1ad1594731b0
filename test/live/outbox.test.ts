import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { outbox } from '../../src/live/outbox.ts';

describe('the outbox', () => {
  it('sends what succeeded in the order in which it entered, once, when all before it has ended', () => {
    const steps = fc.array(fc.record({ succeeds: fc.boolean(), rank: fc.nat(1000), drain: fc.boolean() }));
    fc.assert(
      fc.property(steps, (items) => {
        const sent: number[] = [];
        let due: (() => void)[] = [];
        const turn = () => {
          const now = due;
          due = [];
          for (const action of now) action();
        };
        const box = outbox<number>(
          (item) => sent.push(item),
          (action) => due.push(action),
        );
        const tickets = items.map((_, i) => box.enter(i));
        const ended = new Set<number>();
        const order = [...items.keys()].sort((a, b) => items[a]!.rank - items[b]!.rank);
        for (const i of order) {
          tickets[i]!.settle(items[i]!.succeeds);
          ended.add(i);
          assert.ok(due.length <= 1);
          if (!items[i]!.drain) continue;
          turn();
          const open = items.findIndex((_, at) => !ended.has(at));
          const due_ = [...items.keys()].slice(0, open < 0 ? items.length : open);
          assert.deepEqual(
            sent,
            due_.filter((at) => items[at]!.succeeds),
          );
        }
        turn();
        assert.deepEqual(
          sent,
          [...items.keys()].filter((at) => items[at]!.succeeds),
        );
      }),
    );
  });

  it('sends nothing in the turn in which an item ends', () => {
    const sent: string[] = [];
    const due: (() => void)[] = [];
    const box = outbox<string>(
      (item) => sent.push(item),
      (action) => due.push(action),
    );
    box.enter('a').settle(true);
    assert.deepEqual(sent, []);
    due.shift()!();
    assert.deepEqual(sent, ['a']);
  });
});

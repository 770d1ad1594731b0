import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { outbox } from '../../src/live/outbox.ts';

const uncut = { bytesOf: () => 0, cut: <Item>(item: Item) => item, maxHeldBytes: 0 };

/** Items are texts, each as large as it is long; 10 may be held. */
function smallBox() {
  const sent: string[] = [];
  const due: (() => void)[] = [];
  const box = outbox<string>({
    send: (item) => sent.push(item),
    bytesOf: ({ length }) => length,
    cut: (item) => item[0]!.toUpperCase(),
    maxHeldBytes: 10,
    soon: (action) => due.push(action),
  });
  return { box, sent, turn: () => due.shift()?.() };
}

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
        const box = outbox<number>({
          ...uncut,
          send: (item) => sent.push(item),
          soon: (action) => due.push(action),
        });
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
    const box = outbox<string>({
      ...uncut,
      send: (item) => sent.push(item),
      soon: (action) => due.push(action),
    });
    box.enter('a').settle(true);
    assert.deepEqual(sent, []);
    due.shift()!();
    assert.deepEqual(sent, ['a']);
  });

  it('cuts what has no room behind an item that does not end, and sends all in their order', () => {
    const { box, sent, turn } = smallBox();
    const hung = box.enter('hung for long');
    for (const item of ['aaaa', 'bbbb', 'cccc', 'dd', 'eeee']) {
      box.enter(item).settle(true);
      turn();
    }
    assert.deepEqual(sent, []);
    hung.settle(true);
    turn();
    assert.deepEqual(sent, ['hung for long', 'aaaa', 'bbbb', 'C', 'dd', 'E']);
    // What has gone out holds nothing.
    const next = box.enter('-');
    box.enter('ffffffffff').settle(true);
    turn();
    next.settle(false);
    turn();
    assert.deepEqual(sent.slice(6), ['ffffffffff']);
  });

  it('cuts nothing that goes out in the turn in which it ends, however much it is', () => {
    const { box, sent, turn } = smallBox();
    const tickets = ['a'.repeat(8), 'b'.repeat(8), 'c'.repeat(8)].map((item) => box.enter(item));
    for (const ticket of tickets.reverse()) ticket.settle(true);
    turn();
    assert.deepEqual(sent, ['a'.repeat(8), 'b'.repeat(8), 'c'.repeat(8)]);
  });

  it('lets go of what failed behind an item that does not end', () => {
    const { box, sent, turn } = smallBox();
    const hung = box.enter('hung');
    box.enter('aaaaaaaaaa').settle(false);
    box.enter('bbbbbbbbbb').settle(true);
    turn();
    hung.settle(false);
    turn();
    assert.deepEqual(sent, ['bbbbbbbbbb']);
  });
});

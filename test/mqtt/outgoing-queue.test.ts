import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Outgoing, OutgoingQueue, type Sent } from '../../src/mqtt/outgoing-queue.ts';
import { ReaderMemory } from '../../src/mqtt/reader-memory.ts';

const message = (text: string, qos: 0 | 1 = 1): Outgoing => ({
  topic: 't/s/v',
  payload: Buffer.from(text),
  qos,
  retain: false,
  time: undefined,
});

/** A queue, and a connection that says of each message what `answer` does. */
function queueOf(limit = 1 << 20) {
  let leftOut = 0;
  const memory = new ReaderMemory(limit);
  const queue = new OutgoingQueue(memory, (count) => {
    leftOut += count;
  });
  const sent: string[] = [];
  let answer = (_text: string): Sent => 'sent';
  const outletOf = (receiveMaximum: number) => ({
    receiveMaximum,
    publish({ payload }: Outgoing, id: number | undefined, dup: boolean): Sent {
      const said = answer(payload.toString());
      if (said === 'sent') sent.push(`${payload} ${id}${dup ? ' again' : ''}`);
      return said;
    },
  });
  return {
    queue,
    memory,
    outletOf,
    sent: () => sent.splice(0),
    leftOut: () => leftOut,
    answers(next: (text: string) => Sent) {
      answer = next;
    },
  };
}

describe('messages to a reader of MQTT', () => {
  it('go on behind one that is too long for it, which is left out', () => {
    const { queue, outletOf, sent, leftOut, answers } = queueOf();
    answers((text) => (text === 'long' ? 'too long' : 'sent'));
    queue.send(message('long'));
    queue.attach(outletOf(10));
    for (const text of ['a', 'long', 'b']) queue.send(message(text));
    assert.deepEqual([sent(), leftOut()], [['a 2', 'b 4'], 2]);
  });

  it('go on when its socket takes more, without an acknowledgement', () => {
    const { queue, outletOf, sent, answers } = queueOf();
    queue.attach(outletOf(10));
    answers(() => 'later');
    for (const text of ['a', 'b']) queue.send(message(text));
    assert.deepEqual(sent(), []);
    answers(() => 'sent');
    queue.send(message('c'));
    assert.deepEqual(sent(), ['a 1', 'b 2', 'c 3']);
    answers(() => 'later');
    queue.send(message('d'));
    answers(() => 'sent');
    queue.drain();
    assert.deepEqual(sent(), ['d 4']);
  });

  it('keep within what it may have under way, those of an earlier connection first', () => {
    const { queue, outletOf, sent } = queueOf();
    const first = outletOf(3);
    queue.attach(first);
    for (const text of ['a', 'b', 'c', 'd', 'e']) queue.send(message(text));
    assert.deepEqual(sent(), ['a 1', 'b 2', 'c 3']);
    queue.detach(first);
    queue.attach(outletOf(2));
    assert.deepEqual(sent(), ['a 1 again', 'b 2 again']);
    for (const id of [1, 2]) queue.acknowledged(id);
    assert.deepEqual(sent(), ['c 3 again', 'd 4']);
    queue.acknowledged(3);
    assert.deepEqual(sent(), ['e 5']);
  });

  it('share one limit, and give back what they took', () => {
    const { queue, memory, outletOf, sent, leftOut } = queueOf(3000);
    for (let i = 0; i < 12; i++) queue.send(message('x'.repeat(100)));
    assert.equal(leftOut(), 2);
    const other = new OutgoingQueue(memory, () => assert.fail());
    queue.attach(outletOf(5));
    for (let id = 1; id <= 5; id++) queue.acknowledged(id);
    for (let i = 0; i < 5; i++) other.send(message('y'.repeat(100)));
    queue.clear();
    other.clear();
    assert.ok(memory.queue(3000));
    memory.unqueue(3000);
    assert.equal(sent().length, 10);
  });

  it('are left out without an acknowledgement where a reader is behind and all sockets have too much', () => {
    const memory = new ReaderMemory(1 << 20);
    memory.sent(2 << 20);
    assert.deepEqual([memory.maySend(0), memory.maySend(1 << 20)], [true, false]);
    memory.counted(1000);
    assert.ok(memory.maySend(1 << 20));
  });
});

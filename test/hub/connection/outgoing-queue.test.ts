import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OutgoingMessage, outgoingMessage } from '../../../src/hub/connection/outgoing-message.ts';
import { createOutgoingQueue, type OutgoingQueue } from '../../../src/hub/connection/outgoing-queue.ts';
import { createQueueMemory } from '../../../src/hub/connection/queue-memory.ts';

const of = (bytes: number): OutgoingMessage => outgoingMessage(Buffer.alloc(bytes));

function takeAll(queue: OutgoingQueue): void {
  for (let next = queue.take(); next !== undefined; next = queue.take()) queue.sent(next);
}

describe('the outgoing queue', () => {
  it('gives messages back in their order, and counts their bytes', () => {
    const memory = createQueueMemory(1_000_000);
    const queue = createOutgoingQueue(1_000_000, memory);
    const sent = Array.from({ length: 5000 }, (_, i) => outgoingMessage(Buffer.from(String(i))));
    for (const message of sent) assert.equal(queue.push(message), true);
    const bytes = memory.used;
    const taken: OutgoingMessage[] = [];
    for (let i = 0; i < 3000; i++) taken.push(queue.take()!);
    queue.putBack(taken.splice(2990));
    assert.equal(queue.length, 2010);
    assert.equal(memory.used, bytes);
    while (queue.length > 0) taken.push(queue.take()!);
    assert.deepEqual(taken, sent);
    assert.equal(queue.bytes, 0);
    assert.equal(queue.take(), undefined);
    queue.sent(taken[4000]!);
    for (const message of taken.slice(0, 2000)) queue.sent(message);
    assert.equal(queue.oldest, taken[2000]!.order);
    queue.putBack(taken.slice(1990));
    assert.deepEqual([queue.length, queue.takenBytes], [2999, 0]);
    takeAll(queue);
    assert.equal(memory.used, 0);
  });

  it('takes no more than its bytes, but one message always', () => {
    const queue = createOutgoingQueue(10, createQueueMemory(1_000_000));
    assert.equal(queue.push(of(50)), true);
    assert.equal(queue.push(of(1)), false);
    takeAll(queue);
    assert.equal(queue.push(of(6)), true);
    assert.equal(queue.push(of(4)), true);
    assert.equal(queue.push(of(1)), false);
    queue.clear();
    assert.equal(queue.bytes, 0);
    assert.equal(queue.push(of(11)), true);
  });

  it('holds what a socket has until it is sent, or the socket is gone', () => {
    const memory = createQueueMemory(1_000_000);
    const queue = createOutgoingQueue(1000, memory);
    for (let i = 0; i < 3; i++) queue.push(of(100));
    const first = queue.take()!;
    queue.take();
    assert.deepEqual([queue.bytes, queue.takenBytes, memory.used], [100, 200, 300]);
    queue.sent(first);
    queue.sent(first);
    assert.deepEqual([queue.takenBytes, memory.used], [100, 200]);
    queue.dispose();
    assert.deepEqual([queue.length, queue.takenBytes, memory.used], [0, 0, 0]);
    assert.equal(queue.push(of(1)), false);
  });
});

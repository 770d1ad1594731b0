import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOutgoingQueue } from '../../src/hub/outgoing-queue.ts';

describe('the outgoing queue', () => {
  it('gives messages back in their order, and counts their bytes', () => {
    const queue = createOutgoingQueue(1_000_000);
    const sent = Array.from({ length: 5000 }, (_, i) => Buffer.from(String(i)));
    for (const message of sent) assert.equal(queue.push(message), true);
    const taken: (Uint8Array | undefined)[] = [];
    for (let i = 0; i < 3000; i++) taken.push(queue.take());
    queue.putBack(taken.splice(2990) as Uint8Array[]);
    assert.equal(queue.length, 2010);
    while (queue.length > 0) taken.push(queue.take());
    assert.deepEqual(taken, sent);
    assert.equal(queue.bytes, 0);
    assert.equal(queue.take(), undefined);
  });

  it('takes no more than its bytes, but one message always', () => {
    const queue = createOutgoingQueue(10);
    assert.equal(queue.push(Buffer.alloc(50)), true);
    assert.equal(queue.push(Buffer.alloc(1)), false);
    queue.take();
    assert.equal(queue.push(Buffer.alloc(6)), true);
    assert.equal(queue.push(Buffer.alloc(4)), true);
    assert.equal(queue.push(Buffer.alloc(1)), false);
    queue.clear();
    assert.equal(queue.bytes, 0);
    assert.equal(queue.push(Buffer.alloc(11)), true);
  });
});

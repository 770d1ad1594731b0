import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OutgoingMessage, outgoingMessage, unmadeMessage } from '../../src/hub/outgoing-message.ts';
import { createOutgoingQueue } from '../../src/hub/outgoing-queue.ts';
import { createQueueMemory, type QueueMemory } from '../../src/hub/queue-memory.ts';

const of = (bytes: number): OutgoingMessage => outgoingMessage(Buffer.alloc(bytes));

/** A reader that reads nothing, as a connection is one. */
function reader(memory: QueueMemory) {
  const queue = createOutgoingQueue(1_000_000, memory);
  const happened: string[] = [];
  const leave = memory.join({
    get oldest() {
      return queue.oldest;
    },
    get inSocket() {
      return queue.takenBytes;
    },
    get isLeaving() {
      return happened.length > 0;
    },
    letGo() {
      happened.push('let go of');
      queue.clear();
    },
    cut() {
      happened.push('cut');
      queue.dispose();
      leave();
    },
  });
  return { queue, happened };
}

describe('the memory of all queues', () => {
  it('counts what several readers wait for once', () => {
    const memory = createQueueMemory(1000);
    const readers = Array.from({ length: 30 }, () => reader(memory));
    const shared = of(900);
    for (const { queue } of readers) queue.push(shared);
    assert.equal(memory.used, 900);
    assert.deepEqual(
      readers.flatMap(({ happened }) => happened),
      [],
    );
    for (const { queue } of readers) queue.sent(queue.take()!);
    assert.equal(memory.used, 0);
  });

  it('lets go of the reader with the oldest message, and of as many as it takes', () => {
    const memory = createQueueMemory(1000);
    const [first, second, third] = [reader(memory), reader(memory), reader(memory)];
    second.queue.push(of(400));
    first.queue.push(of(400));
    third.queue.push(of(300));
    assert.deepEqual([first.happened, second.happened, third.happened], [[], ['let go of'], []]);
    third.queue.push(of(700));
    assert.deepEqual([first.happened, third.happened], [['let go of'], []]);
    assert.equal(memory.used, 1000);
  });

  it('cuts who was let go of when their sockets hold too much of it', () => {
    const memory = createQueueMemory(1000);
    const [slow, other] = [reader(memory), reader(memory)];
    slow.queue.push(of(600));
    slow.queue.take();
    other.queue.push(of(500));
    assert.deepEqual([slow.happened, other.happened], [['let go of', 'cut'], []]);
    assert.equal(memory.used, 500);
  });

  it('counts what messages are made of, once, until they are made', () => {
    const memory = createQueueMemory(1000);
    const [one, two] = [reader(memory), reader(memory)];
    const source = { bytes: 700 };
    const forms = [unmadeMessage(source), unmadeMessage(source)] as const;
    one.queue.push(forms[0]);
    two.queue.push(forms[1]);
    assert.equal(memory.used, 700);
    assert.equal(one.queue.take(), undefined);
    for (const form of forms) {
      form.bytes = Buffer.alloc(100);
      form.source = undefined;
      memory.made(form, source);
      for (const tell of form.whenMade) tell();
    }
    assert.equal(memory.used, 200);
    assert.equal(one.queue.bytes, 100);
    assert.equal(one.queue.take(), forms[0]);
  });
});

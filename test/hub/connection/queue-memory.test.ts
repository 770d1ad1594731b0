import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type OutgoingMessage,
  outgoingMessage,
  unmadeMessage,
} from '../../../src/hub/connection/outgoing-message.ts';
import { createOutgoingQueue } from '../../../src/hub/connection/outgoing-queue.ts';
import { createQueueMemory, type QueueMemory } from '../../../src/hub/connection/queue-memory.ts';
import { takeFrame } from '../../../src/hub/transports/web-socket-frames.ts';

const of = (bytes: number): OutgoingMessage => outgoingMessage(Buffer.alloc(bytes));

/** A reader that reads nothing, as a connection is one. */
function reader(memory: QueueMemory) {
  const queue = createOutgoingQueue(1_000_000, memory);
  const happened: string[] = [];
  const leave = memory.join({
    oldest: () => queue.oldest,
    inSocket: () => queue.takenBytes,
    isLeaving: () => happened.length > 0,
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

  it('looks at all readers once, however many have to go', () => {
    const memory = createQueueMemory(1000);
    const readers = Array.from({ length: 300 }, () => reader(memory));
    let looks = 0;
    memory.join({
      oldest() {
        looks++;
        return undefined;
      },
      inSocket: () => 0,
      isLeaving: () => false,
      letGo: () => assert.fail('it holds nothing'),
      cut: () => assert.fail('it holds nothing'),
    });
    const shared = of(900);
    for (const [i, { queue }] of readers.entries()) {
      queue.push(shared);
      if (i % 2 === 0) queue.take();
    }
    const other = reader(memory);
    other.queue.push(of(500));
    for (const [i, { happened }] of readers.entries())
      assert.deepEqual(happened, i % 2 === 0 ? ['let go of', 'cut'] : ['let go of']);
    assert.deepEqual([other.happened, memory.used, looks], [[], 500, 1]);
  });

  it('keeps a frame for those side by side, and not for who waits longer', () => {
    const memory = createQueueMemory(1_000_000);
    const [slow, one, two] = [reader(memory), reader(memory), reader(memory)];
    const [first, second] = [outgoingMessage(Buffer.alloc(100)), outgoingMessage(Buffer.alloc(100))];
    for (const { queue } of [slow, one, two]) for (const message of [first, second]) queue.push(message);
    const frames = [one, two].map(({ queue }) => takeFrame(queue, { isBinary: true }, false)!);
    assert.equal(frames[0], frames[1]);
    assert.equal(first.joined?.frame, frames[0]);
    for (const [i, { queue }] of [one, two].entries()) queue.sent(frames[i]!);
    assert.equal(first.joined, undefined);
    assert.equal(memory.used, 200);
    const alone = takeFrame(slow.queue, { isBinary: true }, false)!;
    assert.equal(alone.first, undefined);
    slow.queue.sent(alone);
    assert.equal(memory.used, 0);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MadeMessage, outgoingMessage } from '../../../src/hub/connection/outgoing-message.ts';
import { createOutgoingQueue, type OutgoingQueue } from '../../../src/hub/connection/outgoing-queue.ts';
import { createQueueMemory } from '../../../src/hub/connection/queue-memory.ts';
import { headOf, takeFrame } from '../../../src/hub/transports/web-socket-frames.ts';

const text = { isBinary: false };
const binary = { isBinary: true };
const of = (bytes: number): MadeMessage => outgoingMessage(Buffer.alloc(bytes, 7));

function queueOf(
  memory: ReturnType<typeof createQueueMemory>,
  messages: readonly MadeMessage[],
): OutgoingQueue {
  const queue = createOutgoingQueue(1_000_000, memory);
  for (const message of messages) queue.push(message);
  return queue;
}

describe('frames of a WebSocket', () => {
  it('begin with the head that RFC 6455 has for their length', () => {
    const head = (length: number) => [...headOf(length, false)];
    assert.deepEqual(head(0), [0x81, 0]);
    assert.deepEqual(head(125), [0x81, 125]);
    assert.deepEqual(head(126), [0x81, 126, 0, 126]);
    assert.deepEqual(head(65_535), [0x81, 126, 0xff, 0xff]);
    assert.deepEqual(head(65_536), [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert.deepEqual(head(5 * 2 ** 32 + 3), [0x81, 127, 0, 0, 0, 5, 0, 0, 0, 3]);
    assert.deepEqual([...headOf(1, true)], [0x82, 1]);
  });

  it('are made once for all who get the same, and stand in memory once with their message', () => {
    const memory = createQueueMemory(1_000_000);
    const message = of(300);
    const queues = [queueOf(memory, [message]), queueOf(memory, [message])];
    const frames = queues.map((queue) => takeFrame(queue, binary, false)!.frame!);
    assert.equal(frames[0], frames[1]);
    assert.deepEqual(Buffer.from(frames[0]!), Buffer.concat([headOf(300, true), Buffer.alloc(300, 7)]));
    assert.equal(message.bytes.buffer, frames[0]!.buffer);
    assert.deepEqual(Buffer.from(message.bytes), Buffer.alloc(300, 7));
    assert.equal(memory.used, 300);
    for (const queue of queues) queue.sent(message);
    assert.equal(memory.used, 0);
  });

  it('have all short messages that wait, the same for readers side by side, and no long one', () => {
    const memory = createQueueMemory(1_000_000);
    const messages = [of(10), of(20), of(20_000)];
    const queues = [queueOf(memory, messages), queueOf(memory, messages)];
    const taken = queues.map((queue) => takeFrame(queue, text, false)!);
    assert.equal(taken[0], taken[1]);
    assert.deepEqual(Buffer.from(taken[0]!.frame!), Buffer.concat([headOf(30, false), Buffer.alloc(30, 7)]));
    for (const [i, queue] of queues.entries()) queue.sent(taken[i]!);
    const long = takeFrame(queues[0]!, text, false)!;
    assert.equal(long, messages[2]);
    assert.equal(long.frame, undefined);
    assert.equal(takeFrame(queues[0]!, text, false), undefined);
  });

  it('have one message where it is to be alone', () => {
    const messages = [of(10), of(20)];
    const queue = queueOf(createQueueMemory(1_000_000), messages);
    assert.equal(takeFrame(queue, text, true), messages[0]);
    assert.equal(queue.length, 1);
  });
});

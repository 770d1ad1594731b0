import type { ConnectionLife } from './connection-life.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubMeter } from './hub-meter.ts';
import type { KeepAlive } from './keep-alive.ts';
import { type OutgoingMessage, outgoingMessage, sizeOf } from './outgoing-message.ts';
import { createOutgoingQueue, type OutgoingQueue } from './outgoing-queue.ts';
import type { QueueMemory } from './queue-memory.ts';
import type { Transport } from './transport.ts';

/** The way of messages to the client: the queue, and the transport that takes from it. */
export interface ConnectionOutput {
  readonly queue: OutgoingQueue;
  /** Undefined until the first request fixes it. */
  readonly transport: Transport | undefined;
  attach(transport: Transport): void;
  /** Queues a message. A reader for which too much waits already is too slow: its connection ends. */
  send(message: Uint8Array): void;
  /** The same with one that others get too, and that may still be made. */
  share(message: OutgoingMessage): void;
  /** Queues the last message; where there is no room it takes the place of all that waits. */
  sendLast(message: Uint8Array): void;
  /** The reader was too slow. */
  readonly isSlow: boolean;
  /** No more messages come: the transport carries those that wait, and ends. */
  drain(): void;
  /** Ends the transport at once. */
  cut(): void;
}

export interface ConnectionOutputParts {
  readonly limits: HubLimits;
  readonly life: ConnectionLife;
  readonly keepAlive: KeepAlive;
  readonly meter: HubMeter;
  readonly memory: QueueMemory;
}

export function createConnectionOutput(parts: ConnectionOutputParts): ConnectionOutput {
  const { limits, life, keepAlive, meter, memory } = parts;
  const queue = createOutgoingQueue(limits.maxQueueBytes, memory, () => output.transport?.flush());

  const giveUp = (reason: string): void => {
    output.isSlow = true;
    meter.readerTooSlow();
    queue.clear();
    life.apply('faulted', reason);
  };

  const share = (message: OutgoingMessage): void => {
    if (life.state === 'draining' || life.state === 'closed') return;
    if (queue.push(message)) {
      keepAlive.sent();
      meter.sent(sizeOf(message));
      output.transport?.flush();
    } else {
      giveUp(`the reader is too slow: more than ${limits.maxQueueBytes} bytes wait for it`);
    }
  };

  const leave = memory.join({
    oldest: () => queue.oldest,
    inSocket: () => queue.takenBytes,
    isLeaving: () => life.state === 'draining' || life.state === 'closed',
    letGo() {
      meter.readerLetGo();
      giveUp(
        `the reader is too slow: all readers together wait for more than ${limits.maxTotalQueueBytes} bytes, and it is the furthest behind`,
      );
    },
    cut: () => life.apply('expired'),
  });

  const output = {
    queue,
    share,
    transport: undefined as Transport | undefined,
    isSlow: false,

    attach(attached: Transport) {
      output.transport = attached;
      meter.attached(attached.name);
      keepAlive.sent();
    },

    send: (message: Uint8Array) => share(outgoingMessage(message)),

    sendLast(bytes: Uint8Array) {
      meter.sent(bytes.length);
      const message = outgoingMessage(bytes);
      if (queue.push(message)) return;
      queue.clear();
      queue.push(message);
    },

    drain() {
      queue.end();
      output.transport?.flush();
    },

    cut() {
      queue.end();
      output.transport?.cut();
      queue.dispose();
      leave();
      if (output.transport !== undefined) meter.detached(output.transport.name);
    },
  };
  return output;
}

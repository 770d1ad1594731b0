import type { ConnectionLife } from './connection-life.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubMeter } from './hub-meter.ts';
import type { KeepAlive } from './keep-alive.ts';
import { createOutgoingQueue, type OutgoingQueue } from './outgoing-queue.ts';
import type { Transport } from './transport.ts';

/** The way of messages to the client: the queue, and the transport that takes from it. */
export interface ConnectionOutput {
  readonly queue: OutgoingQueue;
  /** Undefined until the first request fixes it. */
  readonly transport: Transport | undefined;
  attach(transport: Transport): void;
  /** Queues a message. A reader for which too much waits already is too slow: its connection ends. */
  send(message: Uint8Array): void;
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
}

export function createConnectionOutput(parts: ConnectionOutputParts): ConnectionOutput {
  const { limits, life, keepAlive, meter } = parts;
  const queue = createOutgoingQueue(limits.maxQueueBytes);
  let transport: Transport | undefined;
  let isSlow = false;
  return {
    queue,

    get transport() {
      return transport;
    },

    get isSlow() {
      return isSlow;
    },

    attach(attached) {
      transport = attached;
      meter.attached(attached.name);
      keepAlive.sent();
    },

    send(message) {
      if (life.state === 'draining' || life.state === 'closed') return;
      if (queue.push(message)) {
        keepAlive.sent();
        meter.sent(message.length);
        transport?.flush();
      } else {
        isSlow = true;
        meter.readerTooSlow();
        queue.clear();
        life.apply('faulted', `the reader is too slow: more than ${limits.maxQueueBytes} bytes wait for it`);
      }
    },

    sendLast(message) {
      meter.sent(message.length);
      if (queue.push(message)) return;
      queue.clear();
      queue.push(message);
    },

    drain() {
      queue.end();
      transport?.flush();
    },

    cut() {
      queue.end();
      transport?.cut();
      if (transport !== undefined) meter.detached(transport.name);
    },
  };
}

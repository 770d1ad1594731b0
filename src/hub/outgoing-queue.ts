import { type MadeMessage, type OutgoingMessage, sizeOf } from './outgoing-message.ts';
import type { QueueMemory } from './queue-memory.ts';

/**
 * Whole messages on their way to one client, bounded in bytes: those that wait, and those that its transport has taken and
 * the socket has not sent yet.
 */
export interface OutgoingQueue {
  /** False, and nothing queued, where the client is too far behind. One message always fits. */
  push(message: OutgoingMessage): boolean;
  /** The next message, if there is one that is made and has no more than so many bytes. It is held until `sent`. */
  take(mostBytes?: number): MadeMessage | undefined;
  /** The socket has sent a message, or several that were taken one after the other. */
  sent(message: OutgoingMessage): void;
  /** Puts messages that were taken and could not be sent before those that wait. */
  putBack(messages: readonly OutgoingMessage[]): void;
  /** Holds a message for the socket in place of those that were taken last. */
  replaceLast(taken: readonly MadeMessage[], message: MadeMessage): void;
  /** Forgets what waits. */
  clear(): void;
  /** Forgets what was taken too: the socket is gone. */
  dispose(): void;
  /** No more messages come; the transport ends when those here have gone. */
  end(): void;
  /** Messages that wait. */
  readonly length: number;
  /** Bytes that wait. */
  readonly bytes: number;
  /** Bytes that were taken and are not sent. */
  readonly takenBytes: number;
  /** The order of the oldest message that is held, taken or not. */
  readonly oldest: number | undefined;
  readonly hasEnded: boolean;
}

/** @param onMade the message at the front, which nobody could take, can be taken now */
export function createOutgoingQueue(
  maxBytes: number,
  memory: QueueMemory,
  onMade: () => void = () => {},
): OutgoingQueue {
  let messages: OutgoingMessage[] = [];
  let first = 0;
  let bytes = 0;
  let taken: OutgoingMessage[] = [];
  let takenBytes = 0;
  let hasEnded = false;
  let isDisposed = false;

  /** Waits for the bytes of a message, which may be more or fewer than what it is made of. */
  const awaitMaking = (message: OutgoingMessage): void => {
    const expected = sizeOf(message);
    const made = (): void => {
      bytes += sizeOf(message) - expected;
      if (messages[first] === message) onMade();
    };
    message.whenMade!.add(made);
    making.set(message, made);
  };
  const making = new Map<OutgoingMessage, () => void>();

  const forget = (message: OutgoingMessage): void => {
    const made = making.get(message);
    if (made !== undefined) {
      making.delete(message);
      message.whenMade!.delete(made);
    }
    memory.release(message);
  };

  return {
    get length() {
      return messages.length - first;
    },
    get bytes() {
      return bytes;
    },
    get takenBytes() {
      return takenBytes;
    },
    get oldest() {
      return (taken[0] ?? messages[first])?.order;
    },
    get hasEnded() {
      return hasEnded;
    },
    push(message) {
      const size = sizeOf(message);
      if (isDisposed || (bytes > 0 && bytes + size > maxBytes)) return false;
      messages.push(message);
      bytes += size;
      if (message.bytes === undefined) awaitMaking(message);
      memory.hold(message);
      return true;
    },
    take(mostBytes = Number.POSITIVE_INFINITY) {
      const message = messages[first];
      if (message?.bytes === undefined || message.bytes.length > mostBytes) return undefined;
      const { length } = message.bytes;
      bytes -= length;
      taken.push(message);
      takenBytes += length;
      if (making.size > 0) making.delete(message);
      if (++first === messages.length) {
        messages = [];
        first = 0;
      } else if (first === 1024) {
        messages = messages.slice(first);
        first = 0;
      }
      return message as MadeMessage;
    },
    sent(message) {
      const at = taken.indexOf(message);
      if (at < 0) return;
      if (at === 0) taken.shift();
      else taken.splice(at, 1);
      takenBytes -= message.bytes!.length;
      memory.release(message);
    },
    putBack(back) {
      const held = back.filter((message) => taken.includes(message));
      taken = taken.filter((message) => !held.includes(message));
      messages = [...held, ...messages.slice(first)];
      first = 0;
      for (const message of held) {
        bytes += message.bytes!.length;
        takenBytes -= message.bytes!.length;
      }
    },
    replaceLast(parts, message) {
      taken.length -= parts.length;
      taken.push(message);
      for (const part of parts) {
        takenBytes -= part.bytes.length;
        memory.release(part);
      }
      takenBytes += message.bytes.length;
      memory.hold(message);
    },
    clear() {
      const waiting = messages.slice(first);
      messages = [];
      first = 0;
      bytes = 0;
      for (const message of waiting) forget(message);
    },
    dispose() {
      this.clear();
      isDisposed = true;
      const left = taken;
      taken = [];
      takenBytes = 0;
      for (const message of left) memory.release(message);
    },
    end() {
      hasEnded = true;
    },
  };
}

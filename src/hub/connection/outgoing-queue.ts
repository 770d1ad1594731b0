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
  return new Queue(maxBytes, memory, onMade);
}

/**
 * A class, so that the engine knows all queues as one shape: getters of a literal make one of each object, and to look
 * into a thousand of those takes longer than to write to their sockets in JavaScript.
 */
class Queue implements OutgoingQueue {
  readonly #maxBytes: number;
  readonly #memory: QueueMemory;
  readonly #onMade: () => void;
  #messages: OutgoingMessage[] = [];
  #first = 0;
  #bytes = 0;
  #taken: OutgoingMessage[] = [];
  #firstTaken = 0;
  #takenBytes = 0;
  #hasEnded = false;
  #isDisposed = false;
  /** What is called when a message that waits has its bytes; undefined where none ever had to be waited for. */
  #making: Map<OutgoingMessage, () => void> | undefined;

  constructor(maxBytes: number, memory: QueueMemory, onMade: () => void) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
    this.#onMade = onMade;
  }

  get length(): number {
    return this.#messages.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  get oldest(): number | undefined {
    return (this.#taken[this.#firstTaken] ?? this.#messages[this.#first])?.order;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  push(message: OutgoingMessage): boolean {
    const size = sizeOf(message);
    if (this.#isDisposed || (this.#bytes > 0 && this.#bytes + size > this.#maxBytes)) return false;
    this.#messages.push(message);
    this.#bytes += size;
    if (message.bytes === undefined) this.#awaitMaking(message, size);
    this.#memory.hold(message);
    return true;
  }

  take(mostBytes = Number.POSITIVE_INFINITY): MadeMessage | undefined {
    const message = this.#messages[this.#first];
    if (message?.bytes === undefined || message.bytes.length > mostBytes) return undefined;
    const { length } = message.bytes;
    this.#bytes -= length;
    this.#taken.push(message);
    this.#takenBytes += length;
    this.#making?.delete(message);
    if (this.#messages.length === 1) this.#messages.pop();
    else if (++this.#first === this.#messages.length || this.#first === mostTaken) {
      this.#messages = this.#messages.slice(this.#first);
      this.#first = 0;
    }
    return message as MadeMessage;
  }

  sent(message: OutgoingMessage): void {
    const at = this.#taken.indexOf(message, this.#firstTaken);
    if (at < 0) return;
    if (this.#taken.length === 1) this.#taken.pop();
    else if (at > this.#firstTaken) this.#taken.splice(at, 1);
    else if (++this.#firstTaken === this.#taken.length || this.#firstTaken === mostTaken) this.#dropSent();
    this.#takenBytes -= message.bytes!.length;
    this.#memory.release(message);
  }

  putBack(back: readonly OutgoingMessage[]): void {
    const wanted = new Set(back);
    this.#dropSent();
    const held = this.#taken.filter((message) => wanted.has(message));
    this.#taken = this.#taken.filter((message) => !wanted.has(message));
    this.#messages = [...held, ...this.#messages.slice(this.#first)];
    this.#first = 0;
    for (const message of held) {
      this.#bytes += message.bytes!.length;
      this.#takenBytes -= message.bytes!.length;
    }
  }

  replaceLast(parts: readonly MadeMessage[], message: MadeMessage): void {
    this.#taken.length -= parts.length;
    this.#taken.push(message);
    for (const part of parts) {
      this.#takenBytes -= part.bytes.length;
      this.#memory.release(part);
    }
    this.#takenBytes += message.bytes.length;
    this.#memory.hold(message);
  }

  clear(): void {
    const waiting = this.#messages.slice(this.#first);
    this.#messages = [];
    this.#first = 0;
    this.#bytes = 0;
    for (const message of waiting) this.#forget(message);
  }

  dispose(): void {
    this.clear();
    this.#isDisposed = true;
    const left = this.#taken.slice(this.#firstTaken);
    this.#taken = [];
    this.#firstTaken = 0;
    this.#takenBytes = 0;
    for (const message of left) this.#memory.release(message);
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Waits for the bytes of a message, which may be more or fewer than what it is made of. */
  #awaitMaking(message: OutgoingMessage, expected: number): void {
    const made = (): void => {
      this.#bytes += sizeOf(message) - expected;
      if (this.#messages[this.#first] === message) this.#onMade();
    };
    message.whenMade!.add(made);
    this.#making ??= new Map();
    this.#making.set(message, made);
  }

  /** Not one by one, for there may be very many. */
  #dropSent(): void {
    this.#taken = this.#taken.slice(this.#firstTaken);
    this.#firstTaken = 0;
  }

  #forget(message: OutgoingMessage): void {
    const made = this.#making?.get(message);
    if (made !== undefined) {
      this.#making!.delete(message);
      message.whenMade!.delete(made);
    }
    this.#memory.release(message);
  }
}

/** The most taken messages that stand before those that wait. */
const mostTaken = 1024;

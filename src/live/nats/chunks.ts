import { byteReader, byteWriter } from './bytes.ts';

/**
 * Messages between nodes are no larger than NATS lets them be, so a package goes as one or more of them
 * (primitives: `bytes.ts`):
 *
 *   8 bytes of the sender's id, drawn anew at each of its starts
 *   varint number of the package, rising by 1 at each that this sender sends
 *   varint number of this chunk, from 0
 *   varint length of the whole package
 *   the chunk
 *
 * NATS keeps the order of one sender, so chunks of a package follow each other; only what fits several subscriptions of
 * a node comes more than once, at once.
 */
export interface ChunkHead {
  readonly sender: Uint8Array;
  readonly number: number;
}

/** The longest head: 8 bytes and three numbers of up to 8. */
const headBytes = 32;

export function* chunks(head: ChunkHead, whole: Uint8Array, maxPayloadBytes: number): Generator<Uint8Array> {
  const room = Math.max(1, maxPayloadBytes - headBytes);
  const count = Math.max(1, Math.ceil(whole.length / room));
  for (let index = 0; index < count; index++) {
    const to = byteWriter();
    to.raw(head.sender);
    to.varint(head.number);
    to.varint(index);
    to.varint(whole.length);
    to.raw(whole.subarray(index * room, (index + 1) * room));
    yield to.done();
  }
}

/** Puts packages together again; each comes out once. */
export interface Assembly {
  /**
   * The package that this message completes. Undefined where more are to come, or it has come before, or its
   * beginning never came because it was sent before this node subscribed.
   */
  receive(message: Uint8Array, subject: string): Uint8Array | undefined;
  /** Forgets a sender that is gone. */
  forget(sender: string): void;
}

interface Sender {
  number: number;
  /** Of the package that is being put together. */
  subject: string;
  /** The next chunk that fits. */
  next: number;
  /** Undefined where nothing is to come. */
  whole: Buffer | undefined;
  filled: number;
}

export interface AssemblyOptions {
  /** Unfinished packages of all senders together take no more memory than this. */
  readonly maxBytes: number;
  /** Something of a package did come and something did not: what was wanted is lost. */
  readonly onLost: (reason: string, subject: string) => void;
}

export function createAssembly({ maxBytes, onLost }: AssemblyOptions): Assembly {
  const senders = new Map<string, Sender>();
  let held = 0;

  const release = (sender: Sender): void => {
    held -= sender.whole?.length ?? 0;
    sender.whole = undefined;
  };

  return {
    receive(message, subject) {
      const from = byteReader(message);
      const id = senderId(new Uint8Array(from.raw(8)));
      const number = from.varint();
      const index = from.varint();
      const length = from.varint();
      const chunk = message.subarray(message.length - from.left());
      let sender = senders.get(id);
      if (sender === undefined) {
        sender = { number: -1, subject, next: 0, whole: undefined, filled: 0 };
        senders.set(id, sender);
      }
      if (sender.number !== number) {
        if (sender.whole !== undefined) {
          release(sender);
          onLost('a package of another node came without its end', sender.subject);
        }
        sender.number = number;
        sender.subject = subject;
        sender.next = 0;
        sender.filled = 0;
        if (index === 0 && chunk.length === length) {
          sender.next = 1;
          return chunk;
        }
        if (index === 0 && held + length <= maxBytes) {
          sender.whole = Buffer.allocUnsafe(length);
          held += length;
        } else if (index === 0) {
          onLost('unfinished packages of other nodes take more memory than they may', subject);
        }
      }
      const { whole } = sender;
      if (whole === undefined || index !== sender.next) return undefined;
      whole.set(chunk, sender.filled);
      sender.filled += chunk.length;
      sender.next++;
      if (sender.filled < whole.length) return undefined;
      release(sender);
      return whole;
    },

    forget(id) {
      const sender = senders.get(id);
      if (sender === undefined) return;
      release(sender);
      senders.delete(id);
    },
  };
}

/** A sender's id as text. */
export function senderId(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

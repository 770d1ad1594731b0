import type { ByteBudget, Owner } from '../../ingest/byte-budget.ts';
import { createMessageBuffer, type Framing, tooLarge } from '../protocol/message-buffer.ts';

/**
 * What a client has sent and nobody has taken yet: the begin of a message, or whole ones that wait for their turn. It
 * counts against the budget of all requests, so that many clients with half a message each cannot fill the memory.
 */
export interface Incoming {
  /** Bytes that are not taken yet. */
  size(): number;
  push(chunk: Buffer): void;
  /** The next whole message. Throws `body_too_large` as soon as one is known to have more than `limit` bytes. */
  next(framing: Framing, limit: number): Buffer | undefined;
  /** To be called where the bytes here are no whole message. Throws `body_too_large` if they are too many. */
  checkUnfinished(): void;
  /**
   * Brings the budget up to date with what is left, and with a message of so many bytes that was taken and is still being
   * read. Throws `overloaded` where it has no room for that.
   */
  count(beingRead: number): void;
  clear(): void;
}

export function createIncoming(budget: ByteBudget, owner: Owner, maxUnfinishedBytes: number): Incoming {
  const buffer = createMessageBuffer();
  const reservation = budget.open(owner);
  let counted = 0;
  const release = (): void => {
    counted = 0;
    reservation.release();
  };
  return {
    size: buffer.size,
    push: buffer.push,
    next: buffer.next,

    checkUnfinished() {
      if (buffer.size() > maxUnfinishedBytes) throw tooLarge('an unfinished message', maxUnfinishedBytes);
    },

    count(beingRead) {
      const size = buffer.size() + beingRead;
      if (size < counted) release();
      if (size === counted) return;
      reservation.take(size - counted);
      counted = size;
    },

    clear() {
      buffer.clear();
      release();
    },
  };
}

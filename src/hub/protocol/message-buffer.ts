import { PitwallError } from '../../errors.ts';

/** Where the first message in `bytes` is and how many bytes it takes with its frame; undefined if it is not whole. */
export type Framing = (bytes: Buffer, searched: number, limit: number) => Frame | undefined;

export interface Frame {
  readonly start: number;
  readonly end: number;
  /** The first byte after the frame. */
  readonly next: number;
}

/**
 * Bytes of a client, cut into messages however they came. Messages are views of memory that is not used again, so
 * they may wait as long as they like.
 */
export interface MessageBuffer {
  push(chunk: Buffer): void;
  /** The next whole message. Throws `body_too_large` as soon as one is known to have more than `limit` bytes. */
  next(framing: Framing, limit: number): Buffer | undefined;
  /** Bytes that are not taken yet. */
  size(): number;
  clear(): void;
}

export function createMessageBuffer(): MessageBuffer {
  /** What is not taken yet is `bytes[start, end)`; after `end` is room, if the memory is `ours`. */
  let bytes: Buffer = empty;
  let start = 0;
  let end = 0;
  let ours = false;
  let searched = 0;
  const clear = (): void => {
    bytes = empty;
    start = 0;
    end = 0;
    ours = false;
    searched = 0;
  };
  return {
    clear,

    size: () => end - start,

    push(chunk) {
      if (start === end) {
        bytes = chunk;
        start = 0;
        end = chunk.length;
        ours = false;
        searched = 0;
        return;
      }
      const size = end - start + chunk.length;
      if (!ours || end + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafe(size * 2);
        bytes.copy(larger, 0, start, end);
        end -= start;
        start = 0;
        bytes = larger;
        ours = true;
      }
      chunk.copy(bytes, end);
      end += chunk.length;
    },

    next(framing, limit) {
      const rest = bytes.subarray(start, end);
      const frame = framing(rest, searched, limit);
      if (frame === undefined) {
        searched = rest.length;
        return undefined;
      }
      start += frame.next;
      searched = 0;
      if (start === end) clear();
      // What was handed out must not be written over, so the rest moves away with the next push.
      ours = false;
      return rest.subarray(frame.start, frame.end);
    },
  };
}

const empty = Buffer.alloc(0);

export function tooLarge(what: string, limit: number): PitwallError {
  return new PitwallError('body_too_large', { detail: `${what} may have ${limit} bytes at most` });
}

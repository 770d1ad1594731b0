import type { Source } from '../live/live-event.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/**
 * What waits for all readers together, in queues and in sockets. What several readers wait for counts once, as it stands in
 * memory once. Where it is more than the limit, the slowest readers are let go of: those whose oldest message is
 * the oldest of all.
 */
export interface QueueMemory {
  /** Bytes. */
  readonly used: number;
  /** A queue takes a message. Who holds it may be let go of before this returns. */
  hold(message: OutgoingMessage): void;
  /** A queue has it no more. */
  release(message: OutgoingMessage): void;
  /** A message that is held now has bytes, where `source` was held for it before. */
  made(message: OutgoingMessage, source: Source): void;
  /** A reader that can be let go of, until the function that comes back is called. */
  join(reader: QueueReader): () => void;
}

export interface QueueReader {
  /** The order of the oldest message that it holds; undefined where it holds none. */
  readonly oldest: number | undefined;
  /** Bytes in its socket, that go only as it reads them or is cut. */
  readonly inSocket: number;
  /** It was let go of, and still has time to read why. */
  readonly isLeaving: boolean;
  /** Gives up what waits. */
  letGo(): void;
  /** Ends its transport, whatever it still holds. */
  cut(): void;
}

/** What those that were let go of may hold, as a share of the limit, until the slowest of them are cut. */
const leavingShare = 1 / 4;

export function createQueueMemory(limit: number): QueueMemory {
  const readers = new Set<QueueReader>();
  const sources = new Map<Source, number>();
  let used = 0;
  let isMakingRoom = false;

  const holdSource = (source: Source): void => {
    const holders = sources.get(source) ?? 0;
    if (holders === 0) used += source.bytes;
    sources.set(source, holders + 1);
  };

  const releaseSource = (source: Source): void => {
    const holders = sources.get(source)! - 1;
    if (holders > 0) {
      sources.set(source, holders);
      return;
    }
    sources.delete(source);
    used -= source.bytes;
  };

  /** The slowest, and whether it is to be cut. */
  const slowest = (): { readonly reader: QueueReader; readonly isLeaving: boolean } | undefined => {
    let staying: QueueReader | undefined;
    let leaving: QueueReader | undefined;
    let leavingBytes = 0;
    for (const reader of readers) {
      const { oldest } = reader;
      if (oldest === undefined) continue;
      if (reader.isLeaving) {
        leavingBytes += reader.inSocket;
        if (oldest < (leaving?.oldest ?? Number.POSITIVE_INFINITY)) leaving = reader;
      } else if (oldest < (staying?.oldest ?? Number.POSITIVE_INFINITY)) staying = reader;
    }
    if (leaving !== undefined && (staying === undefined || leavingBytes > limit * leavingShare))
      return { reader: leaving, isLeaving: true };
    return staying && { reader: staying, isLeaving: false };
  };

  const makeRoom = (): void => {
    if (used <= limit || isMakingRoom) return;
    isMakingRoom = true;
    while (used > limit) {
      const found = slowest();
      if (found === undefined) break;
      if (found.isLeaving) found.reader.cut();
      else found.reader.letGo();
    }
    isMakingRoom = false;
  };

  return {
    get used() {
      return used;
    },

    hold(message) {
      if (message.holders++ > 0) return;
      if (message.bytes === undefined) holdSource(message.source!);
      else used += message.bytes.length;
      makeRoom();
    },

    release(message) {
      if (--message.holders > 0) return;
      if (message.bytes === undefined) releaseSource(message.source!);
      else used -= message.bytes.length;
    },

    made(message, source) {
      if (message.holders === 0) return;
      releaseSource(source);
      used += message.bytes!.length;
      makeRoom();
    },

    join(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
}

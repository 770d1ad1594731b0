import type { Source } from '../../live/live-event.ts';
import { forgetFrame, type OutgoingMessage } from './outgoing-message.ts';

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
  oldest(): number | undefined;
  /** Bytes in its socket, that go only as it reads them or is cut. */
  inSocket(): number;
  /** It was let go of, and still has time to read why. */
  isLeaving(): boolean;
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

  const makeRoom = (): void => {
    if (used <= limit || isMakingRoom) return;
    isMakingRoom = true;
    const { staying, leaving } = slowestFirst(readers);
    let leavingBytes = leaving.reduce((sum, { reader }) => sum + reader.inSocket(), 0);
    let nextStaying = 0;
    let nextLeaving = 0;
    while (used > limit) {
      const toCut = leaving[nextLeaving]?.reader;
      const toLetGo = staying[nextStaying]?.reader;
      if (toCut !== undefined && (toLetGo === undefined || leavingBytes > limit * leavingShare)) {
        nextLeaving++;
        leavingBytes -= toCut.inSocket();
        toCut.cut();
      } else if (toLetGo !== undefined) {
        nextStaying++;
        toLetGo.letGo();
        leavingBytes += toLetGo.inSocket();
        insert(leaving, nextLeaving, toLetGo);
      } else {
        break;
      }
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
      forgetFrame(message);
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

/** A reader, and the order of its oldest message. */
interface Slow {
  readonly reader: QueueReader;
  readonly oldest: number;
}

/** All that hold something. Each is looked at once: they may be thousands. */
function slowestFirst(readers: Iterable<QueueReader>): { staying: Slow[]; leaving: Slow[] } {
  const staying: Slow[] = [];
  const leaving: Slow[] = [];
  for (const reader of readers) {
    const oldest = reader.oldest();
    if (oldest !== undefined) (reader.isLeaving() ? leaving : staying).push({ reader, oldest });
  }
  const byAge = (a: Slow, b: Slow): number => a.oldest - b.oldest;
  return { staying: staying.sort(byAge), leaving: leaving.sort(byAge) };
}

/** Puts a reader in its place from `from` on, where it still holds something. */
function insert(sorted: Slow[], from: number, reader: QueueReader): void {
  const oldest = reader.oldest();
  if (oldest === undefined) return;
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.oldest <= oldest) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, { reader, oldest });
}

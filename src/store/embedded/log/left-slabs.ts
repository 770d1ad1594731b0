import { PitwallError } from '../../../errors.ts';
import type { HeadSlab } from './head.ts';

/**
 * Slabs whose rows are in parts by now, and which stay in memory because a read began before that. A client that takes its
 * rows slowly may hold them for as long as it likes, until they are too much: then those reads end that have waited for
 * their clients for longest.
 */
export interface LeftSlabs {
  /** The rows of a slab are in parts. */
  sealed(head: HeadSlab): void;
  pin(heads: readonly HeadSlab[]): void;
  unpin(heads: readonly HeadSlab[]): void;
  /**
   * A read of these slabs that may come to wait.
   *
   * @param end has it let go of all that it has, now or as soon as it can; called once at most, while it waits
   */
  join(heads: readonly HeadSlab[], end: () => void): JoinedRead;
  /** Memory of all such slabs. */
  readonly bytes: number;
  readonly limit: number;
  /** Reads that had to end. */
  readonly ended: number;
}

export interface JoinedRead {
  /** It has given rows, and waits until its client wants more. */
  waits(): void;
  /** It goes on. Throws a PitwallError (503) where it had to end. */
  goesOn(): void;
  /** It is about to let go of the slabs. */
  leave(): void;
}

interface Waiting {
  readonly heads: readonly HeadSlab[];
  readonly end: () => void;
}

/** @param onEnd told of each read that has to end, and how much memory was held */
export function leftSlabs(limit: number, onEnd: (bytes: number) => void = () => undefined): LeftSlabs {
  const left = new Set<HeadSlab>();
  /** Those first that have waited for longest. */
  const waiting = new Set<Waiting>();
  /** By slab how many reads were told to end, and still have it. */
  const ending = new Map<HeadSlab, number>();
  let ended = 0;

  /** Memory that stays left when the reads that were told to end have done so. */
  function stayingBytes(): number {
    let sum = 0;
    for (const head of left) if ((ending.get(head) ?? 0) < head.pins) sum += head.slab.bytes.length;
    return sum;
  }

  function countEnding(heads: readonly HeadSlab[], by: 1 | -1): void {
    for (const head of heads) {
      const count = (ending.get(head) ?? 0) + by;
      if (count === 0) ending.delete(head);
      else ending.set(head, count);
    }
  }

  function bytes(): number {
    let sum = 0;
    for (const { slab } of left) sum += slab.bytes.length;
    return sum;
  }

  function makeRoom(): void {
    for (const read of waiting) {
      if (stayingBytes() <= limit) return;
      if (!read.heads.some((head) => left.has(head))) continue;
      waiting.delete(read);
      ended++;
      onEnd(bytes());
      read.end();
    }
  }

  return {
    sealed(head) {
      if (head.pins === 0) return;
      left.add(head);
      makeRoom();
    },
    pin(heads) {
      for (const head of heads) head.pins++;
    },
    unpin(heads) {
      for (const head of heads) if (--head.pins === 0) left.delete(head);
    },
    join(heads, end) {
      let isEnded = false;
      let hasLeft = false;
      const read: Waiting = {
        heads,
        end() {
          isEnded = true;
          countEnding(heads, 1);
          end();
        },
      };
      return {
        waits() {
          waiting.add(read);
          if (left.size > 0) makeRoom();
        },
        goesOn() {
          if (isEnded) throw tooSlow();
          waiting.delete(read);
        },
        leave() {
          waiting.delete(read);
          if (isEnded && !hasLeft) countEnding(heads, -1);
          hasLeft = true;
        },
      };
    },
    get bytes() {
      return bytes();
    },
    limit,
    get ended() {
      return ended;
    },
  };
}

function tooSlow(): PitwallError {
  return new PitwallError('overloaded', {
    detail: 'the answer was taken too slowly while memory was short: it ended before its last row',
  });
}

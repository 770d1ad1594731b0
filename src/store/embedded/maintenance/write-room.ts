import type { ErrorCode } from '../../../errors.ts';
import type { SlabMemory } from '../log/slab.ts';
import type { Flusher } from './flush.ts';

/** Room in memory for rows that are not in parts yet. */
export interface WriteRoom {
  /** Undefined where there is room, or none will come; otherwise resolves when there may be. */
  wait(): Promise<void> | undefined;
  /** Why there is no room, and none will come for now; undefined where there is, or it comes. */
  readonly failure: ErrorCode | undefined;
  /** Whether more than half of it is taken: then sealing does not keep up. */
  readonly isHalfTaken: boolean;
}

/** @param headBytes what rows that wait to become parts may take, but for one slab, which is being written */
export function writeRoom(
  flush: Pick<Flusher, 'waitingBytes' | 'failure' | 'progress'>,
  { slabBytes }: Pick<SlabMemory, 'slabBytes'>,
  headBytes: number,
): WriteRoom {
  const limit = Math.max(headBytes, 3 * slabBytes);
  const free = limit - 2 * slabBytes;
  const isFull = () => flush.waitingBytes > free;
  return {
    wait: () => (flush.failure === undefined && isFull() ? flush.progress() : undefined),
    get failure() {
      return flush.failure !== undefined && isFull() ? flush.failure : undefined;
    },
    get isHalfTaken() {
      return flush.waitingBytes > free / 2;
    },
  };
}

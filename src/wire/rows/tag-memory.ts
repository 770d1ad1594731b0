import { fault } from '../base/fault.ts';
import type { MemoryShare } from '../json/json-memory.ts';

/**
 * Counts the memory of the distinct tag sets of a body: a few bytes of each row can make a set of its own, of a hundred
 * times as many.
 */
export interface TagMemory {
  /** So many more sets, of so many tags each. Throws `body_too_large` (413), or what the share throws. */
  sets(count: number, tags: number): void;
  /** So many more pairs on the way to them. */
  pairs(count: number): void;
}

/** The most memory of the tag sets of a request: enough for 400,000 sets of one tag, and 100,000 of eight. */
const maxBytes = 128 * 1024 * 1024;

/** As the engine has them, about. */
const SetBytes = { Set: 200, Tag: 120, Pair: 100 } as const;

/** The memory that tag sets may take beyond what was taken of the reservation: few sets are not worth counting. */
const uncountedBytes = 16 * 1024;

export function createTagMemory(share?: MemoryShare): TagMemory {
  let made = 0;
  let taken = 0;
  const count = (bytes: number): void => {
    made += bytes;
    if (made > maxBytes) {
      const message = `make so many different sets of tags that they take more than ${maxBytes} bytes of memory; send fewer rows at a time`;
      throw fault('body_too_large', 'tagValues', message);
    }
    if (made - taken < uncountedBytes) return;
    share?.take(made - taken);
    taken = made;
  };
  return {
    sets: (sets, tags) => count(sets * (SetBytes.Set + tags * SetBytes.Tag)),
    pairs: (pairs) => count(pairs * SetBytes.Pair),
  };
}

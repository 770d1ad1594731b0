import { type OffsetRange, rangeInWindow, windowOf, windowSpan } from '../rows/windows.ts';
import { lowerBound } from './column-sets.ts';

/** A part as the manifest knows it. */
export interface PartRecord {
  readonly number: number;
  /** The first window (of 2^50 ns) that it has rows in. */
  readonly window: number;
  /** All windows that it has rows in, ascending, the first one too; absent where that is the only one. */
  readonly windows?: readonly number[];
  /** The records whose rows it holds, both inclusive. */
  readonly firstLsn: number;
  readonly lastLsn: number;
  readonly rows: number;
  readonly samples: number;
  readonly bytes: number;
  /** Smallest time, in ns from the start of its first window; largest time, from the start of its last one. */
  readonly minOffset: number;
  readonly maxOffset: number;
  /** How often its rows were merged: 0 as sealed, then one more than the parts it came from. */
  readonly level: number;
  /** Deletes of rows up to this record are applied in it; absent where that is `lastLsn`. */
  readonly cleanLsn?: number;
}

/** Every tombstone up to this LSN is applied in the part. */
export function cleanLsnOf(part: PartRecord): number {
  return Math.max(part.lastLsn, part.cleanLsn ?? 0);
}

/** The windows that a part has rows in, ascending. */
export function windowsOf({ window, windows }: Pick<PartRecord, 'window' | 'windows'>): readonly number[] {
  return windows ?? [window];
}

/** Whether two parts have rows in one window. */
export function haveWindowTogether(a: PartRecord, b: PartRecord): boolean {
  const windows = new Set(windowsOf(a));
  return windowsOf(b).some((window) => windows.has(window));
}

/** Whether a part has rows in several windows: what lay far from the rest of a slab. */
export function isSpread({ windows }: PartRecord): boolean {
  return windows !== undefined;
}

/** The offsets in a window that the part may have rows at, which it has some in; both inclusive. */
export function offsetsIn(part: PartRecord, window: number): OffsetRange {
  return {
    first: window === part.window ? part.minOffset : 0,
    last: window === (part.windows?.at(-1) ?? part.window) ? part.maxOffset : windowSpan - 1,
  };
}

/** Whether a part may have rows between two times (ns, both inclusive), as far as its record tells. */
export function mayHaveRows(part: PartRecord, from: bigint, to: bigint): boolean {
  const all = windowsOf(part);
  const windows = all.slice(lowerBound(all, windowOf(from)), lowerBound(all, windowOf(to) + 1));
  return windows.some((window) => {
    const inside = rangeInWindow(window, from, to)!;
    const { first, last } = offsetsIn(part, window);
    return inside.first <= last && inside.last >= first;
  });
}

/** Gives numbers to new parts: sealing and merging share them. */
export interface PartNumbers {
  /** The first of so many consecutive numbers that no part has had. */
  take(count: number): number;
}

export function partNumbers(next: number): PartNumbers {
  let free = next;
  return {
    take(count) {
      const first = free;
      free += count;
      return first;
    },
  };
}

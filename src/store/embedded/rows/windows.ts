const windowBits = 50n;

/** Times of a window lie in [window * windowSpan, (window + 1) * windowSpan) nanoseconds: 13 days. */
export const windowSpan = 2 ** 50;

/** The window that a time in ns falls into; negative before 1970. */
export function windowOf(time: bigint): number {
  return Number(time >> windowBits);
}

/** Where a window begins, in ns since the Unix epoch. */
export function windowStart(window: number): bigint {
  return BigInt(window) << windowBits;
}

/** Offsets in a window, both inclusive. */
export interface OffsetRange {
  readonly first: number;
  readonly last: number;
}

/** The offsets inside a window that a range of times (ns, both inclusive) covers; undefined where it covers none. */
export function rangeInWindow(window: number, from: bigint, to: bigint): OffsetRange | undefined {
  const start = windowStart(window);
  const end = start + BigInt(windowSpan) - 1n;
  if (to < start || from > end) return undefined;
  return {
    first: from <= start ? 0 : Number(from - start),
    last: to >= end ? windowSpan - 1 : Number(to - start),
  };
}

/** A time as an offset from the start of a window, kept within it: 0 for a time before, its span for one after. */
export function offsetInWindow(time: bigint | undefined, start: bigint): number {
  if (time === undefined || time <= start) return 0;
  return Math.min(windowSpan, Number(time - start));
}

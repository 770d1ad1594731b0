const windowBits = 50n;

/** The span of a window: its times lie in [window * windowSpan, (window + 1) * windowSpan) nanoseconds, 13 days. */
export const windowSpan = 2 ** 50;

/** The window that a time in ns falls into; negative before 1970. */
export function windowOf(time: bigint): number {
  return Number(time >> windowBits);
}

/** The bits of a window in the upper 32 of a time. */
const upperWindowBits = 18;

/**
 * The window of a time, of which a slab has the two halves, and of what comes `span` ns later; undefined where that is another
 * one. It makes no bigint.
 */
export function windowOfHalves(low: number, high: number, span: number): number | undefined {
  const offset = (high & (2 ** upperWindowBits - 1)) * 2 ** 32 + (low >>> 0);
  return offset + span < windowSpan ? (high | 0) >> upperWindowBits : undefined;
}

/** Where a window begins, in ns since the Unix epoch. */
export function windowStart(window: number): bigint {
  return BigInt(window) << windowBits;
}

/** Tells windows of offsets from a time, which may be up to 2^53. */
export interface WindowBounds {
  /** From the base to the start of window `first + place`, in ns; below 0 where it begins before the base. */
  startOf(place: number): number;
  /** The window of an offset, counted from `first`. */
  placeOf(offset: number): number;
}

/** The windows from `first`, which has the base (ns), to `last`, the last one of any offset. */
export function windowBounds(base: bigint, first: number, last: number): WindowBounds {
  const starts = Float64Array.from({ length: last - first + 2 }, (_, i) =>
    Number(windowStart(first + i) - base),
  );
  return {
    startOf: (place) => starts[place]!,
    placeOf(offset) {
      // The sum may be rounded; starts and offsets are exact.
      const place = Math.min(last - first, Math.floor((offset - starts[0]!) / windowSpan));
      if (offset < starts[place]!) return place - 1;
      return place < last - first && offset >= starts[place + 1]! ? place + 1 : place;
    },
  };
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

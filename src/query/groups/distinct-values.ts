import { PitwallError } from '../../errors.ts';

/** The most bytes of distinct values together: a tag with a new value on every row would take any memory. */
const maxBytes = 32 << 20;
/** What a value costs besides its text. */
const valueOverheadBytes = 64;

/** Collects the distinct values of a tag. */
export interface DistinctValues {
  has(value: string): boolean;
  /** Throws `query_too_large` (400) where the values take too much memory. */
  add(value: string): void;
  /** Returns the values in order of text. */
  list(): string[];
}

export function distinctValues(tag: string): DistinctValues {
  const values = new Set<string>();
  let bytes = 0;
  return {
    has: (value) => values.has(value),
    add(value) {
      if (values.has(value)) return;
      values.add(value);
      bytes += 2 * value.length + valueOverheadBytes;
      if (bytes <= maxBytes) return;
      throw new PitwallError('query_too_large', {
        detail: `the values that the tag '${tag}' has there take more than ${maxBytes} bytes of memory; ask for fewer streams or a shorter time`,
      });
    },
    list: () => [...values].sort(),
  };
}

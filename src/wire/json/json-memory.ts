import { PitwallError } from '../../errors.ts';
import { fault } from '../base/fault.ts';

/** Where memory of all requests is counted; `take` throws where there is no more of it. */
export interface MemoryShare {
  take(bytes: number): void;
}

/** How large a body that is read to plain data may be, and what its values may take. */
export interface JsonLimits {
  /** Of the body. */
  readonly maxBytes: number;
  /** Of the values that are made of it, as counted below: a few bytes of JSON can ask for a hundred times as many. */
  readonly maxValueBytes: number;
  /** What the body is, as messages name it. */
  readonly what: string;
}

/** A long list of ids has a few times its bytes as values; objects and numbers in great number have no meaning. */
const valueBytesOf = (maxBytes: number): number => 16 * maxBytes;

const maxQueryBytes = 4 * 1024 * 1024;
export const queryLimits: JsonLimits = {
  maxBytes: maxQueryBytes,
  maxValueBytes: valueBytesOf(maxQueryBytes),
  what: 'a query or filter',
};

const maxSettingsBytes = 256 * 1024;
export const settingsLimits: JsonLimits = {
  maxBytes: maxSettingsBytes,
  maxValueBytes: valueBytesOf(maxSettingsBytes),
  what: 'a body of settings or properties',
};

/** Throws `body_too_large` (413). */
export function checkBodySize(body: { readonly length: number }, { maxBytes, what }: JsonLimits): void {
  if (body.length <= maxBytes) return;
  throw new PitwallError('body_too_large', {
    detail: `${what} may have ${maxBytes} bytes at most, decompressed`,
  });
}

/**
 * The memory of values in this engine, in bytes, beside the bytes of their texts. An object is a map with room for its first
 * members.
 */
export const ValueBytes = { Object: 200, Array: 64, Element: 16, Member: 48, Text: 24, Number: 96 } as const;

/** Counts the memory of the values of a body while they are made. */
export interface JsonMemory {
  /** What may be made before `more` is called. */
  left: number;
  /** Throws `body_too_large` (413) at a place, or what the share throws. */
  more(placeOf: () => string): void;
  /** What was made is not needed any more: what comes next takes its memory. */
  again(): void;
}

/** The step in which memory is taken: most bodies take once. */
const stepBytes = 16 * 1024;

export function createJsonMemory(maxValueBytes: number, share: MemoryShare | undefined): JsonMemory {
  let taken = 0;
  return {
    left: 0,
    more(placeOf) {
      const step = Math.max(stepBytes, -this.left);
      taken += step;
      if (taken > maxValueBytes + stepBytes) {
        const message = `is where the values of the body take more than ${maxValueBytes} bytes of memory`;
        throw fault('body_too_large', placeOf(), message);
      }
      share?.take(step);
      this.left += step;
    },
    again() {
      this.left = taken;
    },
  };
}

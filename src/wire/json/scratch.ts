import { createTextCache, type TextCache } from './text-cache.ts';

/** Memory that columns are written to one after another; a finished column stays where it is. */
export interface Arena<Elements extends Float64Array | Uint32Array | Uint8Array> {
  array: Elements;
  /** The elements of finished columns; the column being written begins here. */
  used: number;
}

/** The memory that a decoder uses again for each payload. */
export interface Scratch {
  readonly doubles: Arena<Float64Array>;
  readonly integers: Arena<Uint32Array>;
  readonly bytes: Arena<Uint8Array>;
  readonly names: TextCache;
  readonly tagValues: TextCache;
}

/** The elements of a new array: enough for 1000 rows of a dozen parameters. */
const initialElements = 16 * 1024;
/**
 * The elements of the largest array that is kept: what one huge payload needed is given back; 2 MiB of doubles serve
 * every payload of common size.
 */
const keptElements = 256 * 1024;

export function createScratch(): Scratch {
  return {
    doubles: { array: new Float64Array(initialElements), used: 0 },
    integers: { array: new Uint32Array(initialElements), used: 0 },
    bytes: { array: new Uint8Array(initialElements), used: 0 },
    names: createTextCache(),
    tagValues: createTextCache(),
  };
}

/** Takes all memory back: what was handed out before is no longer valid. */
export function resetScratch({ doubles, integers, bytes }: Scratch): void {
  if (doubles.array.length > keptElements) doubles.array = new Float64Array(initialElements);
  if (integers.array.length > keptElements) integers.array = new Uint32Array(initialElements);
  if (bytes.array.length > keptElements * 8) bytes.array = new Uint8Array(initialElements);
  doubles.used = 0;
  integers.used = 0;
  bytes.used = 0;
}

/**
 * Makes room for `more` elements after the first `length` of the column being written. May move the column
 * to a new array of at least twice the size: read `array` and `used` anew.
 */
export function reserve<Elements extends Float64Array | Uint32Array | Uint8Array>(
  arena: Arena<Elements>,
  length: number,
  more: number,
): void {
  const { array, used } = arena;
  if (used + length + more <= array.length) return;
  const size = Math.max(array.length * 2, (length + more) * 2);
  const larger = new (array.constructor as new (size: number) => Elements)(size);
  larger.set(array.subarray(used, used + length) as never);
  arena.array = larger;
  arena.used = 0;
}

/** Ends the column being written, `length` elements long, and gives a view of it. */
export function finish<Elements extends Float64Array | Uint32Array | Uint8Array>(
  arena: Arena<Elements>,
  length: number,
): Elements {
  const { array, used } = arena;
  arena.used = used + length;
  return array.subarray(used, arena.used) as Elements;
}

import type { StreamKey } from '../../../domain/stream.ts';
import type { TagSet } from '../../../domain/tags.ts';
import type { Strings } from './byte-reader.ts';
import type { KeyedTexts } from './native-answer.ts';
import type { ScratchMemory } from './scratch-memory.ts';

/**
 * The values of a slice of time as ClickHouse gave them: in the order of the table's key, mostly, so that values of one
 * stream and one parameter stand together. Such pieces are all that is kept in mind of them.
 */
export interface Slice {
  readonly blocks: ValueBlock[];
  readonly pieces: Pieces;
  readonly streams: readonly StreamKey[];
  readonly tagSets: readonly TagSet[];
  readonly values: number;
  /** Where values came with versions: the deletes among them. */
  readonly deletes: readonly RangeDelete[];
  /** What the blocks are in, but for their texts. */
  readonly memory: ScratchMemory;
}

/**
 * Of a stream, parameter and tag set the times (ns) whose values are gone, if they are not newer: those of one window of the
 * table, as nothing else is tidied with the delete.
 */
export interface RangeDelete {
  readonly stream: number;
  readonly parameter: number;
  readonly level: number;
  readonly tags: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly version: bigint;
}

export interface ValueBlock {
  /** Two words a time (ns), the lower one first. */
  readonly times: Int32Array;
  /** Per value an index into `tagSets`, which has indexes into the slice's. */
  readonly tagIndex: KeyedTexts['index'];
  readonly tagSets: Int32Array;
  readonly numbers: Float64Array;
  /** Of strings, binaries and events. */
  readonly texts: Strings | undefined;
}

/**
 * Values [start, end) of a block that have one stream, one parameter and one window; column by column. With a version they
 * have one tag set, too, times that rise, and older or newer values in other pieces.
 */
export interface Pieces {
  readonly windows: number[];
  /** Indexes into the slice's streams. */
  readonly streams: number[];
  /** Indexes into the plan's parameters. */
  readonly parameters: number[];
  readonly blocks: number[];
  readonly starts: number[];
  readonly ends: number[];
  /** Empty where each value came once. */
  readonly versions: bigint[];
  /** With versions, of the windows in the table; `noLevel` for what is put together of several. */
  readonly levels: number[];
}

/** In the place of the level of a window. */
export const noLevel = 255;

/**
 * A window is 2^52 ns, so that doubles hold every time as an offset from the start of its window: how many of the upper
 * half of a time's bits are its offset's.
 */
export const windowBits = 52n;
const upperBits = 20;
const upperMask = 2 ** upperBits - 1;

/** ns from the start of the window of a block's value. */
export function offsetOf({ times }: ValueBlock, value: number): number {
  return (times[2 * value + 1]! & upperMask) * 2 ** 32 + (times[2 * value]! >>> 0);
}

/** Whether two pieces have one stream, one parameter and one window. */
export function isOneColumn({ windows, streams, parameters }: Pieces, a: number, b: number): boolean {
  return parameters[a] === parameters[b] && streams[a] === streams[b] && windows[a] === windows[b];
}

/** The number of the window that a time is in. */
export function windowOf(times: Int32Array, value: number): number {
  return times[2 * value + 1]! >> upperBits;
}

/** The first value from `start` on that is in another window, of times that rise. */
export function endOfWindow(times: Int32Array, start: number, end: number): number {
  const window = windowOf(times, start);
  if (windowOf(times, end - 1) === window) return end;
  let to = start + 1;
  while (windowOf(times, to) === window) to++;
  return to;
}

import type { TagSet } from './tags.ts';

/**
 * A parameter is its name and its kind: one name used for numbers and strings is two parameters. Events are stored
 * like parameters, the event's id as the name and its value as text; their kind keeps them apart from parameters
 * of the same name.
 */
export const Kind = { Numeric: 0, String: 1, Binary: 2, Event: 3 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface ParameterKey {
  readonly kind: Kind;
  readonly name: string;
}

/**
 * Rows of one stream over shared timestamps, column by column: what a payload carries from the wire to the
 * store. Row i is at `base + offsets[i]` nanoseconds. Rows may stand in any order and may repeat an
 * identity (timestamp, tag set); of equal identities the later row wins, parameter by parameter.
 *
 * A payload that spans 2^53 ns or more comes as several `Rows`.
 */
export interface Rows {
  readonly count: number;
  /** The smallest timestamp of these rows, so offsets are never negative. */
  readonly base: bigint;
  /** `count` whole nanoseconds in [0, 2^53). */
  readonly offsets: Float64Array;
  /** The distinct tag sets of these rows; at least one (`noTags` for rows without tags). */
  readonly tagSets: readonly TagSet[];
  /** Per row an index into `tagSets`; undefined means every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  readonly columns: readonly Column[];
}

export type Column = NumericColumn | BytesColumn;

export interface NumericColumn {
  readonly kind: typeof Kind.Numeric;
  readonly name: string;
  /** One double per row; meaningless where the row is not present. */
  readonly values: Float64Array;
  readonly present: Presence;
}

export interface BytesColumn {
  readonly kind: Exclude<Kind, typeof Kind.Numeric>;
  readonly name: string;
  /** The values one after another: UTF-8 for strings and events, raw bytes for binaries. */
  readonly bytes: Uint8Array;
  /** Per row the end of its value in `bytes`; it begins at the end of the row before (0 for row 0). */
  readonly ends: Uint32Array;
  readonly present: Presence;
}

/** A bitmap (row i is bit `i & 7` of byte `i >> 3`), or undefined when every row has a value. */
export type Presence = Uint8Array | undefined;

export function isPresent(present: Presence, row: number): boolean {
  return present === undefined || ((present[row >> 3]! >> (row & 7)) & 1) === 1;
}

/** The presence of a column of `count` rows without those in `nulls` (ascending, not all of them). */
export function presenceWithout(nulls: readonly number[], count: number): Presence {
  if (nulls.length === 0) return undefined;
  const present = allPresent(count);
  for (const row of nulls) present[row >> 3]! &= ~(1 << (row & 7));
  return present;
}

/** A bitmap of `count` rows that all have a value; the bits after the last row are zero. */
export function allPresent(count: number): Uint8Array {
  const present = new Uint8Array((count + 7) >> 3).fill(255);
  if ((count & 7) !== 0) present[count >> 3] = (1 << (count & 7)) - 1;
  return present;
}

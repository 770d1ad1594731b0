import type { Column, Kind } from './parameter-data.ts';

/** The columns of an answer: what every result writer needs before the first row. */
export interface ResultShape {
  /** In the order that was asked for; names like `Speed` or `mean(Speed)`. A count is numeric whatever it counts. */
  readonly columns: readonly { readonly kind: Kind; readonly name: string }[];
  /** Tags and the pseudo-tags `streamId` and `topic`, each once. */
  readonly groupBy: readonly string[];
}

/**
 * Rows of an answer in its order. Row i is at `base + offsets[i]` ns; offsets may be negative or descending, magnitude
 * below 2^53.
 */
export interface ResultBlock {
  readonly count: number;
  readonly base: bigint;
  readonly offsets: Float64Array;
  /** Aligned with `shape.columns`; undefined where no row of the block has a value. */
  readonly columns: readonly (Column | undefined)[];
  /** Aligned with `shape.groupBy`. */
  readonly tags: readonly TagColumn[];
}

/** The values of one tag: dictionary and, per row, an index into it (undefined: every row has `texts[0]`). */
export interface TagColumn {
  /** Undefined for rows without the tag. */
  readonly texts: readonly (string | undefined)[];
  readonly index: Uint32Array | undefined;
}

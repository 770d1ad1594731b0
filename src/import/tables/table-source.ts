/** A number with the digits that the file has. */
export interface NumberCell {
  readonly text: string;
  readonly value: number;
}

/**
 * A value as a file has it: text, a double, a whole number, a number with its digits, or bytes. In columns of times a bigint is
 * nanoseconds: since 1970, of a span, or since midnight.
 */
export type Cell = null | string | number | bigint | NumberCell | Uint8Array;

/** What the bigints of a column are: whole numbers, or nanoseconds of a time. Moments of nanoseconds are exact as they stand. */
export type CellKind = 'plain' | 'moment' | 'ns-moment' | 'span' | 'clock' | 'utc-clock';

export interface SourceColumn {
  /** Of a field inside of others with dots: `pos.x`, `wheel[0]`. */
  readonly name: string;
  readonly kind: CellKind;
  /** The type in the words of the file, such as INT64; empty where it has none. */
  readonly type: string;
  /** Names of the columns that it is part of. */
  readonly within?: readonly string[];
  /** Why it cannot be read, as `is nested`: fields of varying number, for example. */
  readonly refusal?: string;
  /** Whether it has moments of clocks whose zone the file does not say. */
  readonly isLocal?: boolean;
  /** So many digits a floating-point number has, where it is no double. */
  readonly isFloat32?: boolean;
}

/** What the times of a file are: of a type that says so, numbers (or text of numbers), or other text. */
export interface TimeFacts {
  /** ns, of the cells whose type is a time; undefined where there are none. */
  readonly typed: { readonly least: bigint; readonly most: bigint } | undefined;
  /** Typed times before 1971, when nothing was logged. */
  readonly early: number;
  /** The cells with the least and the greatest number; undefined where there are none. */
  readonly numbers: { readonly least: Cell; readonly most: Cell } | undefined;
  /** Whether all numbers are whole. */
  readonly areWhole: boolean;
  readonly texts: number;
  /** The first text that says nothing of a zone. */
  readonly local: { readonly row: number; readonly text: string } | undefined;
}

/** A file of rows, each read again from its start. */
export interface TableSource {
  readonly columns: readonly SourceColumn[];
  /** What the times are, where they had to be looked at to find the columns. */
  readonly times?: TimeFacts;
  /** What was found that was perhaps not meant. */
  readonly notes?: readonly string[];
  /**
   * Rows in their order; whoever takes one may change it. Throws a TableFault or a FileFault.
   * @param taken whether a column is wanted; cells of others may be anything
   */
  rows(taken: readonly boolean[]): AsyncGenerator<Cell[], void, void>;
}

/** A signal of a message: where its bits are, and what they mean. */
export interface DbcSignal {
  /** The long name, where the file has one. */
  readonly name: string;
  readonly startBit: number;
  readonly length: number;
  /** Whether its first byte is the least significant one (Intel), or the other way round (Motorola). */
  readonly isIntel: boolean;
  readonly isSigned: boolean;
  /** Whether its bits are a floating-point number of 32 or 64 bits. */
  readonly isFloat: boolean;
  readonly factor: number;
  readonly offset: number;
  readonly unit: string;
  /** Names of raw numbers. */
  readonly names: ReadonlyMap<number, string>;
  /** It is in a frame only where the signal `by` has a raw value within one of these ranges. */
  readonly multiplexed:
    | { readonly by: DbcSignal; readonly ranges: readonly (readonly [number, number])[] }
    | undefined;
}

export interface DbcMessage {
  /** The long name, where the file has one. */
  readonly name: string;
  readonly id: number;
  /** Whether the id has 29 bits. */
  readonly isExtended: boolean;
  /** Bytes of data. */
  readonly length: number;
  readonly signals: readonly DbcSignal[];
}

/** What one or several DBC files say of the frames of a bus. */
export interface Dbc {
  /** By `keyOf` their ids. */
  readonly messages: ReadonlyMap<number, DbcMessage>;
  /** What was taken for granted, for people. */
  readonly notes: readonly string[];
}

/** Ids of 11 and of 29 bits are apart from each other. */
export function keyOf(id: number, isExtended: boolean): number {
  return isExtended ? id + 2 ** 31 : id;
}

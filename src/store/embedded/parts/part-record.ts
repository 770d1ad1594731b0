/** A part as the manifest knows it. */
export interface PartRecord {
  readonly number: number;
  /** Its times lie in [window, window + 1) × 2^50 ns. */
  readonly window: number;
  /** The records whose rows it holds, both inclusive. */
  readonly firstLsn: number;
  readonly lastLsn: number;
  readonly rows: number;
  readonly samples: number;
  readonly bytes: number;
  /** Smallest and largest time, in ns from the window's start. */
  readonly minOffset: number;
  readonly maxOffset: number;
  /** How often its rows were merged: 0 as sealed, then one more than the parts it came from. */
  readonly level: number;
  /** Deletes of rows up to this record are applied in it; absent where that is `lastLsn`. */
  readonly cleanLsn?: number;
}

/** Every tombstone up to this LSN is applied in the part. */
export function cleanLsnOf(part: PartRecord): number {
  return Math.max(part.lastLsn, part.cleanLsn ?? 0);
}

/** Gives numbers to new parts: sealing and merging share them. */
export interface PartNumbers {
  /** The first of so many consecutive numbers that no part has had. */
  take(count: number): number;
}

export function partNumbers(next: number): PartNumbers {
  let free = next;
  return {
    take(count) {
      const first = free;
      free += count;
      return first;
    },
  };
}

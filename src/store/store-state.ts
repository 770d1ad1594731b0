/** An archive that the store's own restore reads. */
export interface Backup {
  /** The length of all chunks together. */
  readonly bytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The machine's clock, which may be wrong, and how far the retention of rows believes it. */
export interface StoreClock {
  read(): ClockReading;
  /**
   * Believes the machine's clock from now on; resolves when that is on disk. Rejects with `disk_full` or
   * `storage_failed` (503), and nothing is confirmed.
   */
  confirm(): Promise<ClockReading>;
}

/** Times are milliseconds since the Unix epoch. */
export interface ClockReading {
  /** What the machine's clock says. */
  readonly time: number;
  /** Rows expire by this time: the same, or an earlier one while the clock is held back. */
  readonly believed: number;
  /** How much earlier that is; 0 where the clock is believed. */
  readonly heldBackMs: number;
  /** Where it is held back: how much longer the clock has to stand, while the service runs, until it is believed. */
  readonly believedInMs?: number;
}

export interface StoreHealth {
  readonly writable: boolean;
  /** Plain sentences about what is wrong, empty when all is well. */
  readonly problems: readonly string[];
  /** Bytes of memory that hold rows which are not in parts yet. */
  readonly headBytes: number;
  /** How many part files there are. */
  readonly parts: number;
}

/** The threads on which a store reads. */
export interface ReadThreadsState {
  readonly threads: number;
  /** Reads that they have under way, and reads that wait for a place on one. */
  readonly reading: number;
  readonly waiting: number;
  /** Threads that ended, and took their queries with them. */
  readonly died: number;
  /** How often one of them took portions of a read of another. */
  readonly helped: number;
  /** What they keep of part files, in bytes. */
  readonly cacheBytes: number;
  readonly indexBytes: number;
}

/** Memory of a kind, in bytes, and how much it may be. */
export interface MemoryUse {
  readonly bytes: number;
  readonly limit: number;
}

/** What a store on this machine's disk keeps in memory for reads. */
export interface StoreMemory {
  /** Blocks of part files. */
  readonly cache: MemoryUse;
  /** Indexes of part files; those that reads work with may be more than the limit. */
  readonly indexes: MemoryUse;
  /** Rows that are in part files by now, for reads that began before. */
  readonly snapshots: MemoryUse;
  /** Reads that ended because of these rows. */
  readonly endedReads: number;
}

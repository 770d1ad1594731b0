import type { MemoryShare } from '../wire/json/json-memory.ts';

/** A request that writes. */
export interface WriteCall {
  readonly workspace: string;
  /** What is made of the body counts against it. */
  readonly share?: MemoryShare | undefined;
  /**
   * Ends the decoding of a long body when the client leaves, and then rejects the write with its reason. Where there is none,
   * a long body is decoded at once like a short one; where there is one, in slices: later calls may arrive before it.
   */
  readonly signal?: (() => AbortSignal) | undefined;
}

/** What came of a write of rows. */
export interface Written {
  /** How many rows were expired already, and not kept. */
  readonly expired: number;
  /**
   * Times that were probably meant in another unit than nanoseconds, and rows that are further ahead of the clock than
   * `aheadMs`, each told once a stream; numbers that were rounded; streams of which nothing was stored, for no row has a
   * value.
   */
  readonly warning: string | undefined;
}

export interface TopicCall extends WriteCall {
  readonly topic: string;
}

export interface StreamCall extends TopicCall {
  readonly streamId: string;
}

import type { Warn } from '../domain/warning.ts';
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
  /**
   * Told, before the write resolves, of times that were probably meant in another unit than nanoseconds, and of rows that are
   * further ahead of the clock than `aheadMs`, each once a stream; and of streams of which nothing was stored, for no row
   * has a value.
   */
  readonly warn?: Warn | undefined;
}

export interface TopicCall extends WriteCall {
  readonly topic: string;
}

export interface StreamCall extends TopicCall {
  readonly streamId: string;
}

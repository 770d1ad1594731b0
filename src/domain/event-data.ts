import type { TagSet } from './tags.ts';

/**
 * Something that happened in a stream. Its identity is (id, timestamp, tag set): writing it again replaces the
 * value.
 */
export interface EventRow {
  readonly id: string;
  /** Nanoseconds since the Unix epoch. */
  readonly timestamp: bigint;
  /** Free text, often JSON; empty where the client gave none. */
  readonly value: string;
  readonly tags: TagSet;
}

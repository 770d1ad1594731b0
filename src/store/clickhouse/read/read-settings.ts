import { defaultQueryMs } from '../../../query/bounds/pace.ts';
import type { Settings } from '../server/client.ts';

/** What a read may take. */
export interface ReadLimits {
  /** Until its first rows, and from some to the next: of ClickHouse's time and of this program's. */
  readonly timeMs: number;
  /** Of ClickHouse's memory, on each server, by one statement. */
  readonly memoryBytes: number;
  /** Of times, numbers, texts and tags that one statement reads, unpacked. A number takes 16 with its time. */
  readonly bytes: number;
  /** So many values of windows are all told apart: that takes less than to find out which of them need it. */
  readonly fewValues: number;
}

/** Enough for what a person waits for; what takes more is better asked in pieces. */
export const defaultReadLimits: ReadLimits = {
  timeMs: defaultQueryMs,
  memoryBytes: 2 * 1024 ** 3,
  bytes: 320_000_000_000,
  fewValues: 100_000,
};

/** Of every statement that reads values. */
export function readSettings({ timeMs, memoryBytes, bytes }: ReadLimits): Settings {
  return {
    max_execution_time: timeMs / 1000,
    timeout_overflow_mode: 'throw',
    max_memory_usage: String(memoryBytes),
    max_bytes_to_read: String(bytes),
    read_overflow_mode: 'throw',
    // Values that have to be told apart may be more than memory holds.
    max_bytes_before_external_group_by: String(Math.floor(memoryBytes / 2)),
    // Tags that stand for numbers are read as JavaScript reads them.
    precise_float_parsing: 1,
  };
}

/** Of statements that read `windows` several times: all of it sees the same rows. Older servers do not know the setting. */
export const oneSnapshot: Settings = { enable_shared_storage_snapshot_in_query: 1 };

import { CannotOpen } from '../cannot-open.ts';
import type { StoreLog } from '../store-log.ts';
import type { InsertMeter } from './insert/insert-attempts.ts';
import { addressOf } from './server/client.ts';
import type { Durability } from './server/migrate.ts';
import { checkCluster } from './server/schema.ts';
import { addressesOf } from './server/servers.ts';

export interface ClickHouseStoreOptions {
  /** `clickhouse://user:password@host:8123/database`, several hosts with commas; the database is made where it is not there. */
  readonly url: string;
  /** A cluster of ClickHouse's configuration, on which tables are replicated and spread. */
  readonly cluster?: string | undefined;
  /** An open stream counts as interrupted after this silence. */
  readonly interruptedAfterMs: number;
  /** A query ends with `query_too_slow` when it has worked for so long without rows to give; 120,000 by default. */
  readonly maxQueryMs?: number;
  /** See `ReadLimits`. */
  readonly fewValues?: number;
  /** Bytes of memory for rows that ClickHouse has not acknowledged; writers wait beyond it. */
  readonly maxPendingBytes: number;
  /** An insert gathers no more than so many rows of several requests. */
  readonly insertMaxRows: number;
  /** Time between two inserts that are not full; 0 = as soon as the one before is acknowledged. */
  readonly insertMaxAgeMs: number;
  readonly durability: Durability;
  /** An attempt of an insert without an answer is given up after this time, and made again; 30 s by default. */
  readonly insertAttemptMs?: number;
  /** A write is refused when ClickHouse has not acknowledged it for so long; 60 s by default. */
  readonly insertPatienceMs?: number;
  /** See `ClientOptions`. */
  readonly beatMs?: number;
  /** Told of every insert. */
  readonly meter?: InsertMeter;
  readonly log: StoreLog;
  /** Milliseconds since the Unix epoch, instead of ClickHouse's clock and this machine's; other nodes may have others. */
  readonly clock?: () => number;
}

/**
 * On one server inserts that follow each other at once hold each other up only. On a cluster each makes parts on every
 * shard, and nodes add to each other's: ClickHouse's own asynchronous inserts wait for 200 ms at most, too.
 */
export function defaultInsertAgeMs(cluster: string | undefined): number {
  return cluster === undefined ? 0 : 200;
}

/** Throws CannotOpen for settings that can never work. */
export function check({ url, cluster }: ClickHouseStoreOptions): void {
  try {
    if (cluster !== undefined) checkCluster(cluster);
    addressesOf(url).forEach(addressOf);
  } catch (error) {
    throw new CannotOpen((error as Error).message);
  }
}

import { PitwallError } from '../../errors.ts';
import { CannotOpen } from '../cannot-open.ts';
import type { Store, StoreHealth } from '../store.ts';
import type { StoreLog } from '../store-log.ts';
import { appender } from './append.ts';
import { createCatalog } from './catalog/catalog.ts';
import { askingWith, catalogSettings } from './catalog/catalog-settings.ts';
import { createRegistry } from './catalog/registry.ts';
import { feedRegistry } from './catalog/registry-feed.ts';
import { addressOf, type ClickHouse, connectClickHouse } from './client.ts';
import { codeOf, isRefusal, loggedCause, messageOf } from './client-errors.ts';
import { makeDefaultWorkspace } from './default-workspace.ts';
import { streamChanger } from './deletes/change-streams.ts';
import { rowDeleter } from './deletes/delete-rows.ts';
import { createRemovals } from './deletes/removals.ts';
import { createRetentions } from './deletes/retention.ts';
import { secondLooks } from './deletes/second-looks.ts';
import type { InsertMeter } from './insert-attempts.ts';
import { readSettings } from './insert-settings.ts';
import { type Durability, migrate, setDurability } from './migrate.ts';
import { maxPartitions } from './partitions.ts';
import { usualReadLimits } from './read/read-settings.ts';
import { clickHouseReads } from './read/reads.ts';
import { checkCluster, onCluster, type Topology } from './schema.ts';
import { watchServer } from './server-watch.ts';
import { name } from './sql.ts';
import { tableWriter } from './table-writer.ts';
import { versionClock } from './version-clock.ts';
import { workspaceLimits } from './workspace-limits.ts';

export interface ClickHouseStoreOptions {
  /** `clickhouse://user:password@host:8123/database`; the database is made where it is not there. */
  readonly url: string;
  /** A cluster of ClickHouse's configuration, on which tables are replicated and spread. */
  readonly cluster?: string | undefined;
  /** An open stream counts as interrupted after this silence. */
  readonly interruptedAfterMs: number;
  /** A query ends with `query_too_slow` when it has worked for so long without rows to give; 120,000 by default. */
  readonly maxQueryMs?: number;
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
  /** Told of every insert. */
  readonly meter?: InsertMeter;
  readonly log: StoreLog;
  /** Milliseconds since the Unix epoch, instead of ClickHouse's own clock. */
  readonly clock?: () => number;
}

export { CannotOpen };

/**
 * On one server inserts that follow each other at once hold each other up only. On a cluster each makes parts on every
 * shard, and nodes add to each other's: ClickHouse's own asynchronous inserts wait for 200 ms at most, too.
 */
export function usualInsertAgeMs(cluster: string | undefined): number {
  return cluster === undefined ? 0 : 200;
}

/** A group of rows has so many bytes at most; one request may be larger. */
const maxGroupBytes = 64 << 20;
/** Full groups that are inserted at the same time. */
const maxInserts = 4;
/** After a failed insert the store counts as failing for so long, unless another one goes well. */
const failureLastsMs = 5000;

/**
 * Opens the store in a database of ClickHouse, which any number of nodes may share, and brings its schema up to date.
 * Throws CannotOpen, with one line, where the database is not for this program; rejects with the client's errors
 * where ClickHouse cannot be reached: to be tried again.
 */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<Store> {
  const { log } = options;
  const topology: Topology = { cluster: options.cluster };
  const { database } = checked(options);
  const clickhouse = connectClickHouse({ url: options.url, settings: readSettings(topology) });
  try {
    await openDatabase(clickhouse, options.url, database, topology);
    await migrate(clickhouse, topology, log);
    await setDurability(clickhouse, topology, options.durability, log);
    return await openMigrated(options, clickhouse, topology);
  } catch (error) {
    await clickhouse.close();
    if (isRefusal(error))
      throw new CannotOpen(`ClickHouse refuses its user: ${messageOf(error).split('\n')[0]}`);
    throw error;
  }
}

async function openMigrated(
  options: ClickHouseStoreOptions,
  clickhouse: ClickHouse,
  topology: Topology,
): Promise<Store> {
  const { log } = options;
  const versions = versionClock(options.clock);
  const clock = versions.nowMs;
  const watch = await watchServer(clickhouse, versions, log);
  const asking = askingWith(clickhouse, catalogSettings(topology));
  const registry = createRegistry();
  const feed = feedRegistry(asking, registry);
  try {
    await feed.refresh();
    await makeDefaultWorkspace(clickhouse, topology, registry, feed, clock());
  } catch (error) {
    await watch.close();
    await feed.close();
    throw error;
  }
  feed.poll((error) => {
    log.warn({ cause: loggedCause(error) }, 'cannot see what other nodes change');
  });

  const writer = tableWriter({
    clickhouse,
    topology,
    limits: {
      maxRows: options.insertMaxRows,
      maxBytes: maxGroupBytes,
      maxAgeMs: options.insertMaxAgeMs,
      maxInserts,
      maxPartitions,
    },
    times: {
      attemptMs: options.insertAttemptMs ?? 30_000,
      patienceMs: options.insertPatienceMs ?? 60_000,
    },
    maxPendingBytes: options.maxPendingBytes,
    ...(options.meter && { meter: options.meter }),
    log,
  });
  const again = secondLooks((error) => {
    log.warn({ cause: loggedCause(error) }, 'could not look again for what other nodes wrote');
  });
  const removals = createRemovals({ clickhouse: asking, topology, writer, registry, clock: versions, again });
  const retentions = createRetentions({ clickhouse: asking, topology, registry, clock, again });
  const append = appender({
    writer,
    clock: versions,
    registry,
    refresh: feed.refresh,
    limits: workspaceLimits({ clickhouse, registry }),
    removeWorkspace: removals.removeWorkspace,
    retentionChanged: retentions.changed,
  });
  const keptTimes = (workspace: string) => registry.keptTimes(workspace, clock());
  const questionOn = (workspace: string, now: number) => ({
    workspace,
    // Who asks goes by this machine's clock, and versions by ClickHouse's.
    now: options.clock === undefined ? now + clock() - Date.now() : now,
    interruptedAfterMs: options.interruptedAfterMs,
    kept: keptTimes(workspace),
  });
  const catalog = createCatalog({
    clickhouse: asking,
    registry,
    feed,
    questionOn,
    clock,
  });
  const changeStreams = streamChanger({
    clickhouse: asking,
    writer,
    removals,
    clock: versions,
    questionOn,
  });
  const deleteRows = rowDeleter({ clickhouse: asking, topology, clock: versions, keptTimes });
  const finished = finish().catch((error: unknown) => {
    log.warn({ cause: loggedCause(error) }, 'could not look for removals to finish; the next start will');
  });
  let isClosing = false;

  /** What nodes that stopped had begun. */
  async function finish(): Promise<void> {
    await removals.finish();
    await retentions.finish();
  }

  function checkOpen(): void {
    if (isClosing) throw new PitwallError('shutting_down');
  }

  return {
    async append(batch) {
      checkOpen();
      await append(batch);
    },
    async changeStreams(change) {
      checkOpen();
      // What was appended before the call is older than the change.
      await writer.settled();
      return await changeStreams(change);
    },
    async deleteRows(selection, parameters) {
      checkOpen();
      await writer.settled();
      return await deleteRows(selection, parameters);
    },
    room: writer.room,
    ...clickHouseReads({
      clickhouse,
      registry,
      refresh: feed.refresh,
      clock,
      limits: { ...usualReadLimits, timeMs: options.maxQueryMs ?? usualReadLimits.timeMs },
    }),
    catalog,

    health(): StoreHealth {
      const problems: string[] = [];
      const lost = watch.failure();
      if (lost !== undefined) problems.push(`ClickHouse does not answer: ${lost}`);
      const failed = writer.failure(failureLastsMs);
      if (failed !== undefined) problems.push(`the last insert failed: ${failed.message}`);
      return { writable: problems.length === 0, problems, headBytes: writer.pendingBytes, parts: 0 };
    },

    backup: () =>
      Promise.reject(
        new PitwallError('not_supported', {
          detail: 'rows are in ClickHouse: back them up with its BACKUP statement, see docs/operate.md',
        }),
      ),

    clock: undefined,

    async close() {
      isClosing = true;
      await writer.settled();
      await feed.close();
      await finished;
      await again.close();
      await watch.close();
      await clickhouse.close();
    },
  };
}

/** Throws CannotOpen for settings that can never work. */
function checked({ url, cluster }: ClickHouseStoreOptions): { readonly database: string } {
  try {
    if (cluster !== undefined) checkCluster(cluster);
    return addressOf(url);
  } catch (error) {
    throw new CannotOpen((error as Error).message);
  }
}

const unknownDatabase = 81;

/** Makes the database if it is not there. */
async function openDatabase(
  clickhouse: ClickHouse,
  url: string,
  database: string,
  topology: Topology,
): Promise<void> {
  try {
    await clickhouse.command({ text: 'SELECT 1', params: {} });
  } catch (error) {
    if (codeOf(error) !== unknownDatabase) throw error;
    const server = connectClickHouse({ url, database: 'default' });
    try {
      const text = `CREATE DATABASE IF NOT EXISTS ${name(database).texts[0]}${onCluster(topology)}`;
      await server.command({ text, params: {} });
    } finally {
      await server.close();
    }
  }
}

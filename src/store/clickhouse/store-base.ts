import type { StoreLog } from '../store-log.ts';
import { type Asking, askingWith, catalogSettings } from './catalog/catalog-settings.ts';
import { makeDefaultWorkspace } from './catalog/default-workspace.ts';
import { createRegistry, type Registry } from './catalog/registry.ts';
import { feedRegistry, type RegistryFeed } from './catalog/registry-feed.ts';
import { type ExpiryClock, expiryClock } from './deletes/expiry-clock.ts';
import { maxPartitions } from './insert/partitions.ts';
import { type TableWriter, tableWriter } from './insert/table-writer.ts';
import type { ClickHouse } from './server/client.ts';
import { loggedCause } from './server/client-errors.ts';
import type { Topology } from './server/schema.ts';
import { serverClock } from './server/server-clock.ts';
import { type ServerWatch, watchServer } from './server/server-watch.ts';
import { type VersionClock, versionClock } from './server/version-clock.ts';
import type { ClickHouseStoreOptions } from './store-options.ts';

/** The most bytes of an insert of several requests; one request may be larger. */
const maxInsertBytes = 64 << 20;
/** How many full inserts may be under way at the same time. */
const maxInserts = 4;
const usualPatienceMs = 60_000;

/** What reads, writes and upkeep of an open store share. */
export interface StoreBase {
  readonly options: ClickHouseStoreOptions;
  readonly log: StoreLog;
  readonly topology: Topology;
  readonly clickhouse: ClickHouse;
  /** The connection for statements on the catalogue. */
  readonly asking: Asking;
  /** The same for what may be left to the next start: it ends when the store closes. */
  readonly finishing: Asking;
  /** Aborts when the store has written all and closes. */
  readonly closing: AbortController;
  /** Returns what logs an error of something that goes on beside requests, unless the store closes. */
  readonly logged: (what: string) => (error: unknown) => void;
  /** Milliseconds since the Unix epoch, for all nodes the same. */
  readonly clock: () => number;
  readonly versions: VersionClock;
  readonly expiry: ExpiryClock;
  /** Whether the server answers. */
  readonly watch: ServerWatch;
  readonly registry: Registry;
  /** What other nodes wrote. */
  readonly feed: RegistryFeed;
  readonly writer: TableWriter;
  /** How long (ms) a write may wait for ClickHouse. */
  readonly patienceMs: number;
}

/**
 * Opens it on a database whose schema is up to date, with a registry that holds all that there is, and a default workspace.
 *
 * @param onReleased ClickHouse may expire rows again, after it was kept from it
 */
export async function openBase(
  options: ClickHouseStoreOptions,
  clickhouse: ClickHouse,
  topology: Topology,
  onReleased: () => void,
): Promise<StoreBase> {
  const { log, insertPatienceMs: patienceMs = usualPatienceMs } = options;
  const closing = new AbortController();
  const server = serverClock();
  const clock = options.clock ?? server.nowMs;
  const versions = versionClock({ nowMs: clock, isShared: options.clock === undefined });
  const expiry = expiryClock({
    clickhouse,
    topology,
    usualMs: clock,
    machineMs: options.clock ?? Date.now,
    serverMs: server.nowMs,
    monotonicMs: () => performance.now(),
    log,
    released: onReleased,
  });
  const watch = await watchServer(clickhouse, server, versions, log, expiry.check);
  const asking = askingWith(clickhouse, { settings: catalogSettings(topology) });
  const registry = createRegistry();
  const feed = feedRegistry(asking, registry, versions);
  const writer = openWriter(options, clickhouse, topology, patienceMs);
  try {
    await feed.refresh();
    await makeDefaultWorkspace(writer.insertRows, registry, feed, clock());
  } catch (error) {
    await watch.close();
    await feed.close();
    throw error;
  }
  feed.poll(log);
  return {
    options,
    log,
    topology,
    clickhouse,
    asking,
    finishing: askingWith(asking, { signal: closing.signal }),
    closing,
    logged: (what) => (error) => {
      if (!closing.signal.aborted) log.warn({ cause: loggedCause(error) }, what);
    },
    clock,
    versions,
    expiry,
    watch,
    registry,
    feed,
    writer,
    patienceMs,
  };
}

function openWriter(
  options: ClickHouseStoreOptions,
  clickhouse: ClickHouse,
  topology: Topology,
  patienceMs: number,
): TableWriter {
  return tableWriter({
    clickhouse,
    topology,
    limits: {
      maxRows: options.insertMaxRows,
      maxBytes: maxInsertBytes,
      maxAgeMs: options.insertMaxAgeMs,
      maxInserts,
      maxPartitions,
    },
    times: { attemptMs: options.insertAttemptMs ?? 30_000, patienceMs },
    maxPendingBytes: options.maxPendingBytes,
    ...(options.meter && { meter: options.meter }),
    log: options.log,
  });
}

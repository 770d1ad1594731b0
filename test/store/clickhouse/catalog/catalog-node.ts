import { createCatalog } from '../../../../src/store/clickhouse/catalog/catalog.ts';
import { askingWith, catalogSettings } from '../../../../src/store/clickhouse/catalog/catalog-settings.ts';
import { createRegistry, type Registry } from '../../../../src/store/clickhouse/catalog/registry.ts';
import { feedRegistry } from '../../../../src/store/clickhouse/catalog/registry-feed.ts';
import { streamChanger } from '../../../../src/store/clickhouse/deletes/change-streams.ts';
import { rowDeleter } from '../../../../src/store/clickhouse/deletes/delete-rows.ts';
import { takeForgotten } from '../../../../src/store/clickhouse/deletes/forgotten-documents.ts';
import { createRemovals } from '../../../../src/store/clickhouse/deletes/removals.ts';
import { createRetentions } from '../../../../src/store/clickhouse/deletes/retention.ts';
import { appender } from '../../../../src/store/clickhouse/insert/append.ts';
import { tableWriter } from '../../../../src/store/clickhouse/insert/table-writer.ts';
import { workspaceLimits } from '../../../../src/store/clickhouse/insert/workspace-limits.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { migrate } from '../../../../src/store/clickhouse/server/migrate.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import type { Catalog, Store } from '../../../../src/store/store.ts';

/** What a node of the service has of the catalogue, without the reads of rows. */
export interface CatalogNode extends Pick<Store, 'append' | 'changeStreams' | 'deleteRows'> {
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly clickhouse: ClickHouse;
  /** What a start does for nodes that stopped. */
  finish(): Promise<void>;
  /** What this node planned to look at rechecks, as if the time had come. */
  recheck(): Promise<void>;
  close(): Promise<void>;
}

const log = { info() {}, warn: console.error, error: console.error };
const topology = {};

/** @param clock milliseconds since the Unix epoch */
export async function openCatalogNode(
  url: string,
  interruptedAfterMs: number,
  clock: () => number,
): Promise<CatalogNode> {
  const connection = connectClickHouse({ url });
  const clickhouse = askingWith(connection, { settings: catalogSettings(topology) });
  await migrate(connection, topology, log);
  const versions = versionClock({ nowMs: clock, isShared: false });
  const registry = createRegistry();
  const feed = feedRegistry(clickhouse, registry, versions);
  await feed.refresh();
  const writer = tableWriter({
    clickhouse: connection,
    topology,
    limits: { maxRows: 1_000_000, maxBytes: 64 << 20, maxAgeMs: 0, maxInserts: 1, maxPartitions: 1000 },
    times: { attemptMs: 10_000, patienceMs: 10_000 },
    maxPendingBytes: 64 << 20,
    log,
  });
  const questionOn = (workspace: string, now: number) => ({
    workspace,
    now,
    interruptedAfterMs,
    arrivalsTold: true,
    kept: registry.retainedTimes(workspace, clock()),
  });
  const planned = new Map<string, () => Promise<void>>();
  const rechecks = { plan: (what: string, check: () => Promise<void>) => void planned.set(what, check) };
  const removals = createRemovals({
    clickhouse,
    topology,
    writer,
    registry,
    clock: versions,
    refresh: feed.refresh,
    rechecks,
  });
  const retentions = createRetentions({
    clickhouse,
    topology,
    registry,
    clock: { nowMs: clock, isHeld: () => false },
    versions,
    rechecks,
  });
  const append = appender({
    writer,
    clock: versions,
    registry,
    refresh: feed.refresh,
    look: feed.look,
    limits: workspaceLimits({ clickhouse: connection, registry, patienceMs: 60_000 }),
    removeWorkspace: removals.removeWorkspace,
    retentions,
  });
  return {
    clickhouse: connection,
    registry,
    catalog: createCatalog({
      clickhouse,
      registry,
      feed,
      questionOn,
      retainedFrom: (workspace, topic) => registry.retainedFrom(workspace, topic, clock()),
      clock,
    }),
    append,
    changeStreams: streamChanger({
      clickhouse,
      writer,
      removals,
      clock: versions,
      look: feed.look,
      questionOn,
    }),
    deleteRows: rowDeleter({
      clickhouse,
      topology,
      clock: versions,
      look: feed.look,
      retainedTimes: (workspace) => registry.retainedTimes(workspace, clock()),
    }),
    async finish() {
      await removals.finish();
      await retentions.finish();
      await takeForgotten({ clickhouse, topology, clock: versions });
    },
    async recheck() {
      const due = [...planned.values()];
      planned.clear();
      for (const check of due) await check();
    },
    async close() {
      await feed.close();
      await connection.close();
    },
  };
}

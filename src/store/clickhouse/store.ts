import { PitwallError } from '../../errors.ts';
import { CannotOpen } from '../cannot-open.ts';
import type { Store, StoreHealth } from '../store.ts';
import { createCatalog } from './catalog/catalog.ts';
import { askingWith, catalogSettings } from './catalog/catalog-settings.ts';
import { makeDefaultWorkspace } from './catalog/default-workspace.ts';
import { createRegistry } from './catalog/registry.ts';
import { feedRegistry } from './catalog/registry-feed.ts';
import { streamChanger } from './deletes/change-streams.ts';
import { rowDeleter } from './deletes/delete-rows.ts';
import { expiryClock } from './deletes/expiry-clock.ts';
import { takeForgotten } from './deletes/forgotten-kept.ts';
import { createRechecks } from './deletes/rechecks.ts';
import { createRemovals } from './deletes/removals.ts';
import { createRetentions } from './deletes/retention.ts';
import { appender } from './insert/append.ts';
import { maxPartitions } from './insert/partitions.ts';
import { tableWriter } from './insert/table-writer.ts';
import { workspaceLimits } from './insert/workspace-limits.ts';
import { defaultReadLimits } from './read/read-settings.ts';
import { clickHouseReads } from './read/reads.ts';
import type { ClickHouse } from './server/client.ts';
import { isRefusal, loggedCause, messageOf, perhapsDone } from './server/client-errors.ts';
import { readSettings } from './server/insert-settings.ts';
import { keepDoing } from './server/keep-doing.ts';
import { migrate, setDurability, setNumberCodec } from './server/migrate.ts';
import { checkVersion, openDatabase } from './server/open-database.ts';
import type { Topology } from './server/schema.ts';
import { serverClock } from './server/server-clock.ts';
import { watchServer } from './server/server-watch.ts';
import { connectServers } from './server/servers.ts';
import { withShards } from './server/shards.ts';
import { versionClock } from './server/version-clock.ts';
import { type ClickHouseStoreOptions, check } from './store-options.ts';
import { keepWindows } from './windows/window-keeping.ts';

export { type ClickHouseStoreOptions, defaultInsertAgeMs } from './store-options.ts';

/** An insert has at most so many bytes of several requests; one request may be larger. */
const maxInsertBytes = 64 << 20;
/** How many full inserts may be under way at the same time. */
const maxInserts = 4;
/** Nodes that were started together do not do it together. */
const anHourOrTwo = () => 3_600_000 * (1 + Math.random());
/** After a failed insert the store counts as failing for so long, unless another one goes well. */
const failureLastsMs = 5000;

/**
 * Opens the store in a database of ClickHouse, which any number of nodes may share, and brings its schema up to date.
 * Throws CannotOpen, with one line, where the database is not for this program; rejects with the client's errors
 * where ClickHouse cannot be reached: to be tried again.
 */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<Store> {
  const { log } = options;
  let topology: Topology = { cluster: options.cluster };
  check(options);
  const { url, beatMs } = options;
  const clickhouse = connectServers({ url, beatMs, settings: readSettings(topology) }, log);
  try {
    await clickhouse.choose();
    await openDatabase(clickhouse, topology);
    await checkVersion(clickhouse);
    await migrate(clickhouse, topology, log);
    topology = await withShards(clickhouse, topology, log);
    await setDurability(clickhouse, topology, options.durability, log);
    await setNumberCodec(clickhouse, topology, log);
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
  let isClosing = false;
  const closing = new AbortController();
  const told = (what: string) => (error: unknown) => {
    if (!closing.signal.aborted) log.warn({ cause: loggedCause(error) }, what);
  };
  const server = serverClock();
  const clock = options.clock ?? server.nowMs;
  const versions = versionClock({ nowMs: clock, isShared: options.clock === undefined });
  let caughtUp: Promise<void> = Promise.resolve();
  const expiry = expiryClock({
    clickhouse,
    topology,
    usualMs: clock,
    machineMs: options.clock ?? Date.now,
    serverMs: server.nowMs,
    monotonicMs: () => performance.now(),
    log,
    released: () => {
      caughtUp = retentions.all().catch(told('could not take the rows that expired meanwhile'));
    },
  });
  const watch = await watchServer(clickhouse, server, versions, log, expiry.check);
  const asking = askingWith(clickhouse, { settings: catalogSettings(topology) });
  /** What may be left to the next start. */
  const finishing = askingWith(asking, { signal: closing.signal });
  const registry = createRegistry();
  const feed = feedRegistry(asking, registry, versions);
  const { insertPatienceMs: patienceMs = 60_000 } = options;
  const writer = tableWriter({
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
    log,
  });
  try {
    await feed.refresh();
    await makeDefaultWorkspace(writer.insertRows, registry, feed, clock());
  } catch (error) {
    await watch.close();
    await feed.close();
    throw error;
  }
  feed.poll(log);
  const rechecks = createRechecks(told('could not recheck what other nodes wrote'));
  const removals = createRemovals({
    clickhouse: finishing,
    topology,
    writer,
    registry,
    clock: versions,
    refresh: feed.refresh,
    rechecks,
  });
  const retentions = createRetentions({
    clickhouse: finishing,
    topology,
    registry,
    clock: expiry,
    versions,
    rechecks,
  });
  const forget = () => takeForgotten({ clickhouse: finishing, topology, clock: versions });
  const forgetting = keepDoing(forget, {
    what: 'take the rows of what was forgotten',
    firstMs: anHourOrTwo(),
    betweenMs: anHourOrTwo(),
    log,
  });
  const append = appender({
    writer,
    clock: versions,
    registry,
    refresh: feed.refresh,
    look: feed.look,
    limits: workspaceLimits({ clickhouse, registry, patienceMs }),
    removeWorkspace: removals.removeWorkspace,
    retentions,
  });
  const keptTimes = (workspace: string) => registry.keptTimes(workspace, expiry.nowMs());
  const questionOn = (workspace: string, now: number) => ({
    workspace,
    // Who asks goes by this machine's clock, and versions by ClickHouse's.
    now: options.clock === undefined ? now + clock() - Date.now() : now,
    interruptedAfterMs: options.interruptedAfterMs,
    // A node that leads has just told of some itself.
    arrivalsTold: versions.mustLook || feed.arrivalsTold,
    kept: keptTimes(workspace),
  });
  const catalog = createCatalog({
    clickhouse: asking,
    registry,
    feed,
    questionOn,
    keptFrom: (workspace, topic) => registry.keptFrom(workspace, topic, expiry.nowMs()),
    clock,
  });
  const changeStreams = streamChanger({
    clickhouse: asking,
    writer,
    removals,
    clock: versions,
    look: feed.look,
    questionOn,
  });
  const deleteRows = rowDeleter({
    clickhouse: asking,
    topology,
    clock: versions,
    look: feed.look,
    keptTimes,
  });
  // Before anything is written: the rest may take its time.
  await removals.forgetAlerts().catch(told('could not forget what alert rules know of removed streams'));
  const finished = finish().catch(told('could not look for removals to finish; the next start will'));
  const housekeeping = keepWindows({
    clickhouse: finishing,
    topology,
    clock: versions,
    isHeld: expiry.isHeld,
    log,
  });
  /** What nodes that stopped had begun. */
  async function finish(): Promise<void> {
    await removals.finish();
    await retentions.finish();
    await forget();
  }

  function checkOpen(): void {
    if (isClosing) throw new PitwallError('shutting_down');
  }

  return {
    async append(batch) {
      checkOpen();
      const { onPlaced, ...given } = batch;
      const more = onPlaced?.() ?? [];
      const appended = append(more.length === 0 ? batch : { ...given, changes: [...batch.changes, ...more] });
      batch.onCopied?.();
      await perhapsDone(appended);
    },
    async changeStreams(change) {
      checkOpen();
      // What was appended before the call is older than the change.
      await writer.settled();
      return await perhapsDone(changeStreams(change));
    },
    async deleteRows(selection, parameters) {
      checkOpen();
      await writer.settled();
      return await perhapsDone(deleteRows(selection, parameters));
    },
    room: writer.room,
    ...clickHouseReads({
      clickhouse,
      registry,
      refresh: feed.refresh,
      clock: expiry.nowMs,
      limits: {
        ...defaultReadLimits,
        timeMs: options.maxQueryMs ?? defaultReadLimits.timeMs,
        fewValues: options.fewValues ?? defaultReadLimits.fewValues,
      },
    }),
    catalog,

    health(): StoreHealth {
      const problems: string[] = [];
      const lost = watch.failure();
      if (lost !== undefined) problems.push(`ClickHouse does not answer: ${lost}`);
      const failed = writer.failure(failureLastsMs);
      if (failed !== undefined) problems.push(`the last insert failed: ${failed.message}`);
      const writable = problems.length === 0;
      problems.push(...[expiry.problem()].filter((problem) => problem !== undefined));
      return { writable, problems, headBytes: writer.pendingBytes, parts: 0 };
    },

    backup: () =>
      Promise.reject(
        new PitwallError('not_supported', {
          detail: 'rows are in ClickHouse: back them up with its BACKUP statement, see docs/clickhouse.md',
        }),
      ),

    clock: undefined,

    async close() {
      isClosing = true;
      await writer.settled();
      closing.abort(new PitwallError('shutting_down'));
      const jobs = [housekeeping, feed, rechecks, forgetting, watch];
      await Promise.all([...jobs.map((job) => job.close()), finished, caughtUp]);
      await clickhouse.close();
    },
  };
}

import { PitwallError } from '../../errors.ts';
import { CannotOpen } from '../cannot-open.ts';
import type { Appender, Catalog, Keeper, Store, StoreHealth } from '../store.ts';
import { createCatalog } from './catalog/catalog.ts';
import type { StreamQuestion } from './catalog/select-streams.ts';
import { streamChanger } from './deletes/change-streams.ts';
import { rowDeleter } from './deletes/delete-rows.ts';
import { appender } from './insert/append.ts';
import { workspaceLimits } from './insert/workspace-limits.ts';
import { defaultReadLimits } from './read/read-settings.ts';
import { clickHouseReads } from './read/reads.ts';
import type { ClickHouse } from './server/client.ts';
import { isRefusal, messageOf, perhapsDone } from './server/client-errors.ts';
import { readSettings } from './server/insert-settings.ts';
import { migrate, setDurability, setNumberCodec } from './server/migrate.ts';
import { checkVersion, openDatabase } from './server/open-database.ts';
import type { Topology } from './server/schema.ts';
import { connectServers } from './server/servers.ts';
import { withShards } from './server/shards.ts';
import { openBase, type StoreBase } from './store-base.ts';
import { type ClickHouseStoreOptions, check } from './store-options.ts';
import { Upkeep } from './upkeep.ts';

export { type ClickHouseStoreOptions, defaultInsertAgeMs } from './store-options.ts';

/** How long the store counts as failing after a failed insert, unless another one goes well. */
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
  const base = await openBase(options, clickhouse, topology, () => upkeep.catchUp());
  const upkeep = new Upkeep(base);
  const question = questionsOn(base);
  const catalog = catalogOf(base, question);
  const { stop, ...writes } = writesOf(base, upkeep, question);
  // Before anything is written.
  await upkeep.begin();
  const { watch, writer, feed } = base;

  return {
    ...writes,
    room: writer.room,
    ...readsOf(base),
    catalog,

    health: () => healthOf(base),

    backup: () =>
      Promise.reject(
        new PitwallError('not_supported', {
          detail: 'rows are in ClickHouse: back them up with its BACKUP statement, see docs/clickhouse.md',
        }),
      ),
    clock: undefined,
    async close() {
      stop();
      await writer.settled();
      base.closing.abort(new PitwallError('shutting_down'));
      await Promise.all([upkeep.close(), feed.close(), watch.close()]);
      await clickhouse.close();
    },
  };
}

type QuestionOn = (workspace: string, now: number) => StreamQuestion;

/** Returns what listings of streams are asked with. */
function questionsOn({ options, clock, versions, feed, registry, expiry }: StoreBase): QuestionOn {
  return (workspace, now) => ({
    workspace,
    // Who asks goes by this machine's clock, and versions by ClickHouse's.
    now: options.clock === undefined ? now + clock() - Date.now() : now,
    interruptedAfterMs: options.interruptedAfterMs,
    // A node that leads has just told of some itself.
    arrivalsTold: versions.mustLook || feed.arrivalsTold,
    kept: registry.retainedTimes(workspace, expiry.nowMs()),
  });
}

function catalogOf({ asking, registry, feed, expiry, clock }: StoreBase, questionOn: QuestionOn): Catalog {
  return createCatalog({
    clickhouse: asking,
    registry,
    feed,
    questionOn,
    retainedFrom: (workspace, topic) => registry.retainedFrom(workspace, topic, expiry.nowMs()),
    clock,
  });
}

interface Writes extends Pick<Appender, 'append'>, Pick<Keeper, 'changeStreams' | 'deleteRows'> {
  /** Lets every later one fail with `shutting_down`. */
  stop(): void;
}

function writesOf(base: StoreBase, upkeep: Upkeep, questionOn: QuestionOn): Writes {
  const { clickhouse, asking, topology, writer, registry, feed, versions, expiry, patienceMs } = base;
  const { removals, retentions } = upkeep;
  const append = appender({
    writer,
    clock: versions,
    registry,
    refresh: feed.refresh,
    look: feed.look,
    limits: workspaceLimits({ clickhouse, registry, patienceMs }),
    removeWorkspace: (name) => removals.removeWorkspace(name),
    retentions,
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
    retainedTimes: (workspace) => registry.retainedTimes(workspace, expiry.nowMs()),
  });
  let isStopped = false;
  const checkOpen = (): void => {
    if (isStopped) throw new PitwallError('shutting_down');
  };

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
    stop() {
      isStopped = true;
    },
  };
}

function readsOf({ clickhouse, registry, feed, expiry, options }: StoreBase) {
  return clickHouseReads({
    clickhouse,
    registry,
    refresh: feed.refresh,
    clock: expiry.nowMs,
    limits: {
      ...defaultReadLimits,
      timeMs: options.maxQueryMs ?? defaultReadLimits.timeMs,
      fewValues: options.fewValues ?? defaultReadLimits.fewValues,
    },
  });
}

/** It can be written to while the server answers and takes inserts. */
function healthOf({ watch, writer, expiry }: StoreBase): StoreHealth {
  const problems: string[] = [];
  const lost = watch.failure();
  if (lost !== undefined) problems.push(`ClickHouse does not answer: ${lost}`);
  const failed = writer.failure(failureLastsMs);
  if (failed !== undefined) problems.push(`the last insert failed: ${failed.message}`);
  const writable = problems.length === 0;
  problems.push(...[expiry.problem()].filter((problem) => problem !== undefined));
  return { writable, problems, headBytes: writer.pendingBytes, parts: 0 };
}

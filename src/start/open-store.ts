import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { CannotOpen, openEmbeddedStore } from '../store/embedded/store.ts';
import type { Store } from '../store/store.ts';
import { letHeapGrow } from './heap-growth.ts';
import type { OpenFiles } from './open-files.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/**
 * Opens the store that the settings name. ClickHouse is waited for as long as it cannot be reached; throws an Error
 * with one line for the operator where it refuses this node or cannot be used, and the signal's reason.
 *
 * @param clock the time (ms since the Unix epoch) that a store in the data folder goes by; the machine's without it
 * @param begin when the store may begin with what can wait: sealing and merging
 */
export async function openStore(
  config: Config,
  openFiles: OpenFiles,
  { insertSeconds, insertFailures }: Metrics,
  log: Log,
  signal: AbortSignal,
  begin: Promise<void>,
  clock?: () => number,
): Promise<Store> {
  const { store: url, interruptedAfter: interruptedAfterMs, maxQueryTime: maxQueryMs } = config;
  if (url === undefined) {
    const { dataDir, cacheBytes, indexBytes, snapshotBytes, headBytes } = config;
    return await openEmbeddedStore({
      dataDir,
      cacheBytes,
      indexBytes,
      snapshotBytes,
      headBytes,
      maxFiles: openFiles.parts,
      readThreads: config.readThreads ?? Math.max(1, availableParallelism() - 1),
      interruptedAfterMs,
      maxQueryMs,
      begin,
      log,
      // Of replicas the clock never goes back: what passes by it has passed.
      ...(clock !== undefined && { clock, monotonicMs: clock }),
    });
  }
  // Loaded here, so that a service on its own disk starts without it.
  const { openClickHouseStore, defaultInsertAgeMs } = await import('../store/clickhouse/store.ts');
  const { isLasting, messageOf } = await import('../store/clickhouse/server/client-errors.ts');
  const options = {
    url,
    cluster: config.clickhouseCluster,
    interruptedAfterMs,
    maxQueryMs,
    maxPendingBytes: config.clickhousePendingBytes,
    insertMaxRows: config.clickhouseInsertRows,
    insertMaxAgeMs: config.clickhouseInsertAge ?? defaultInsertAgeMs(config.clickhouseCluster),
    durability: config.clickhouseDurability,
    meter: {
      inserted: (seconds: number) => insertSeconds.observe(seconds),
      failed: () => insertFailures.inc(),
    },
    log,
  };
  const name = `ClickHouse at ${withoutLogin(url)}`;
  const needed = {
    name,
    attempt: () => openClickHouseStore(options),
    isFinal: (error: unknown) => error instanceof CannotOpen || isLasting(error),
    reason: messageOf,
    abandon: (store: Store) => {
      store.close().catch(() => undefined);
    },
  };
  try {
    const store = await waitFor(needed, { log, signal });
    const endGrowth = letHeapGrow();
    return {
      ...store,
      close() {
        endGrowth();
        return store.close();
      },
    };
  } catch (error) {
    if (signal.aborted || error instanceof CannotOpen) throw error;
    throw new Error(`${name} cannot be used: ${messageOf(error).split('\n', 1)[0]}`);
  }
}

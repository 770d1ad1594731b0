import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { openEmbeddedStore } from '../store/embedded/store.ts';
import type { Store } from '../store/store.ts';

/**
 * Opens the store that the settings name. ClickHouse is waited for as long as it cannot be reached; throws an Error
 * with one line for the operator where it refuses this node or cannot be used, and the signal's reason.
 */
export async function openStore(
  config: Config,
  _metrics: Metrics,
  log: Log,
  _signal: AbortSignal,
): Promise<Store> {
  const { store: url, interruptedAfter: interruptedAfterMs } = config;
  if (url === undefined) {
    const { dataDir, cacheBytes, headBytes } = config;
    return await openEmbeddedStore({ dataDir, cacheBytes, headBytes, interruptedAfterMs, log });
  }
  throw new Error('the store of ClickHouse is not there yet');
}

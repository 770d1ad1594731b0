import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { natsAddress } from '../live/nats/address.ts';
import type { Log } from '../log.ts';
import type { ReplicaLog } from '../replicas/nats-log.ts';
import { LoginRefused, openReplicaLog, type Replication, replicationOver } from '../replicas/replication.ts';
import type { Store } from '../store/store.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/**
 * Undefined where no replicas are asked for. The log is waited for as long as it cannot be reached; rejects with the signal's reason, and with
 * an Error for the operator where the login is refused.
 */
async function openReplication(
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<Replication | undefined> {
  const { replicas: url, cluster, node = hostname(), logBytes } = config;
  if (url === undefined) return undefined;
  const address = natsAddress(url, '--replicas');
  const needed = {
    name: `the log of the replicas on NATS at ${withoutLogin(url)}`,
    attempt: () => openReplicaLog({ address, cluster, node, logBytes }),
    isFinal: (error: unknown) => error instanceof LoginRefused,
    reason: (error: unknown) => (error as Error).message,
    abandon: (opened: ReplicaLog) => void opened.close().catch(() => undefined),
  };
  const replicaLog = await waitFor(needed, { log, signal }).catch((error: unknown) => {
    if (!(error instanceof LoginRefused)) throw error;
    throw new Error(`NATS at ${withoutLogin(url)} refuses the login: ${error.message}`);
  });
  return await replicationOver(replicaLog, { ...config, node }, log, signal);
}

/** The store of this node, and the log that it goes by where it is one of several replicas. */
export interface OpenedStore {
  readonly local: Store;
  readonly replication: Replication | undefined;
  /** Closes both, and throws what stood in the way of the rest of a start. */
  abandon(error: unknown): Promise<never>;
}

/** @param open opens the store, which goes by the clock of the log where there is one */
export async function openByLog(
  config: Config,
  open: (clock: (() => number) | undefined) => Promise<Store>,
  log: Log,
  signal: AbortSignal,
): Promise<OpenedStore> {
  const replication = await openReplication(config, log, signal);
  const opening = () => open(replication?.clock.now);
  const local = await (replication?.openStore(opening) ?? opening()).catch(async (error: unknown) => {
    await replication?.close();
    throw error;
  });
  return {
    local,
    replication,
    async abandon(error) {
      await replication?.close();
      await local.close();
      throw error;
    },
  };
}

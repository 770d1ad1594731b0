import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { natsAddress } from '../live/nats-address.ts';
import type { Log } from '../log.ts';
import type { ReplicaLog } from '../replicas/nats-log.ts';
import { LoginRefused, openReplicaLog, type Replication, replicationOver } from '../replicas/replication.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/**
 * Undefined where no replicas are asked for. The log is waited for as long as it cannot be reached; rejects with the signal's reason, and with
 * an Error for the operator where the login is refused.
 */
export async function openReplication(
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<Replication | undefined> {
  const { replicas: url, cluster, node = hostname(), logBytes } = config;
  if (url === undefined) return undefined;
  const address = natsAddress(url);
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

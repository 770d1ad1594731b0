import type { Config } from '../config.ts';
import type { Committer } from '../ingest/commit.ts';
import { natsAddress } from '../live/nats-address.ts';
import type { Log } from '../log.ts';
import { type LogClock, logClock } from '../replicas/log-clock.ts';
import type { ReplicaLog } from '../replicas/nats-log.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Store } from '../store/store.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/** The log of replicas, which a node reaches before it opens its store. */
export interface Replication {
  /** The time that the store goes by. */
  readonly clock: LogClock;
  /** Begins to apply the log to the store. */
  join(store: Store, committer: Committer): Promise<Replicas>;
  close(): Promise<void>;
}

/**
 * Undefined where no replicas are asked for. The log is waited for as long as it cannot be reached; rejects with the signal's reason.
 */
export async function openReplication(
  { replicas: url, cluster, node, dataDir }: Config,
  log: Log,
  signal: AbortSignal,
): Promise<Replication | undefined> {
  if (url === undefined) return undefined;
  // Loaded here, so that a service on its own starts without it.
  const { openReplicaLog } = await import('../replicas/nats-log.ts');
  const { joinReplicas } = await import('../replicas/replicas.ts');
  const address = natsAddress(url);
  const needed = {
    name: `the log of the replicas on NATS at ${withoutLogin(url)}`,
    attempt: () => openReplicaLog({ address, cluster, node, log }),
    isFinal: () => false,
    reason: (error: unknown) => (error as Error).message,
    abandon: (opened: ReplicaLog) => void opened.close().catch(() => undefined),
  };
  const replicaLog = await waitFor(needed, { log, signal });
  const clock = logClock(dataDir);
  return {
    clock,
    join: (store, committer) => joinReplicas({ node, store, committer, clock, replicaLog, log }),
    close: () => replicaLog.close(),
  };
}

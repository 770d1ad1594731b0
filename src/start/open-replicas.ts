import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Committer } from '../ingest/commit.ts';
import { natsAddress } from '../live/nats-address.ts';
import type { Log } from '../log.ts';
import type { LogClock } from '../replicas/log-clock.ts';
import type { LogExtent, ReplicaLog } from '../replicas/nats-log.ts';
import type { HeardPeer } from '../replicas/peers.ts';
import type { Position } from '../replicas/position.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Store } from '../store/store.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/** The log of replicas, which a node reaches before it opens its store. */
export interface Replication {
  /** The time that the store goes by. */
  readonly clock: LogClock;
  /**
   * The store of this node, such that it can go on with the log: from a backup of another node, where it cannot by itself. Rejects with
   * an Error for the operator where the folder is of another log.
   */
  openStore(open: () => Promise<Store>): Promise<Store>;
  /** Begins to apply the log to that store. */
  join(store: Store, committer: Committer): Replicas;
  close(): Promise<void>;
}

/**
 * Undefined where no replicas are asked for. The log is waited for as long as it cannot be reached; rejects with the signal's reason.
 */
export async function openReplication(
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<Replication | undefined> {
  const { replicas: url, cluster, node, dataDir, logBytes, readBarrier } = config;
  if (url === undefined) return undefined;
  // Loaded here, so that a service on its own starts without it.
  const { openReplicaLog } = await import('../replicas/nats-log.ts');
  const { joinReplicas } = await import('../replicas/replicas.ts');
  const { logClock } = await import('../replicas/log-clock.ts');
  const address = natsAddress(url);
  const name = `the log of the replicas on NATS at ${withoutLogin(url)}`;
  const replicaLog = await waitFor(
    {
      name,
      attempt: () => openReplicaLog({ address, cluster, node, logBytes }),
      isFinal: () => false,
      reason: (error: unknown) => (error as Error).message,
      abandon: (opened: ReplicaLog) => void opened.close().catch(() => undefined),
    },
    { log, signal },
  );
  const clock = logClock(dataDir, (await replicaLog.extent()).madeAt);
  let position: Position | undefined;
  let extent: LogExtent | undefined;
  return {
    clock,
    async openStore(open) {
      const { finishReplacing } = await import('../replicas/joined-folder.ts');
      await finishReplacing(dataDir);
      for (;;) {
        const store = await open();
        try {
          const found = await startOn(store, replicaLog, node);
          if ('position' in found) {
            ({ position, extent } = found);
            return store;
          }
          log.warn({}, `${found.why}: taking a backup of another node`);
          await store.close();
          await takeBackupOfPeer(config, replicaLog, log, signal);
        } catch (error) {
          await store.close();
          throw error;
        }
      }
    },
    join: (store, committer) =>
      joinReplicas({
        node,
        cluster,
        store,
        committer,
        clock,
        replicaLog,
        logBytes,
        readBarrier,
        position: position!,
        extent: extent!,
        log,
      }),
    close: () => replicaLog.close(),
  };
}

/** Where the node goes on, or why it cannot without a backup. What it has becomes what an empty log builds on. */
async function startOn(
  store: Store,
  replicaLog: ReplicaLog,
  node: string,
): Promise<{ readonly position: Position; readonly extent: LogExtent } | { readonly why: string }> {
  const { foundLog, startOf } = await import('../replicas/base.ts');
  const { firstPosition } = await import('../replicas/position.ts');
  const extent = await replicaLog.extent();
  const start = await startOf(store, replicaLog, extent);
  if (start.type === 'backup') return start;
  if (start.type === 'read') return { position: start.position, extent };
  await foundLog(replicaLog, node);
  return {
    position: firstPosition(extent.id),
    extent: await replicaLog.extent(),
  };
}

const againMs = 1000;

/** Puts a backup of another node in the place of the data folder; tries until one gives it. */
async function takeBackupOfPeer(
  { cluster, node, dataDir }: Config,
  { connection }: ReplicaLog,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { hearPeers } = await import('../replicas/peers.ts');
  const { takeBackup } = await import('../replicas/backup-transfer.ts');
  const { replaceFolder } = await import('../replicas/joined-folder.ts');
  const own = { node, run: '', sequence: 0, isCaughtUp: false, version: 0 };
  const peers = hearPeers(connection, cluster, () => own);
  try {
    for (let attempt = 0; ; attempt++) {
      await pause(againMs, undefined, { signal });
      const givers = peers.all().filter(canGive);
      const giver = givers[attempt % Math.max(1, givers.length)];
      if (giver === undefined) {
        if (attempt % 5 === 1)
          log.warn({}, 'no other node is there that could give a backup; waiting for one');
        continue;
      }
      try {
        const bytes = await replaceFolder(dataDir, takeBackup(connection, cluster, giver.run));
        log.info({ of: giver.node, bytes }, 'this node has a backup of another one, and goes on from there');
        return;
      } catch (error) {
        log.warn(
          { of: giver.node, error: (error as Error).message },
          'a backup of another node broke off; trying again',
        );
      }
    }
  } finally {
    peers.close();
  }
}

const freshMs = 5000;

function canGive({ run, isCaughtUp, heardMs }: HeardPeer): boolean {
  return run !== '' && isCaughtUp && heardMs < freshMs;
}

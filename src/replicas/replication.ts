import { setTimeout as pause } from 'node:timers/promises';
import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import { finishReplacing, replaceDirectory } from '../store/embedded/replace.ts';
import type { Store } from '../store/store.ts';
import { takeBackup } from './backup-transfer.ts';
import { foundLog, startOf } from './base.ts';
import { storeOfLog } from './by-log.ts';
import { type LogClock, logClock } from './log-clock.ts';
import type { LogExtent, ReplicaLog } from './nats-log.ts';
import { type HeardPeer, hearPeers } from './peers.ts';
import type { Position } from './position.ts';
import { joinReplicas, type Replicas, type ReplicasOptions } from './replicas.ts';

export { LoginRefused, openReplicaLog } from './nats-log.ts';

/** The log of replicas, which a node reaches before it opens its store. */
export interface Replication {
  /** The time that the store goes by. */
  readonly clock: LogClock;
  /**
   * The store of this node, such that it can go on with the log: from a backup of another node, where it cannot by itself. Rejects with
   * an Error for the operator where the folder is of another log.
   */
  openStore(open: () => Promise<Store>): Promise<Store>;
  /** That store, for the committer that applies the log to it. */
  applied(store: Store): Store;
  /** Begins to apply the log to that store. */
  join(store: Store, committer: Committer, states: ReplicasOptions['states']): Replicas;
  close(): Promise<void>;
}

export interface ReplicationOptions {
  readonly node: string;
  readonly cluster: string;
  readonly dataDir: string;
  readonly logBytes: number;
  readonly readBarrier: boolean;
}

/** @param signal ends the wait for a backup of another node */
export async function replicationOver(
  replicaLog: ReplicaLog,
  options: ReplicationOptions,
  log: Log,
  signal: AbortSignal,
): Promise<Replication> {
  const { node, dataDir } = options;
  const clock = logClock(dataDir, (await replicaLog.extent()).madeAt);
  let position: Position | undefined;
  let extent: LogExtent | undefined;
  return {
    clock,
    async openStore(open) {
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
        } catch (error) {
          await store.close();
          throw error;
        }
        await takeBackupOfPeer(options, replicaLog, log, signal);
      }
    },
    applied: storeOfLog,
    join: (store, committer, states) =>
      joinReplicas({
        ...options,
        store,
        committer,
        states,
        clock,
        replicaLog,
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
  const extent = await replicaLog.extent();
  const start = await startOf(store, replicaLog, extent);
  if (start.type === 'backup') return start;
  const { position } = start;
  if (start.type === 'read') return { position, extent };
  await foundLog(replicaLog, node, position.base!);
  return { position, extent: await replicaLog.extent() };
}

const againMs = 1000;

/** Puts a backup of another node in the place of the data folder; tries until one gives it. */
async function takeBackupOfPeer(
  { cluster, dataDir }: ReplicationOptions,
  { connection }: ReplicaLog,
  log: Pick<Log, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const peers = hearPeers(connection, cluster);
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
        const bytes = await replaceDirectory(dataDir, takeBackup(connection, cluster, giver.run));
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

function canGive({ isCaughtUp, heardMs }: HeardPeer): boolean {
  return isCaughtUp && heardMs < freshMs;
}

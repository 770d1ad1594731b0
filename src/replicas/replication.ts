import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import { finishReplacing, replaceDirectory, replacedFolder } from '../store/embedded/replace.ts';
import type { Store } from '../store/store.ts';
import { takeBackup } from './backup-transfer.ts';
import { foundLog, type Start, startOf } from './base.ts';
import { storeOfLog } from './by-log.ts';
import { type LogClock, logClock } from './log-clock.ts';
import type { ReplicaLog } from './nats-log.ts';
import { canGive, hearPeers } from './peers.ts';
import { recordVersion } from './record.ts';
import type { Opened, ReplicasOptions, ReplicationOptions } from './replica.ts';
import { Replicas } from './replicas.ts';

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
  join(
    store: Store,
    committer: Committer,
    states: ReplicasOptions['states'],
    onNext: ReplicasOptions['onNext'],
  ): Replicas;
  close(): Promise<void>;
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
  let opened: Opened | undefined;
  return {
    clock,
    async openStore(open) {
      await finishReplacing(dataDir);
      for (let isFirst = true; ; isFirst = false) {
        const store = await open();
        const found = await startOn(store, replicaLog, node).catch(async (error: unknown) => {
          await store.close();
          throw error;
        });
        const isNeeded = !('position' in found);
        if (!isNeeded && !(isFirst && isLongWay(found))) {
          opened = found;
          return store;
        }
        log.warn({}, `${isNeeded ? found.why : 'this node is new'}: taking a backup of another node`);
        await store.close();
        const isOlder = isNeeded && found.isOlder === true;
        await takeBackupOfPeer(options, replicaLog, { isNeeded, isOlder }, log, signal);
      }
    },
    applied: storeOfLog,
    join: (store, committer, states, onNext) =>
      new Replicas({ ...options, ...opened!, store, committer, states, onNext, clock, replicaLog, log }),
    close: () => replicaLog.close(),
  };
}

const againMs = 1000;
/** Who asks nodes to tell of themselves hears them within this time (ms). */
const heardMs = 100;
const looksForLost = 5;
/** A new node takes a backup rather than read so many bytes of the log: parts are smaller, and need no work. */
const longWayBytes = 16 << 20;

const isLongWay = ({ position, extent }: Opened): boolean =>
  position.base === undefined && position.sequence === extent.offset && extent.bytes > longWayBytes;

/** Where the node goes on, or why it cannot without a backup. What it has becomes what an empty log builds on. */
async function startOn(
  store: Store,
  replicaLog: ReplicaLog,
  node: string,
): Promise<Opened | Extract<Start, { type: 'backup' }>> {
  await replicaLog.follow();
  let extent = await replicaLog.extent();
  let start = await startOf(store, replicaLog, extent);
  // Servers that have just started may not have all yet.
  for (let looks = 0; start.type === 'lost' && !extent.isSealed && looks < looksForLost; looks++) {
    await pause(againMs);
    extent = await replicaLog.extent();
    start = await startOf(store, replicaLog, extent);
  }
  if (start.type === 'backup') return start;
  const { position } = start;
  if (start.type === 'found') {
    await foundLog(replicaLog, node, position.base!);
    extent = await replicaLog.extent();
  }
  return { position, extent, lost: start.type === 'lost' ? start.why : undefined };
}

/** Puts a backup of another node in the place of the data folder. Where it is needed, tries until one gives it. */
async function takeBackupOfPeer(
  { cluster, dataDir, node }: ReplicationOptions,
  replicaLog: ReplicaLog,
  { isNeeded, isOlder }: { readonly isNeeded: boolean; readonly isOlder: boolean },
  log: Pick<Log, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const { connection } = replicaLog;
  const own = { node, run: randomUUID(), sequence: 0, isCaughtUp: false, version: recordVersion };
  const peers = hearPeers(connection, cluster, () => own);
  try {
    for (let attempt = 0; isNeeded || attempt < 2; attempt++) {
      await pause(attempt === 0 ? heardMs : againMs, undefined, { signal });
      const id = await replicaLog.follow().then(
        () => replicaLog.extent().then((extent) => extent.id),
        () => undefined,
      );
      const givers = peers.all().filter((peer) => canGive(peer) && peer.log === id);
      const giver = givers[attempt % Math.max(1, givers.length)];
      if (giver === undefined) {
        if (attempt % 5 === 1)
          log.warn({}, 'no other node is there that could give a backup; waiting for one');
        continue;
      }
      try {
        const archive = takeBackup(connection, cluster, giver.run);
        const bytes = await replaceDirectory(dataDir, archive, isOlder);
        log.info({ of: giver.node, bytes }, 'this node has a backup of another one, and goes on from there');
        if (isOlder)
          log.warn({ folder: replacedFolder(dataDir) }, 'the data that this node had before are kept there');
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

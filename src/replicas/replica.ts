import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { ApplierOptions } from './applier.ts';
import type { LogClock } from './log-clock.ts';
import type { LogExtent } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';
import type { Position } from './position.ts';
import type { Reach } from './reach.ts';
import type { ReplicaState } from './replica-state.ts';

/** This node among the replicas of a cluster: what it writes goes to the log, what stands there it applies. */
export interface Replicas extends Pick<Reach, 'reached'> {
  /** The store of this node, with what changes state by way of the log. */
  readonly store: Store;
  /** What clients write, by way of the log. */
  readonly committer: Committer;
  /** Whether this node does what one at a time does. */
  holdsLease(): boolean;
  state(): ReplicaState;
  /** The number of the last applied message. */
  sequence(): number;
  /** Resolves when all is applied that the log had at the call; undefined where reads are not to wait for that. */
  readonly barrier: (() => Promise<void>) | undefined;
  /** Resolves when this node has applied all that the log had at the start, and takes writes. Rejects with the signal's reason. */
  caughtUp(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What the operator has said. */
export interface ReplicationOptions {
  readonly node: string;
  readonly cluster: string;
  readonly dataDir: string;
  /** Most bytes of the log. */
  readonly logBytes: number;
  /** Whether reads wait until all is applied that the log has as they come. */
  readonly readBarrier: boolean;
}

/** With what this node begins. */
export interface Opened {
  /** Where the log goes on for it. */
  readonly position: Position;
  /** What the log held at the start. */
  readonly extent: LogExtent;
  /** Why it does not go on, where the log has lost messages. */
  readonly lost: string | undefined;
}

export interface ReplicasOptions extends ReplicationOptions, Opened {
  /** The store of this node. */
  readonly store: Store;
  /** Writes to that store, and tells live readers. */
  readonly committer: Committer;
  /** Of alert rules, as this node knows them. */
  readonly states: ApplierOptions['states'];
  /** Called where the log goes on with another generation: this node has to be opened again. */
  readonly onNext: () => void;
  readonly clock: LogClock;
  readonly replicaLog: ReplicaLog;
  readonly log: Log;
}

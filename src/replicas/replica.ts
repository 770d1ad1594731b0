import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { ApplierOptions } from './applier.ts';
import type { LogClock } from './log-clock.ts';
import type { LogExtent } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';
import type { Position } from './position.ts';

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

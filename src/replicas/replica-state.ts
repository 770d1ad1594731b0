import type { LogExtent } from './nats-log.ts';
import type { HeardPeer } from './peers.ts';

/** How far a node and the others are, as `pitwall cluster` tells it. */
export interface ReplicaState {
  readonly node: string;
  /** The message of the log that was applied last. */
  readonly sequence: number;
  /** Messages of the log that are not applied here yet, as far as this node knows. */
  readonly behind: number;
  readonly isCaughtUp: boolean;
  readonly leaseHolder: string | undefined;
  readonly leader: string | undefined;
  /** Servers of NATS that keep the log. */
  readonly servers: LogExtent['servers'];
  /** All nodes, as far as they were heard. */
  readonly nodes: readonly HeardPeer[];
  readonly problems: readonly string[];
}

/** One of several servers of a cluster with one shard, of which each has all rows. All are on this machine. */
export interface Replica {
  readonly cluster: string;
  /** From 0. */
  readonly number: number;
  /** Of ZooKeeper. */
  readonly keeperPort: number;
  readonly servers: readonly ReplicaPorts[];
}

export interface ReplicaPorts {
  /** Where statements come in. */
  readonly http: number;
  /** Where other replicas fetch parts. */
  readonly parts: number;
}

/** The name that a server has among the replicas. */
export function replicaName(number: number): string {
  return `r${number + 1}`;
}

/** One server of a cluster. All are on this machine. */
export interface ClusterServer {
  /** From 1. */
  readonly shard: number;
  /** Of the shard, from 1. */
  readonly replica: number;
  /** Where statements of nodes come in; what they say to the whole cluster is passed on there. */
  readonly front: number;
  /** Where ClickHouse listens for HTTP. */
  readonly http: number;
  /** Where ClickHouse listens for other servers. */
  readonly native: number;
  /** Where other replicas fetch parts. */
  readonly parts: number;
}

/** The name that a server has in the cluster, and as a replica. */
export function serverName({ shard, replica }: ClusterServer): string {
  return `s${shard}r${replica}`;
}

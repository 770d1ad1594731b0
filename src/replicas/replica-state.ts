import type { LogExtent } from './log-streams.ts';
import type { HeardPeer } from './peers.ts';

/** How far a node and the others are, as `pitwall cluster` tells it. */
export interface ReplicaState {
  readonly node: string;
  /** How often the log began, anew after each time that it had lost messages. */
  readonly generation: number;
  /** Whether this node takes nothing more of this log. */
  readonly isStopped: boolean;
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

/** What problems are told by. */
interface Circumstances extends Pick<ReplicaState, 'node' | 'behind' | 'isCaughtUp'> {
  /** Whether the log could be asked the last time. */
  readonly isLogKnown: boolean;
  /** Whether it took the last write. */
  readonly isTaken: boolean;
  /** Whether another node has the name of this one. */
  readonly hasNamesake: boolean;
  /** How many servers keep the log. */
  readonly copies: number;
  /** What applying the log has told. */
  readonly own: readonly (string | undefined)[];
}

/** What is wrong with a node, as sentences for its operator. */
export function problemsOf(found: Circumstances): string[] {
  const problems = found.own.filter((text) => text !== undefined);
  if (!found.isLogKnown)
    problems.push('no majority of the log can be reached: writes are refused, reads go on');
  else if (!found.isTaken) problems.push('no majority of the log has taken the last write');
  else if (!found.isCaughtUp)
    problems.push(`this node is ${found.behind} messages behind the log: writes are refused`);
  if (found.hasNamesake)
    problems.push(`another node is called '${found.node}' too: give each a name of its own with --node`);
  if (found.copies < 3)
    problems.push('one server keeps the log: name three in --replicas, so that one of them may die');
  return problems;
}

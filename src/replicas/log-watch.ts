import type { LogExtent } from './log-streams.ts';
import type { ReplicaLog } from './nats-log.ts';
import type { HeardPeer } from './peers.ts';

/** What this node knows of how far the log is, which it asks again and again. */
export interface LogWatch {
  readonly extent: LogExtent;
  /** Whether it could be asked the last time, and has a leader. */
  readonly isKnown: boolean;
  /** The last message that it had some looks before: who has not applied that is behind. */
  readonly longAgo: number;
  /** Why it has to be closed: it has not had for some looks what this node has applied, or is closed already. */
  readonly lost: string | undefined;
  look(): Promise<void>;
  /** The log has taken the message of a place. */
  taken(sequence: number): void;
}

/** Why a node stops where others have found that it has to. */
export const lostElsewhere = 'another node has found that the log has lost messages';

/** A node that is behind for so many looks takes no more writes until it has caught up. */
const looksBehind = 10;
/** A server that is of no use for so long (ms) is left for another. */
const uselessMs = 3000;
/** What a server does not take for so long (ms) it is no use for. */
const stuckMs = 2000;

/**
 * @param atStart what the log held at the start
 * @param sentMs for how long (ms) the log has not taken what was sent to it
 * @param applied the message that this node has applied last
 */
export function watchLog(
  log: Pick<ReplicaLog, 'extent' | 'isConnected' | 'leaveServer'>,
  atStart: LogExtent,
  sentMs: () => number,
  applied: () => number,
): LogWatch {
  let extent = atStart;
  let isKnown = true;
  let longAgo = 0;
  /** The last messages at the looks before. */
  const seenBefore: number[] = [];
  /** How many looks in a row it ended before what is applied. */
  let shortLooks = 0;
  /** When the server of the connection was of use last, or there was none. */
  let ofUseAt = performance.now();

  /** A server that is cut off from the others knows nothing of the log, or believes that it leads: another may be among them. */
  function leaveUseless(): void {
    const isOfUse = isKnown && sentMs() < stuckMs;
    const now = performance.now();
    if (isOfUse || !log.isConnected) ofUseAt = now;
    else if (now - ofUseAt > uselessMs) {
      ofUseAt = now;
      log.leaveServer();
    }
  }

  return {
    get extent() {
      return extent;
    },
    get isKnown() {
      return isKnown;
    },
    get longAgo() {
      return longAgo;
    },
    get lost() {
      if (extent.isSealed) return lostElsewhere;
      return shortLooks > looksBehind ? 'the log ends before what this node has applied' : undefined;
    },
    taken(sequence) {
      if (sequence > extent.last) extent = { ...extent, last: sequence };
    },
    async look() {
      const [before, needed] = [extent.last, applied()];
      try {
        extent = await log.extent();
        isKnown = extent.leader !== undefined || extent.servers.length === 0;
        shortLooks = extent.last < needed ? shortLooks + 1 : 0;
        seenBefore.push(before);
        longAgo = seenBefore.length > looksBehind ? seenBefore.shift()! : 0;
      } catch {
        isKnown = false;
      }
      leaveUseless();
    },
  };
}

/** What the log keeps of what all have applied. */
const messagesBehind = 1000;

/** Where the log is half full, messages go that every node of it has applied. Those who are away for longer take a backup. */
export async function forgetApplied(
  replicaLog: Pick<ReplicaLog, 'forgetBefore'>,
  { bytes, first, id }: LogExtent,
  logBytes: number,
  nodes: readonly HeardPeer[],
): Promise<void> {
  if (bytes < logBytes / 2) return;
  const applied = nodes.flatMap(({ log = id, sequence }) => (log === id ? [sequence] : []));
  const before = Math.min(...applied) - messagesBehind;
  if (before > first) await replicaLog.forgetBefore(before);
}

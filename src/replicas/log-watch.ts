import type { HeardPeer } from './peers.ts';
import type { LogExtent, ReplicaLog } from './replica-log.ts';

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
 * @param extent as it was at the start
 * @param sentMs for how long (ms) the log has not taken what was sent to it
 * @param applied the message that this node has applied last
 */
export function watchLog(
  replicaLog: Pick<ReplicaLog, 'extent' | 'isConnected' | 'leaveServer'>,
  extent: LogExtent,
  sentMs: () => number,
  applied: () => number,
): LogWatch {
  return new Watch(replicaLog, extent, sentMs, applied);
}

class Watch implements LogWatch {
  readonly #log: Pick<ReplicaLog, 'extent' | 'isConnected' | 'leaveServer'>;
  readonly #sentMs: () => number;
  readonly #applied: () => number;
  /** How many looks in a row it ended before what is applied. */
  #shortLooks = 0;
  #extent: LogExtent;
  #isKnown = true;
  /** The last messages at the looks before. */
  readonly #seenBefore: number[] = [];
  #longAgo = 0;
  /** When the server of the connection was of use last, or there was none. */
  #ofUseAt = performance.now();

  constructor(
    log: Pick<ReplicaLog, 'extent' | 'isConnected' | 'leaveServer'>,
    extent: LogExtent,
    sentMs: () => number,
    applied: () => number,
  ) {
    this.#log = log;
    this.#extent = extent;
    this.#sentMs = sentMs;
    this.#applied = applied;
  }

  get extent(): LogExtent {
    return this.#extent;
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  get longAgo(): number {
    return this.#longAgo;
  }

  get lost(): string | undefined {
    if (this.#extent.isSealed) return lostElsewhere;
    return this.#shortLooks > looksBehind ? 'the log ends before what this node has applied' : undefined;
  }

  async look(): Promise<void> {
    const { last: before } = this.#extent;
    const applied = this.#applied();
    try {
      this.#extent = await this.#log.extent();
      this.#isKnown = this.#extent.leader !== undefined || this.#extent.servers.length === 0;
      this.#shortLooks = this.#extent.last < applied ? this.#shortLooks + 1 : 0;
      this.#seenBefore.push(before);
      this.#longAgo = this.#seenBefore.length > looksBehind ? this.#seenBefore.shift()! : 0;
    } catch {
      this.#isKnown = false;
    }
    this.#leaveUseless();
  }

  /** A server that is cut off from the others knows nothing of the log, or believes that it leads: another may be among them. */
  #leaveUseless(): void {
    const isOfUse = this.#isKnown && this.#sentMs() < stuckMs;
    const now = performance.now();
    if (isOfUse || !this.#log.isConnected) this.#ofUseAt = now;
    else if (now - this.#ofUseAt > uselessMs) {
      this.#ofUseAt = now;
      this.#log.leaveServer();
    }
  }
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

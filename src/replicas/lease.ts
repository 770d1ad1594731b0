/** The lease of what one node at a time does, as the log tells of it. The same on every node but for `isOwn`. */
export interface Lease {
  /** The node that has it; undefined before the first. */
  readonly holder: string | undefined;
  /** Whether this node has it, and has renewed it lately by its own clock. */
  readonly isOwn: boolean;
  /** The record of the log that made or renewed it last. */
  readonly sequence: number;
  /** A record says that a node has it now. */
  apply(node: string, after: number, sequence: number): void;
  /** Whether this node should write a record: it has the lease, or nobody has renewed it for too long. */
  isDue(): boolean;
}

/** The holder writes so often (ms). */
export const renewMs = 1000;
/** It believes in its lease for so long without a renewal that it has read. */
const ownMs = 3000;
/** Others leave it in peace for so long. */
const othersMs = 4500;

/** @param monotonicMs a clock that never goes back */
export function createLease(node: string, monotonicMs: () => number): Lease {
  let holder: string | undefined;
  let sequence = 0;
  let renewedAt = monotonicMs();
  return {
    get holder() {
      return holder;
    },
    get isOwn() {
      return holder === node && monotonicMs() - renewedAt < ownMs;
    },
    get sequence() {
      return sequence;
    },
    apply(claimant, after, at) {
      // Of two that take it at the same moment the first in the log has it.
      if (after !== sequence) return;
      holder = claimant;
      sequence = at;
      renewedAt = monotonicMs();
    },
    isDue: () => holder === node || monotonicMs() - renewedAt > othersMs,
  };
}

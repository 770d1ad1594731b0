/** Who has the lease, and the message of the log that made or renewed it last. */
export interface LeaseState {
  readonly holder: string | undefined;
  readonly sequence: number;
}

/** The lease of what one node at a time does, as the log tells of it. The same on every node but for `isOwn`. */
export interface Lease {
  /** As it is known here: by who has applied the same of the log the same. */
  readonly state: LeaseState;
  /** Whether this node has it, and has sent its last renewal lately by its own clock. */
  readonly isOwn: boolean;
  /** This node sends a record that takes it or renews it. */
  renewing(): void;
  /** A record says that a node has it now. */
  apply(node: string, after: number, sequence: number): void;
  /** Whether this node should write a record: it has the lease, or nobody has renewed it for too long. */
  isDue(): boolean;
}

/** The holder writes so often (ms). */
export const renewMs = 1000;
/** It believes in its lease for so long after it sent the last renewal that it has read. */
const ownMs = 3000;
/** Others leave it in peace for so long. */
const othersMs = 4500;

/** @param monotonicMs a clock that never goes back */
export function createLease(node: string, start: LeaseState, monotonicMs: () => number): Lease {
  let state = start;
  /** When a renewal was read last; nobody knows what was before the start. */
  let readAt = monotonicMs();
  /** When the record that changes this state was sent first: it may be read much later, when another has the lease. */
  let sent: { readonly after: number; readonly at: number } | undefined;
  let ownSince = Number.NEGATIVE_INFINITY;
  return {
    get state() {
      return state;
    },
    get isOwn() {
      return state.holder === node && monotonicMs() - ownSince < ownMs;
    },
    renewing() {
      if (sent?.after !== state.sequence) sent = { after: state.sequence, at: monotonicMs() };
    },
    apply(holder, after, sequence) {
      // Of two that take it at the same moment the first in the log has it.
      if (after !== state.sequence) return;
      state = { holder, sequence };
      readAt = monotonicMs();
      if (holder === node && sent?.after === after) ownSince = sent.at;
    },
    isDue: () => state.holder === undefined || state.holder === node || monotonicMs() - readAt > othersMs,
  };
}

import type { HubLimits } from './hub-limits.ts';
import type { State } from './lifecycle.ts';

/** The longest time between negotiating and connecting, as in ASP.NET. */
const connectTimeoutMs = 15_000;
/** How long calls under way may take to be answered when the service stops. */
const finishMs = 20_000;
/** How long a last message may take to leave before the socket is cut. */
const drainMs = 5000;
/** The same for a reader that was too slow: it gets longer, to read why. */
const slowDrainMs = 30_000;

/** How long a connection may be in a state, and what its client is told then; undefined for as long as it likes. */
export interface Deadline {
  readonly afterMs: number;
  readonly reason?: string;
}

export function deadlineOf(state: State, limits: HubLimits, isSlow: boolean): Deadline | undefined {
  switch (state) {
    case 'negotiated':
      return { afterMs: connectTimeoutMs };
    case 'handshaking':
      return { afterMs: limits.handshakeTimeoutMs, reason: 'Handshake was canceled.' };
    case 'finishing':
      return { afterMs: finishMs };
    case 'draining':
      return { afterMs: isSlow ? slowDrainMs : drainMs };
    case 'connected':
    case 'closed':
      return undefined;
  }
}

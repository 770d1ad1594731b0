import type { NatsConnection } from '@nats-io/transport-node';
import { hear } from './hear.ts';

/** What a node tells the others of itself, once a second. */
export interface PeerState {
  readonly node: string;
  /** Another after each start. */
  readonly run: string;
  /** The message of the log that it applied last. */
  readonly sequence: number;
  /** Whether it takes writes, as far as it knows. */
  readonly isCaughtUp: boolean;
  /** The newest version of records that it knows. */
  readonly version: number;
  /** The identity of the log that it applies; none where it waits for a backup of another node. */
  readonly log?: string;
  /** The last message with which it applied a write. */
  readonly lastWrite?: { readonly sequence: number; readonly mark: number };
  /** Whether it has stopped for good with that log, which has lost messages. */
  readonly isFrozen?: boolean;
}

export interface HeardPeer extends PeerState {
  /** How long ago it was heard, ms. */
  readonly heardMs: number;
}

/** The other nodes, as far as they can be heard. They tell of themselves at once where they hear a new one. */
export interface Peers {
  /** Every node that was heard, this one too, by name. */
  all(): HeardPeer[];
  /** Whether another node has the name of this one: both would do what one at a time does. */
  hasNamesake(): boolean;
  close(): void;
}

const tellMs = 1000;
/** What a run that has ended said last is forgotten after so long (ms). */
const namesakeMs = 5000;
/** A node that was heard within this time (ms) is there. */
export const freshMs = 5000;
/** A node that was not heard for so long is forgotten (ms). */
const forgetMs = 24 * 3_600_000;

/** @param own what this node tells the others; without it, it only hears them */
export function hearPeers(connection: NatsConnection, cluster: string, own?: () => PeerState): Peers {
  const subject = `pitwall.replicas.${cluster}.nodes`;
  const heard = new Map<string, PeerState & { readonly at: number }>();
  /** When another run under the name of this node was heard. */
  let namesakeAt = Number.NEGATIVE_INFINITY;
  const keep = (state: PeerState): void => {
    const self = own?.();
    if (self !== undefined && state.node === self.node && state.run !== self.run)
      namesakeAt = performance.now();
    heard.set(state.node, { ...state, at: performance.now() });
  };
  const hearing = hear(connection, subject, (message) => {
    try {
      const state = message.json<PeerState>();
      const isNew = heard.get(state.node)?.run !== state.run;
      keep(state);
      if (isNew) tell();
    } catch {
      // Nothing that a node says.
    }
  });
  function tell(): void {
    for (const [node, { at }] of heard) if (performance.now() - at > forgetMs) heard.delete(node);
    const state = own?.();
    if (state === undefined) return;
    keep(state);
    if (!connection.isClosed()) connection.publish(subject, JSON.stringify(state));
  }
  tell();
  const clock = setInterval(tell, tellMs);
  return {
    all: () =>
      [...heard.values()]
        .map(({ at, ...state }) => ({ ...state, heardMs: Math.round(performance.now() - at) }))
        .sort((a, b) => (a.node < b.node ? -1 : 1)),
    hasNamesake: () => performance.now() - namesakeAt < namesakeMs,
    close() {
      clearInterval(clock);
      hearing.close();
    },
  };
}

/** Whether a node that was heard can give a backup. */
export function canGive({ isCaughtUp, heardMs }: HeardPeer): boolean {
  return isCaughtUp && heardMs < freshMs;
}

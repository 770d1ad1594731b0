import type { NatsConnection } from '@nats-io/transport-node';

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
}

export interface HeardPeer extends PeerState {
  /** How long ago it was heard, ms. */
  readonly heardMs: number;
}

/** The other nodes, as far as they can be heard. */
export interface Peers {
  /** Every node that was heard, this one too, by name. */
  all(): HeardPeer[];
  close(): void;
}

const tellMs = 1000;
/** A node that was not heard for so long is forgotten (ms). */
const forgetMs = 24 * 3_600_000;

/** Tells the others of this node, and hears them. */
export function hearPeers(connection: NatsConnection, cluster: string, own: () => PeerState): Peers {
  const subject = `pitwall.replicas.${cluster}.nodes`;
  const heard = new Map<string, PeerState & { readonly at: number }>();
  const hear = (state: PeerState): void => {
    heard.set(state.node, { ...state, at: performance.now() });
  };
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error !== null) return;
      try {
        hear(message.json());
      } catch {
        // Nothing that a node says.
      }
    },
  });
  const tell = (): void => {
    const state = own();
    hear(state);
    for (const [node, { at }] of heard) if (performance.now() - at > forgetMs) heard.delete(node);
    if (!connection.isClosed()) connection.publish(subject, JSON.stringify(state));
  };
  tell();
  const clock = setInterval(tell, tellMs);
  return {
    all: () =>
      [...heard.values()]
        .map(({ at, ...state }) => ({ ...state, heardMs: Math.round(performance.now() - at) }))
        .sort((a, b) => (a.node < b.node ? -1 : 1)),
    close() {
      clearInterval(clock);
      if (!connection.isClosed()) subscription.unsubscribe();
    },
  };
}

import type { Beat } from './nats-beat.ts';

/** The other nodes, by what they say of themselves once a second; finds out when something of theirs was missed. */
export interface Peers {
  heard(beat: Beat): void;
  /** This node was cut off: what the others sent since their last beat may be missing. */
  wasAway(): void;
  /** Forgets who has been silent for too long. */
  tick(): void;
  /** Names of the nodes that are there. */
  names(): string[];
}

export interface PeersOptions {
  readonly now: () => number;
  /** Something that other nodes published did not reach this one. */
  readonly onGap: (reason: string) => void;
  /** A node is there that was not. */
  readonly onCame: (node: string) => void;
  /** A node says that it goes, or is silent. */
  readonly onGone: (node: string, sender: string) => void;
}

interface Peer {
  readonly node: string;
  heardAt: number;
  passed: number;
  lost: number;
  /** This node was away since the last beat. */
  isUnsure: boolean;
  isGone: boolean;
}

/** A node beats once a second; after so long it is gone, or cut off, which its counts tell when it comes back. */
const silenceMs = 10_000;
/** Of a node that is gone the counts are kept for so long, should it only have been cut off. */
const memoryMs = 600_000;

export function createPeers({ now, onGap, onCame, onGone }: PeersOptions): Peers {
  const peers = new Map<string, Peer>();
  /** Nodes that are new after a time away may have sent something before their first beat is heard. */
  let awayUntil = Number.NEGATIVE_INFINITY;

  return {
    heard({ sender, node, word, passed, lost }) {
      const known = peers.get(sender);
      const missed =
        known === undefined
          ? (word === 'hello' && lost > 0) || (passed > 0 && now() < awayUntil)
          : lost > known.lost || (known.isUnsure && passed > known.passed);
      if (missed) onGap(`packages of the node ${node} did not arrive`);
      if (word === 'bye') {
        peers.delete(sender);
        if (known !== undefined && !known.isGone) onGone(node, sender);
      } else {
        peers.set(sender, { node, heardAt: now(), passed, lost, isUnsure: false, isGone: false });
        if (known === undefined || known.isGone) onCame(node);
      }
    },
    wasAway() {
      awayUntil = now() + silenceMs;
      for (const peer of peers.values()) peer.isUnsure = true;
    },
    tick() {
      for (const [sender, peer] of peers) {
        const silence = now() - peer.heardAt;
        if (silence >= silenceMs && !peer.isGone) {
          peer.isGone = true;
          onGone(peer.node, sender);
        }
        if (silence >= memoryMs) peers.delete(sender);
      }
    },
    names: () => [...peers.values()].filter(({ isGone }) => !isGone).map(({ node }) => node),
  };
}

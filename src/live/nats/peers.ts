import type { Heartbeat, Place } from './heartbeat.ts';

/** The other nodes, by what they say of themselves once a second; finds out when something of theirs was missed. */
export interface Peers {
  heard(beat: Heartbeat): void;
  /** This node was cut off: what the others sent since their last beat may be missing. */
  wasAway(): void;
  /** Forgets who has been silent for too long. */
  tick(): void;
  /** Names of the nodes that are there. */
  names(): string[];
}

export interface PeersOptions {
  readonly now: () => number;
  /** Something that other nodes published did not reach this one: in these topics, or, where undefined, anywhere. */
  readonly onGap: (reason: string, places?: readonly Place[]) => void;
  /** A beat of a node was missed, so what its numbers mean is not known. */
  readonly onMissed: (sender: string) => void;
  /** A node is there that was not. */
  readonly onCame: (node: string) => void;
  /** A node says that it goes, or is silent. */
  readonly onGone: (node: string, sender: string) => void;
}

interface Peer {
  readonly node: string;
  heardAt: number;
  number: number;
  passed: number;
  lost: number;
  /** This node was away since the last beat. */
  isUnsure: boolean;
  isGone: boolean;
}

/**
 * The silence after which a node, which beats once a second, is gone or cut off; its counts tell which when it comes
 * back.
 */
const silenceMs = 10_000;
/** How long the counts of a node that is gone are kept, should it only have been cut off. */
const memoryMs = 600_000;

export function createPeers({ now, onGap, onMissed, onCame, onGone }: PeersOptions): Peers {
  const peers = new Map<string, Peer>();
  /** Nodes that are new after a time away may have sent something before their first beat is heard. */
  let awayUntil = Number.NEGATIVE_INFINITY;

  return {
    heard({ sender, node, word, number, passed, lost, lostIn }) {
      const known = peers.get(sender);
      // Where a beat was missed, packages may have been missed with it: NATS drops what a receiver is too slow for, and
      // servers of NATS lose each other while this node keeps its connection.
      const isBroken = known !== undefined && number !== known.number + 1;
      const missed =
        known === undefined
          ? (word === 'hello' && lost > 0) || (passed > 0 && now() < awayUntil)
          : lost > known.lost || ((known.isUnsure || isBroken) && passed > known.passed);
      if (missed) onGap(`packages of the node ${node} did not arrive`);
      else if (lostIn.length > 0) onGap(`packages of the node ${node} were lost`, lostIn);
      if (isBroken && word !== 'bye') onMissed(sender);
      if (word === 'bye') {
        peers.delete(sender);
        if (known !== undefined && !known.isGone) onGone(node, sender);
      } else {
        peers.set(sender, { node, heardAt: now(), number, passed, lost, isUnsure: false, isGone: false });
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

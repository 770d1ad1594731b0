import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Heartbeat } from '../../../src/live/nats/heartbeat.ts';
import { createPeers } from '../../../src/live/nats/peers.ts';

function setUp() {
  let time = 0;
  let gaps = 0;
  const gone: string[] = [];
  const came: string[] = [];
  const missed: string[] = [];
  const lostIn: string[] = [];
  const numbers = new Map<string, number>();
  const peers = createPeers({
    now: () => time,
    onGap(_reason, places) {
      gaps++;
      lostIn.push(...(places ?? []).map(({ topic }) => topic));
    },
    onMissed: (sender) => missed.push(sender),
    onCame: (node) => came.push(node),
    onGone: (_node, sender) => gone.push(sender),
  });
  return {
    peers,
    gone,
    came,
    missed,
    lostIn,
    /** Beats of a node that do not arrive. */
    skip: (sender: string, count = 1) => void numbers.set(sender, (numbers.get(sender) ?? 0) + count),
    pass(milliseconds: number) {
      time += milliseconds;
      peers.tick();
    },
    /** Whether this beat tells of a gap. */
    hear(
      sender: string,
      passed: number,
      lost = 0,
      word: Heartbeat['word'] = 'beat',
      lostIn: Heartbeat['lostIn'] = [],
    ): boolean {
      const before = gaps;
      const number = numbers.get(sender) ?? 0;
      numbers.set(sender, number + 1);
      const said = { sender, node: `node ${sender}`, word, number, passed, lost, lostIn };
      peers.heard({ ...said, asks: [], isAnew: false, topics: [] });
      return gaps > before;
    },
  };
}

describe('other nodes', () => {
  it('tell of a gap when they lost something, and only then', () => {
    const { hear } = setUp();
    assert.ok(!hear('a', 100, 5));
    assert.ok(!hear('a', 120, 5));
    assert.ok(hear('a', 120, 6));
    assert.ok(!hear('a', 120, 6));
    assert.ok(!hear('b', 0, 0, 'hello'));
    assert.ok(hear('c', 3, 3, 'hello'));
  });

  it('tell of a gap after this node was away, if they sent something meanwhile', () => {
    const { peers, hear, pass } = setUp();
    hear('a', 100);
    hear('b', 100);
    peers.wasAway();
    pass(5000);
    assert.ok(!hear('a', 100));
    assert.ok(hear('b', 101));
    assert.ok(!hear('b', 102));
    assert.ok(hear('new', 1));
    assert.ok(!hear('newer', 0));
    pass(60_000);
    assert.ok(!hear('newest', 1));
  });

  it('tell of a gap when a beat of theirs was missed and something moved meanwhile', () => {
    const { hear, skip, missed } = setUp();
    hear('a', 100);
    assert.ok(!hear('a', 200));
    skip('a');
    assert.ok(!hear('a', 200));
    skip('a', 3);
    assert.ok(hear('a', 201));
    assert.ok(!hear('a', 300));
    // What its numbers of streams mean is to be asked for both times.
    assert.deepEqual(missed, ['a', 'a']);
  });

  it('name the topics of which they lost something', () => {
    const { hear, lostIn } = setUp();
    hear('a', 100);
    assert.ok(hear('a', 101, 0, 'beat', [{ workspace: 'w', topic: 'cars' }]));
    assert.deepEqual(lostIn, ['cars']);
  });

  it('are gone when they say so or are silent, and are known again when they come back', () => {
    const { peers, hear, pass, gone, came } = setUp();
    hear('a', 1);
    hear('b', 1);
    assert.deepEqual(peers.names(), ['node a', 'node b']);
    hear('a', 1, 0, 'bye');
    assert.deepEqual(gone, ['a']);
    pass(10_000);
    assert.deepEqual(gone, ['a', 'b']);
    pass(10_000);
    assert.deepEqual(gone, ['a', 'b']);
    assert.deepEqual(peers.names(), []);
    assert.ok(hear('b', 5, 1));
    assert.deepEqual(peers.names(), ['node b']);
    assert.deepEqual(came, ['node a', 'node b', 'node b']);
  });
});

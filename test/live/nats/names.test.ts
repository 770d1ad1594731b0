import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { TopicActivity } from '../../../src/live/nats/activity.ts';
import { decodeHeartbeat, encodeHeartbeats } from '../../../src/live/nats/heartbeat.ts';
import { createNamer, createNames, type PackedTopics } from '../../../src/live/nats/names.ts';

const head = {
  sender: 's',
  node: 'n',
  word: 'beat',
  number: 0,
  passed: 0,
  lost: 0,
  lostIn: [],
  asks: [],
} as const;

function activity(touched: readonly string[], ended: readonly string[] = [], topic = 'cars'): TopicActivity {
  return { workspace: 'w', topic, bytes: 5, touched, ended };
}

/** What is told, with the parts that a topic was told in put together. */
function joined(told: readonly TopicActivity[]): TopicActivity[] {
  const topics = new Map<string, TopicActivity>();
  for (const { topic, workspace, bytes, touched, ended } of told) {
    const before = topics.get(topic) ?? { workspace, topic, bytes: 0, touched: [], ended: [] };
    topics.set(topic, {
      workspace,
      topic,
      bytes: before.bytes + bytes,
      touched: [...before.touched, ...touched].sort(),
      ended: [...before.ended, ...ended].sort(),
    });
  }
  return [...topics.values()];
}

const sizeOf = (packed: PackedTopics) =>
  encodeHeartbeats({ ...head, ...packed }).reduce((sum, { length }) => sum + length, 0);

describe('names of active streams', () => {
  it('arrive as they were told, whatever was told before', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', '');
    const ids = fc.uniqueArray(id);
    const step = fc.record({
      touched: ids,
      ended: ids,
      topic: fc.constantFrom('cars', 'boats'),
      all: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const namer = createNamer();
        const names = createNames();
        for (const { touched, ended, topic, all } of steps) {
          const told = activity([...touched].sort(), [...ended].sort(), topic);
          const [message] = encodeHeartbeats({ ...head, ...namer.pack([told], all) });
          assert.deepEqual(joined(names.unpack('s', decodeHeartbeat(message!))), [told]);
        }
      }),
    );
  });

  it('go once: streams that are written again and again are a range', () => {
    const namer = createNamer();
    const streams = Array.from({ length: 20_000 }, (_, i) => `a-stream-with-a-name-${i}`);
    assert.ok(sizeOf(namer.pack([activity(streams)], false)) > 400_000);
    assert.ok(sizeOf(namer.pack([activity(streams)], false)) < 300);
    assert.ok(sizeOf(namer.pack([activity(streams)], true)) > 400_000);
  });

  it('go in several messages where they are many', () => {
    const names = createNames();
    const streams = Array.from({ length: 20_000 }, (_, i) => `stream ${i}`).sort();
    const messages = encodeHeartbeats({ ...head, ...createNamer().pack([activity(streams)], true) });
    assert.ok(messages.length > 1);
    const told = messages.flatMap((message, i) => {
      const beat = decodeHeartbeat(message);
      assert.equal(beat.number, i);
      return names.unpack('s', beat);
    });
    assert.deepEqual(joined(told), [activity(streams)]);
  });

  it('that a node does not know are left out until all are told anew', () => {
    const namer = createNamer();
    const late = createNames();
    namer.pack([activity(['a', 'b'])], false);
    const [missed] = late.unpack('s', namer.pack([activity(['a', 'c'])], false));
    assert.deepEqual(missed!.touched, ['c']);
    const [known] = late.unpack('s', namer.pack([activity(['a', 'b', 'c'])], true));
    assert.deepEqual(known!.touched, ['a', 'b', 'c']);
  });

  it('are no more than there are, whatever a message claims', () => {
    const topic = {
      workspace: 'w',
      topic: 't',
      bytes: 0,
      first: 0,
      names: ['a'],
      touched: [0, 2 ** 52],
      ended: [],
    };
    const [found] = createNames().unpack('s', { isAnew: true, topics: [topic] });
    assert.deepEqual(found!.touched, ['a']);
  });
});

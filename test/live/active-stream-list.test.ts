import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { StreamDescription } from '../../src/domain/definition.ts';
import { listActiveStreams } from '../../src/live/active-stream-list.ts';
import { watchedTopics } from '../../src/live/watched-topics.ts';
import { plain } from './plain.ts';

function description(streamId: string): StreamDescription {
  const stream = {
    streamId,
    name: streamId,
    topic: 't',
    createdAt: 0,
    lastUpdate: 0,
    timeOfRecording: undefined,
    dataStart: 1n,
    dataEnd: 2n,
    status: 'Open',
    metadata: {},
    parents: [],
    location: '/',
  } as const;
  return { stream, parameters: [], eventIds: [], parameterDefinitions: [], eventDefinitions: [] };
}

it('a catalogue that has to ask is asked for some streams at a time, until all that are active are known', async () => {
  const topics = watchedTopics();
  const watch = topics.begin('w', 't');
  const begin = (from: number, to: number) => {
    for (let i = from; i < to; i++) watch.active.touch(`s${i}`, 0);
  };
  begin(0, 3500);
  let asked = 0;
  let most = 0;
  const answer = listActiveStreams(
    () => topics.select('w', 't'),
    async (_watch, streamId) => {
      most = Math.max(most, ++asked);
      await new Promise(setImmediate);
      asked--;
      if (streamId === 's2000') begin(3500, 3600);
      if (streamId === 's3000') watch.active.end('s7');
      return description(streamId);
    },
  );
  const list = plain(await answer) as { streamId: string }[];
  assert.ok(most <= 1001, `${most} at one time`);
  assert.equal(list.length, 3599);
  assert.equal(new Set(list.map(({ streamId }) => streamId)).size, 3599);
});

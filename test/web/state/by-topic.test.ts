import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byTopic, ofEachTopic } from '../../../web/src/state/by-topic.ts';

const streams = [
  { topic: 'cars', streamId: 'one' },
  { topic: 'boats', streamId: 'one' },
  { topic: 'Cars', streamId: 'two' },
];

describe('streams by their topics', () => {
  it('stand together, whatever the case of the topic', () => {
    assert.deepEqual(byTopic(streams), [
      { topic: 'cars', streamIds: ['one', 'two'] },
      { topic: 'boats', streamIds: ['one'] },
    ]);
    assert.deepEqual(byTopic([]), []);
  });

  it('are asked for topic by topic', async () => {
    const asked = await ofEachTopic(streams, async ({ topic, streamIds }) =>
      streamIds.map((id) => `${topic}/${id}`),
    );
    assert.deepEqual(asked, ['cars/one', 'cars/two', 'boats/one']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentOf, isOwn, partsOf } from '../../../web/src/share/saved-content.ts';
import { emptyView, type View } from '../../../web/src/state/view-text.ts';

const shown: View = {
  ...emptyView,
  search: 'what I look for',
  topic: 'cars',
  streams: [
    { topic: 'Cars', streamId: 'a' },
    { topic: 'cars', streamId: 'b' },
  ],
  plots: [['Speed'], ['Gear']],
  range: { from: 1n, to: 9_007_199_254_740_993n },
  savedId: 'old',
  savedTag: '"tag"',
};
const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
const kept = { id: 'v', ...times, ...contentOf(shown, 'Name') };

describe('the content of a saved view', () => {
  it('is what one sees, without what one searches for', () => {
    const { search, topic, ...parts } = shown;
    const saved = { ...kept, state: kept.state };
    assert.deepEqual(partsOf(saved, false), { ...parts, savedId: '', savedTag: '' });
    assert.ok(!JSON.stringify(saved).includes(encodeURIComponent(search)));
    assert.deepEqual([saved.topic, saved.streamIds], ['Cars', ['a', 'b']]);
    assert.equal(topic, 'cars');
  });

  it('names no topic where there are two', () => {
    const streams = [...shown.streams, { topic: 'boats', streamId: 'c' }];
    const content = contentOf({ ...shown, streams }, 'Name');
    assert.deepEqual(Object.keys(content), ['name', 'state']);
  });

  it('opens of a shared view the runs that were shared', () => {
    const shared = { ...kept, state: kept.state, topic: 'cars', streamIds: ['b'] };
    assert.deepEqual(partsOf(shared, true).streams, [{ topic: 'cars', streamId: 'b' }]);
    assert.deepEqual(partsOf(shared, false).streams, shown.streams);
    const others = { ...shared, streamIds: ['c'] };
    assert.deepEqual(partsOf(others, true).streams, [{ topic: 'cars', streamId: 'c' }]);
  });

  it('opens the runs of a view that something else has written', () => {
    for (const state of [null, 7, 'text', [1], { explorer: 7 }, { plots: [] }]) {
      const foreign = { id: 'v', name: 'Name', ...times, topic: 'cars', streamIds: ['a'], state };
      assert.equal(isOwn(foreign), false);
      assert.deepEqual(partsOf(foreign, false).streams, [{ topic: 'cars', streamId: 'a' }]);
    }
  });
});

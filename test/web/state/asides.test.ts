import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedParts, isSamePicture, pictureOf } from '../../../web/src/state/asides.ts';
import { emptyView } from '../../../web/src/state/view-text.ts';

describe('what can be taken back of a view', () => {
  const other = { ...emptyView, search: 'x', topic: 'cars', panel: 'map', zone: 'local' } as const;

  it('is the picture, not what stands beside it', () => {
    assert.ok(isSamePicture(emptyView, other));
    const zoomed = { ...other, range: { from: 1n, to: 2n }, live: true };
    assert.deepEqual(changedParts(emptyView, zoomed), ['range', 'live']);
    assert.deepEqual(pictureOf(emptyView, zoomed), other);
  });

  it('comes with the saved view that it was of, as that was saved last', () => {
    const [one, two] = [
      { ...emptyView, savedId: 'one', savedTag: 'first' },
      { ...emptyView, savedId: 'two', savedTag: 'second' },
    ];
    assert.deepEqual(pictureOf(one, two), one);
    const again = { ...one, savedTag: 'later' };
    assert.deepEqual(pictureOf(one, again), again);
  });
});

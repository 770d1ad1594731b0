import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draggedShares, type Shares } from '../../../web/src/plots/strip-drag.ts';

/** Rounded, so that 0.1 and 0.2 are 0.3. */
function dragged(seen: Shares, at: number, now: number): number[] {
  return draggedShares(seen, at, 0.01)(now).map((share) => Math.round(share * 1000) / 1000);
}

describe('a drag on the strip of a run', () => {
  it('moves the window, which stays as wide as it is where the run ends', () => {
    assert.deepEqual(dragged([0.2, 0.4], 0.3, 0.5), [0.4, 0.6]);
    assert.deepEqual(dragged([0.2, 0.4], 0.3, 1.4), [0.8, 1]);
    assert.deepEqual(dragged([0.2, 0.4], 0.3, -1), [0, 0.2]);
  });

  it('brings back a window that reaches beyond the run', () => {
    assert.deepEqual(dragged([-0.2, 0.4], 0.1, 0.05), [-0.2, 0.4]);
    assert.deepEqual(dragged([-0.2, 0.4], 0.1, 0.4), [0.1, 0.7]);
  });

  it('moves an edge, also over the other one, and no further than the run goes', () => {
    assert.deepEqual(dragged([0.2, 0.4], 0.2, 0.1), [0.1, 0.4]);
    assert.deepEqual(dragged([0.2, 0.4], 0.395, 0.1), [0.1, 0.2]);
    assert.deepEqual(dragged([0.2, 0.4], 0.4, 2), [0.2, 1]);
  });

  it('draws another window beside the one that is seen, and where all is seen', () => {
    assert.deepEqual(dragged([0.2, 0.4], 0.7, 0.5), [0.5, 0.7]);
    assert.deepEqual(dragged([0, 1], 0.5, 0.6), [0.5, 0.6]);
  });
});

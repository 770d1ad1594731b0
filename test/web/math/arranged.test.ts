import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeName, withChannel, withoutChannel } from '../../../web/src/math/arranged.ts';
import { emptyView } from '../../../web/src/state/view-text.ts';

const g = { name: 'G', expression: 'derivative(Speed)', unit: 'g' };
const view = { ...emptyView, plots: [['Speed']] };

describe('channels of a view', () => {
  it('get a plot of their own', () => {
    const { math, plots } = withChannel(view, g);
    assert.deepEqual(math, [g]);
    assert.deepEqual(plots, [['Speed'], ['G']]);
  });

  it('keep their places under another name', () => {
    const before = {
      ...view,
      math: [g, { name: 'Other', expression: 'Brake', unit: '' }],
      plots: [['Speed', 'G'], ['Other']],
      heights: { G: 2, Other: 1 },
      xy: ['G', 'Speed', ''] as const,
      alignBy: 'G',
    };
    const renamed = { ...g, name: 'Long' };
    const after = withChannel(before, renamed, 'G');
    assert.deepEqual(after.math, [renamed, before.math[1]]);
    assert.deepEqual(after.plots, [['Speed', 'Long'], ['Other']]);
    assert.deepEqual(after.heights, { Long: 2, Other: 1 });
    assert.deepEqual(after.xy, ['Long', 'Speed', '']);
    assert.equal(after.alignBy, 'Long');
    const without = withoutChannel({ ...before, ...after }, 'Long');
    assert.deepEqual(
      [without.math.length, without.plots, without.xy, without.alignBy],
      [1, [['Speed'], ['Other']], ['', 'Speed', ''], ''],
    );
  });

  it('get a name that is free', () => {
    assert.equal(freeName(new Set(['Math 1', 'Math 3'])), 'Math 2');
  });
});

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
      math: [g, { name: 'Other', expression: '"G" + G * Brake', unit: '' }],
      plots: [['Speed', 'G'], ['Other']],
      heights: { G: 2, Other: 1 },
      xy: ['G', 'Speed', ''] as const,
      alignBy: 'G',
      scales: { G: [0, 1] as const },
      states: ['G'],
      histogram: 'G',
      map: ['X', 'Y', 'G'] as const,
    };
    const renamed = { ...g, name: 'Long' };
    const other = { name: 'Other', expression: 'Long + Long * Brake', unit: '' };
    const after = withChannel(before, renamed, 'G');
    assert.deepEqual(after.math, [renamed, other]);
    assert.deepEqual(after.plots, [['Speed', 'Long'], ['Other']]);
    assert.deepEqual(after.heights, { Long: 2, Other: 1 });
    assert.deepEqual(after.xy, ['Long', 'Speed', '']);
    assert.equal(after.alignBy, 'Long');
    assert.deepEqual(
      [after.scales, after.states, after.histogram, after.map],
      [{ Long: [0, 1] }, ['Long'], 'Long', ['X', 'Y', 'Long']],
    );
    const without = withoutChannel({ ...before, ...after }, 'Long');
    assert.deepEqual(
      [without.math.length, without.plots, without.xy, without.alignBy],
      [1, [['Speed'], ['Other']], ['', 'Speed', ''], ''],
    );
    assert.deepEqual(
      [without.scales, without.states, without.histogram, without.map],
      [{}, [], '', ['X', 'Y', '']],
    );
  });

  it('get a name that is free', () => {
    assert.equal(freeName(new Set(['Math 1', 'Math 3'])), 'Math 2');
  });
});

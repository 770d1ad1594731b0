import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { movedSheet, renamed, toSheet, withoutSheet, withSheet } from '../../../web/src/state/sheets.ts';
import { emptyView, formatView, parseView, type View } from '../../../web/src/state/view-text.ts';

const stream = { topic: 'cars', streamId: 'one' };
const first: View = {
  ...emptyView,
  streams: [stream],
  plots: [['Speed'], ['a,b']],
  scales: { Speed: [0, 300] },
};

describe('sheets of a view', () => {
  const after = (view: View, change: Partial<View>): View => parseView(formatView({ ...view, ...change }));

  it('begin as what is seen, and each has its own plots', () => {
    const two = after(first, withSheet(first));
    assert.deepEqual(
      two.sheets.map(({ name }) => name),
      ['Sheet 1', 'Sheet 2'],
    );
    assert.equal(two.sheet, 1);
    assert.deepEqual(two.plots, first.plots);
    const changed = { ...two, plots: [['Oil']], range: { from: 1n, to: 2n }, beside: ['report' as const] };
    const back = after(changed, toSheet(changed, 0));
    assert.deepEqual([back.plots, back.scales, back.beside], [first.plots, first.scales, []]);
    // What is looked at is the same on all.
    assert.deepEqual(back.range, changed.range);
    const again = after(back, toSheet(back, 1));
    assert.deepEqual([again.plots, again.beside], [[['Oil']], ['report']]);
  });

  it('are named, moved and removed, and the last one is none', () => {
    let view = after(first, withSheet(first));
    view = after({ ...view, plots: [['Oil']] }, renamed(view, 1, 'Engine, hot'));
    view = after(view, movedSheet(view, 1, -1));
    assert.deepEqual(
      view.sheets.map(({ name }) => name),
      ['Engine, hot', 'Sheet 1'],
    );
    assert.deepEqual([view.sheet, view.plots], [0, [['Oil']]]);
    assert.deepEqual(movedSheet(view, 0, -1), {});
    // The one that is shown goes: its neighbour comes.
    const left = after(view, withoutSheet(view, 0));
    assert.deepEqual([left.sheets, left.sheet, left.plots], [[], 0, first.plots]);
    assert.deepEqual(toSheet(view, 7), {});
  });

  it('before the one that is shown go without it', () => {
    let view = after(first, withSheet(first));
    view = after(view, withSheet(view));
    view = after({ ...view, plots: [['Third']] }, {});
    view = after(view, withoutSheet(view, 0));
    assert.deepEqual([view.sheet, view.plots, view.sheets.length], [1, [['Third']], 2]);
  });
});

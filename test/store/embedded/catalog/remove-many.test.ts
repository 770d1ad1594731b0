import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetRemoved } from '../../../../src/store/embedded/catalog/catalog-changes.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Change } from '../../../../src/store/store.ts';
import { whole } from '../../../../src/turns/steps.ts';
import { catalogView } from '../catalog-view.ts';
import { commit, commitStreamsChange } from '../log-scratch.ts';
import { rowsOf } from '../rows.ts';

const count = 300;

function written(streamId: string, time = 1n): Change {
  return { type: 'rows', topic: 't', streamId, rows: [rowsOf([{ time, cells: { speed: 1 } }])] };
}

describe('a removal of very many streams', () => {
  it('is seen at once, before all of them are forgotten, and gives their ids to others', () => {
    const state = catalogState();
    const view = catalogView(state, 1e9);
    const ids = Array.from({ length: count }, (_, i) => `s${i}`);
    commit(state, 1, [...ids.map((id) => written(id)), written('kept')].slice(0, -1));
    commit(state, 1, [{ ...written('kept'), topic: 'other' } as Change]);
    commitStreamsChange(state, {
      workspace: 'default',
      action: 'hardDelete',
      filter: { topic: 't' },
      now: 2,
    });
    assert.equal(state.removed.length, 1);
    const shown = () =>
      view.streams('default', {}, 3).map(({ streamId, dataStart }) => [streamId, dataStart]);
    assert.deepEqual(shown(), [['kept', 1n]]);
    assert.equal(view.hasStream('default', 't', 's1'), false);
    assert.equal(view.describe('default', 't', 's1', 3), undefined);
    commit(state, 3, [written('s1', 9n)]);
    assert.deepEqual(shown().sort(), [
      ['kept', 1n],
      ['s1', 9n],
    ]);
    whole(forgetRemoved(state));
    assert.equal(state.removed.length, 0);
    assert.deepEqual(shown().sort(), [
      ['kept', 1n],
      ['s1', 9n],
    ]);
    commit(state, 4, [written('s2', 8n), written('s1', 10n)]);
    assert.deepEqual(shown().sort(), [
      ['kept', 1n],
      ['s1', 9n],
      ['s2', 8n],
    ]);
    assert.equal(state.streams.visibleIn(state.topicsByName.get('default')!.get('t')!.number), 2);
    const speed = state.parameters.findIndex((parameter) => parameter?.name === 'speed');
    commitStreamsChange(state, { workspace: 'default', action: 'hardDelete', filter: {}, now: 5 });
    assert.equal(state.sets.uses(speed), 0);
  });

  it('does not hurt a workspace that goes before they are forgotten', () => {
    const state = catalogState();
    const ids = Array.from({ length: count }, (_, i) => `s${i}`);
    commit(
      state,
      1,
      ids.map((id) => written(id)),
    );
    commit(state, 1, [written('a')], 'w');
    commitStreamsChange(state, { workspace: 'default', action: 'hardDelete', filter: {}, now: 2 });
    commit(state, 3, [{ type: 'removeWorkspace', name: 'default' }]);
    whole(forgetRemoved(state));
    const speed = state.parameters.findIndex((parameter) => parameter?.name === 'speed');
    assert.equal(state.sets.uses(speed), 1, 'the set of the other workspace');
  });
});

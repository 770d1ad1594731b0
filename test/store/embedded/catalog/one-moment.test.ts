import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { ofOneMoment } from '../../../../src/store/embedded/catalog/one-moment.ts';
import type { Change } from '../../../../src/store/store.ts';
import { type Steps, whole } from '../../../../src/turns/steps.ts';
import { commit, commitStreamsChange } from '../log-scratch.ts';

/** Rests after each step. */
const restless = () => new Promise<void>((resolve) => setImmediate(resolve));

function catalogueOf(...ids: string[]) {
  const state = catalogState();
  const open = (streamId: string): Change => ({ type: 'stream', topic: 't', streamId });
  commit(state, 1, ids.map(open));
  const isShown = (id: string) => {
    const stream = state.topicsByName.get('default')!.get('t')!.streams.get(id)!;
    return state.streams.isVisible(stream) && state.streams.rows.softDeleted[stream] !== true;
  };
  /** Looks at one stream in each step. */
  function* shown(): Steps<string[]> {
    const found: string[] = [];
    for (const id of ids) {
      if (isShown(id)) found.push(id);
      yield;
    }
    return found;
  }
  const change = (action: 'softDelete' | 'restore' | 'hardDelete') =>
    commitStreamsChange(state, { workspace: 'default', action, filter: {}, now: 2 });
  return { state, shown, change, write: (id: string) => commit(state, 3, [open(id)]) };
}

describe('steps of one moment', () => {
  it('have an answer at once where they do not rest', () => {
    const { state, shown } = catalogueOf('a', 'b');
    assert.deepEqual(
      ofOneMoment(state, shown, () => undefined),
      whole(shown()),
    );
  });

  for (const action of ['softDelete', 'hardDelete'] as const) {
    it(`see nothing or all of a ${action} that comes between`, async () => {
      const { state, shown, change } = catalogueOf('a', 'b', 'c');
      const looking = ofOneMoment(state, shown, restless);
      await restless();
      change(action);
      assert.deepEqual(await looking, []);
    });
  }

  it('see all that a restore between them, or a write to a deleted stream, brings back', async () => {
    const { state, shown, change, write } = catalogueOf('a', 'b');
    change('softDelete');
    let looking = ofOneMoment(state, shown, restless);
    await restless();
    write('a');
    assert.deepEqual(await looking, ['a']);
    looking = ofOneMoment(state, shown, restless);
    await restless();
    change('restore');
    assert.deepEqual(await looking, ['a', 'b']);
  });

  it('come to an end though every rest brings a delete or a restore', async () => {
    const { state, shown, change } = catalogueOf('a', 'b', 'c');
    let isOn = true;
    let changes = 0;
    const busy = (async () => {
      while (isOn) {
        change(changes++ % 2 === 0 ? 'softDelete' : 'restore');
        await restless();
      }
    })();
    const found = await ofOneMoment(state, shown, restless);
    isOn = false;
    await busy;
    assert.ok(found.length === 0 || found.length === 3);
    assert.ok(changes > 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ordering } from '../../../../src/domain/query.ts';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Change } from '../../../../src/store/store.ts';
import { catalogView } from '../catalog-view.ts';
import { commit } from '../log-scratch.ts';
import { seededRandom } from '../random.ts';
import { rowsOf } from '../rows.ts';

/** Streams of which many are equal in what they are ordered by. */
function randomCatalogue(seed: number, count: number) {
  const random = seededRandom(seed);
  const state = catalogState();
  for (let i = 0; i < count; i++) {
    const topic = random.pick(['t', 'u']);
    const streamId = `s${random.int(0, 2 * count)}`;
    const name = random.chance(0.5) ? random.pick(['x', 'y', 'z']) : undefined;
    const metadata = random.chance(0.5) ? { lap: String(random.int(0, 5)) } : {};
    const rows = rowsOf([{ time: BigInt(random.int(-3, 3)), cells: { speed: 1 } }]);
    const changes: Change[] = [
      { type: 'stream', topic, streamId, properties: { metadata, ...(name !== undefined && { name }) } },
    ];
    if (random.chance(0.7)) changes.push({ type: 'rows', topic, streamId, rows: [rows] });
    commit(state, 1000 + random.int(0, 20), changes);
  }
  return { view: catalogView(state, 1e9), random };
}

describe('pages of streams', () => {
  it('are cut from the order of all, whatever it is', () => {
    const orderings = ['createdAt', 'lastUpdate', 'name', 'topic', 'dataStart', 'metadata.lap', 'status'];
    for (let seed = 1; seed <= 20; seed++) {
      const { view, random } = randomCatalogue(seed, 120);
      const ordering = Array.from({ length: random.int(0, 2) }, (): Ordering => {
        return { by: random.pick(orderings), direction: random.pick(['Asc', 'Desc'] as const) };
      });
      const filter = ordering.length === 0 ? {} : { ordering };
      const all = view.streams('default', filter, 2000);
      const models = view.streamModels('default', filter, 2000).map(({ stream }) => stream);
      assert.deepEqual(models, all);
      const length = random.int(1, 30);
      for (let index = 0; index * length <= all.length; index++) {
        const paging = { index, length };
        const expected = all.slice(index * length, (index + 1) * length);
        assert.deepEqual(view.streams('default', { ...filter, paging }, 2000), expected);
        const page = view.streamModels('default', { ...filter, paging }, 2000);
        assert.deepEqual(
          page.map(({ stream }) => stream),
          expected,
        );
      }
    }
  });

  it('far back come from a sorted list, and have the same order', () => {
    const { view } = randomCatalogue(1, 60);
    const all = view.streams('default', {}, 2000);
    const paging = { index: 0, length: 5000 };
    assert.deepEqual(view.streams('default', { paging }, 2000), all);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadCatalog, saveCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { type CatalogState, catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Manifest } from '../../../../src/store/embedded/manifest/manifest.ts';
import type { Change } from '../../../../src/store/store.ts';
import { cases } from '../../../extent.ts';
import { catalogView } from '../catalog-view.ts';
import { commit, type ScratchRecord } from '../log-scratch.ts';
import { memoryManifest } from '../memory-manifest.ts';

function loaded(manifest: Manifest): CatalogState {
  const state = catalogState();
  loadCatalog(state, manifest);
  return state;
}

const define = (streamId: string, id: string, name: string): Change => ({
  type: 'parameterDefinitions',
  topic: 'cars',
  streamId,
  definitions: [{ id, name }],
});

function definitionsOf(state: CatalogState, streamId: string) {
  return catalogView(state, 1e9).describe('w', 'cars', streamId, 0)?.parameterDefinitions ?? [];
}

describe('lists of definitions in the manifest', () => {
  it('are all there after a stop at any change of any flush, once the log is replayed', async () => {
    const change = fc
      .tuple(fc.constantFrom('s1', 's2', 's3'), fc.constantFrom('p', 'q'), fc.constantFrom('x', 'y', 'z'))
      .map((parts) => define(...parts));
    const step = fc.record({ changes: fc.array(change, { maxLength: 4 }), cut: fc.option(fc.nat(8)) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const manifest = memoryManifest();
        let state = catalogState();
        /** What the log has beyond the last flush that ended. */
        let log: ScratchRecord[] = [];
        const model = new Map<string, Map<string, string>>();
        for (const { changes, cut } of steps) {
          for (const one of changes) {
            assert.ok(one.type === 'parameterDefinitions');
            log.push(commit(state, 1, [one], 'w'));
            const own = model.get(one.streamId) ?? new Map<string, string>();
            for (const { id, name } of one.definitions) own.set(id, name!);
            model.set(one.streamId, own);
          }
          manifest.changesLeft = cut ?? Number.POSITIVE_INFINITY;
          const saved = await saveCatalog(state, manifest).then(
            () => true,
            () => false,
          );
          manifest.changesLeft = Number.POSITIVE_INFINITY;
          if (saved) log = [];
          state = loaded(manifest);
          for (const record of log) record.applyTo(state);
          for (const [streamId, own] of model) {
            const expected = [...own]
              .map(([id, name]) => ({ id, name }))
              .sort((a, b) => (a.id < b.id ? -1 : 1));
            assert.deepEqual(definitionsOf(state, streamId), expected);
          }
        }
        await saveCatalog(state, manifest);
        const named = new Set([...model.keys()].map((id) => JSON.stringify(definitionsOf(state, id))));
        assert.equal(manifest.tables.get('parameterDefinitions')!.size, named.size, 'no list is left over');
      }),
      { numRuns: cases(300) },
    );
  });

  it('are there before a stream that changes in the middle of a flush', async () => {
    const manifest = memoryManifest();
    const state = catalogState();
    const streams = Array.from({ length: 4100 }, (_, i) => `s${i}`);
    commit(
      state,
      1,
      streams.map((streamId) => define(streamId, 'p', 'first')),
      'w',
    );
    await saveCatalog(state, manifest);
    commit(
      state,
      2,
      streams.map((streamId): Change => ({ type: 'stream', topic: 'cars', streamId })),
      'w',
    );
    let transactions = 0;
    manifest.before = () => {
      if (++transactions === 1) commit(state, 3, [define('s4099', 'q', 'second')], 'w');
    };
    await saveCatalog(state, manifest);
    assert.ok(transactions > 1);
    assert.deepEqual(definitionsOf(loaded(manifest), 's4099'), [
      { id: 'p', name: 'first' },
      { id: 'q', name: 'second' },
    ]);
    assert.equal(manifest.tables.get('parameterDefinitions')!.size, 2);
  });

  it('are named by entries of the same moment, wherever a flush is cut into transactions', async () => {
    const event = (id: string): Change => ({
      type: 'eventDefinitions',
      topic: 'cars',
      streamId: 'a',
      definitions: [{ id }],
    });
    // So many before the stream that transactions end between its lists and its entry, too.
    for (let before = 1985; before <= 2000; before++) {
      const manifest = memoryManifest();
      const state = catalogState();
      const others = Array.from({ length: before }, (_, i): Change => {
        return { type: 'stream', topic: 'cars', streamId: `s${i}` };
      });
      commit(state, 1, [...others, define('a', 'p', 'first'), event('pit')], 'w');
      let log: ScratchRecord | undefined;
      manifest.before = () => {
        log ??= commit(state, 2, [define('a', 'q', 'second'), event('crash')], 'w');
      };
      await saveCatalog(state, manifest);
      const found = loaded(manifest);
      log!.applyTo(found);
      const { parameterDefinitions, eventDefinitions } = catalogView(found, 0).describe('w', 'cars', 'a', 0)!;
      const ids = [...parameterDefinitions, ...eventDefinitions].map(({ id }) => id);
      assert.deepEqual(ids, ['p', 'q', 'crash', 'pit'], `${before} streams before`);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { type CatalogState, catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { forgetParameters } from '../../../../src/store/embedded/catalog/unused-parameters.ts';
import { readManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { commit, commitStreamsChange, scratchRecord } from '../log-scratch.ts';
import { readRows } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const rows = (streamId: string, ...names: string[]): Change => ({
  type: 'rows',
  topic: 't',
  streamId,
  rows: [rowsOf([{ time: 1n, cells: Object.fromEntries(names.map((name) => [name, 1])) }])],
});

const removal = (...streamIds: string[]) =>
  ({ workspace: 'default', action: 'hardDelete', filter: { streamIds }, now: 0 }) as const;

function namesOf(state: CatalogState): string[] {
  return [...state.parametersByName[Kind.Numeric].keys()].sort();
}

/** Two flushes, the second of all that was drafted when the first one was. */
function flushTwice(state: CatalogState): void {
  forgetParameters(state, 0, 10);
  forgetParameters(state, 10, 10);
}

describe('names of parameters', () => {
  it('go when the last stream that had them is gone', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'both', 'alone'), rows('b', 'both')]);
    flushTwice(state);
    assert.deepEqual(namesOf(state), ['alone', 'both']);
    commitStreamsChange(state, removal('a'));
    flushTwice(state);
    assert.deepEqual(namesOf(state), ['both']);
    commitStreamsChange(state, removal('b'));
    flushTwice(state);
    assert.deepEqual(namesOf(state), []);
  });

  it('go with their workspace', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p', 'q')], 'w');
    commit(state, 2, [rows('a', 'q')], 'v');
    commit(state, 3, [{ type: 'removeWorkspace', name: 'w' }], 'w');
    flushTwice(state);
    assert.deepEqual(namesOf(state), ['q']);
  });

  it('go where the record that brought them was never made', () => {
    const state = catalogState();
    scratchRecord(state, { workspace: 'default', changes: [rows('a', 'p')] }, 1);
    assert.deepEqual(namesOf(state), ['p']);
    flushTwice(state);
    assert.deepEqual(namesOf(state), []);
  });

  it('stay for a record that is on its way', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p')]);
    commitStreamsChange(state, removal('a'));
    forgetParameters(state, 0, 10);
    const record = scratchRecord(state, { workspace: 'default', changes: [rows('a', 'p')] }, 2);
    forgetParameters(state, 10, 11);
    assert.deepEqual(namesOf(state), ['p']);
    record.applyTo(state);
    forgetParameters(state, 11, 11);
    assert.deepEqual(namesOf(state), ['p']);
  });

  it('stay for records that were drafted before, until these are in parts', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p')]);
    commitStreamsChange(state, removal('a'));
    forgetParameters(state, 5, 10);
    forgetParameters(state, 9, 12);
    assert.deepEqual(namesOf(state), ['p']);
    forgetParameters(state, 10, 12);
    assert.deepEqual(namesOf(state), []);
  });

  it('stay where a damaged catalogue may hide streams that have them', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p')]);
    commitStreamsChange(state, removal('a'));
    state.unreadable.add(7);
    flushTwice(state);
    assert.deepEqual(namesOf(state), ['p']);
  });

  it('get another number when they come again', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p')]);
    const before = state.parametersByName[Kind.Numeric].get('p')!.number;
    commitStreamsChange(state, removal('a'));
    flushTwice(state);
    commit(state, 3, [rows('a', 'p')]);
    assert.ok(state.parametersByName[Kind.Numeric].get('p')!.number > before);
  });

  it('are told to the manifest until it has taken that', () => {
    const state = catalogState();
    commit(state, 1, [rows('a', 'p')]);
    const parameter = state.parametersByName[Kind.Numeric].get('p')!;
    parameter.persisted = true;
    commitStreamsChange(state, removal('a'));
    forgetParameters(state, 0, 10);
    const { changes } = forgetParameters(state, 10, 10);
    assert.deepEqual(changes, [{ table: 'parameters', key: parameter.number, value: undefined }]);
    const again = forgetParameters(state, 11, 11);
    assert.deepEqual(again.changes, changes);
    again.done();
    assert.deepEqual(forgetParameters(state, 12, 12).changes, []);
  });
});

const folder = storeFolder('unused-parameters');

describe('names of parameters in a store', () => {
  const many = (first: number) => rows('many', ...Array.from({ length: 100 }, (_, i) => `p${first + i}`));

  /** Makes parts of all that is written. */
  async function flush(store: EmbeddedStore): Promise<void> {
    const filler = Array.from({ length: 1200 }, (_, i) => ({
      time: BigInt(i),
      cells: { filler: Math.sin(i) },
    }));
    for (let i = 0; i < 6; i++)
      await store.append({
        workspace: 'default',
        changes: [{ type: 'rows', topic: 't', streamId: 'filler', rows: [rowsOf(filler)] }],
      });
    await until(() => store.health().headBytes <= 64 * 1024);
  }

  async function value(store: EmbeddedStore, name: string): Promise<unknown[]> {
    const plan = {
      workspace: 'default',
      streamIds: ['many'],
      topic: undefined,
      from: minTimestamp,
      to: maxTimestamp,
      parameters: [{ kind: Kind.Numeric, name }],
      tagFilters: [],
      order: 'Asc',
      limit: undefined,
      after: undefined,
    } as const;
    return (await readRows(store, plan)).map(({ cells }) => cells[0]);
  }

  it('leave the disk, and what is written under them later is read after every start', async () => {
    let store = await folder.open();
    for (let round = 0; round < 5; round++) {
      await store.append({ workspace: 'default', changes: [many(100 * round), rows('many', 'again')] });
      await flush(store);
      await store.changeStreams({ ...removal('many'), now: folder.now });
      await flush(store);
      await flush(store);
      assert.deepEqual(await value(store, 'again'), []);
    }
    await store.append({ workspace: 'default', changes: [rows('many', 'again')] });
    assert.deepEqual(await value(store, 'again'), [1]);
    store = await folder.reopen(store);
    assert.deepEqual(await value(store, 'again'), [1]);
    await flush(store);
    assert.deepEqual(await value(store, 'again'), [1]);
    store = await folder.reopen(store);
    assert.deepEqual(await value(store, 'again'), [1]);
    await folder.close(store);
    const manifest = await readManifest(`${folder.directory}/catalog`);
    const kept = [...manifest.entries('parameters')].length;
    manifest.close();
    // The last 100 and those of the other streams; 500 were written.
    assert.ok(kept < 110, String(kept));
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { loadCatalog, saveCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { type CatalogState, catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Manifest } from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import type { Change } from '../../../../src/store/store.ts';
import { catalogView } from '../catalog-view.ts';
import { commit } from '../log-scratch.ts';
import { rowsOf } from '../rows.ts';

let directory: string;
let manifest: Manifest;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pitwall-catalog-'));
  manifest = await openManifest(directory);
});
afterEach(async () => {
  await manifest.close();
  rmSync(directory, { recursive: true });
});

const rowsOfStream = (streamId: string, time: bigint, cell: number | string = 1, topic = 'cars'): Change => ({
  type: 'rows',
  topic,
  streamId,
  rows: [rowsOf([{ time, cells: { speed: cell } }])],
});

/** What is expired depends on the time, which must be the same for two looks. */
const stillClock = (): number => 1_700_000_000_000;

function loaded(): CatalogState {
  const state = catalogState(stillClock);
  loadCatalog(state, manifest);
  return state;
}

/** All that the service can see, and the numbers behind the names, which rows in parts go by. */
function seen(state: CatalogState) {
  const view = catalogView(state, 1e9);
  return {
    tokens: new Map(view.tokens().map((token) => [token.id, token])),
    workspaces: new Map(view.workspaces().map((workspace) => [workspace.name, workspace])),
    streams: view.workspaces().flatMap(({ name }) =>
      view.streams(name, {}, 0).map((stream) => {
        const topic = state.topicsByName.get(name)!.get(stream.topic.toLowerCase())!;
        const number = topic.streams.get(stream.streamId)!;
        const parameters = state.sets
          .members(state.streams.rows.parameters[number]!)
          .map((parameter) => [
            parameter,
            state.parameters[parameter]?.kind,
            state.parameters[parameter]?.name,
          ]);
        return { name, number, topic: topic.number, parameters, stream };
      }),
    ),
  };
}

describe('the catalogue in the manifest', () => {
  it('comes back as it was saved', async () => {
    const state = catalogState(stillClock);
    const workspace = { name: 'w', createdAt: 3, retention: 2n ** 62n, maxStreams: 5 };
    const token = { id: 'i', hash: 'h', workspace: 'w', scopes: ['read', 'write'] as const, createdAt: 4 };
    commit(state, 10, [
      { type: 'workspace', workspace },
      { type: 'token', token },
    ]);
    commit(
      state,
      11,
      [rowsOfStream('a', -(2n ** 63n)), rowsOfStream('a', 2n ** 63n - 1n, 'text'), rowsOfStream('b', 0n)],
      'w',
    );
    const properties = {
      name: 'N',
      location: '/l',
      metadata: { __proto__x: 'y' },
      parents: ['p'],
      timeOfRecording: 9,
    };
    commit(state, 12, [{ type: 'stream', topic: 'CARS', streamId: 'a', properties }], 'w');
    commit(state, 13, [{ type: 'close', topic: 'cars', streamId: 'b', endType: 'Terminated' }], 'w');
    await saveCatalog(state, manifest);
    assert.deepEqual(seen(loaded()), seen(state));
    assert.equal(seen(state).streams.length, 2);
  });

  it('is written again only where it changed, and keeps what came while it was written', async () => {
    const state = catalogState(stillClock);
    commit(state, 10, [rowsOfStream('a', 1n), rowsOfStream('b', 1n)]);
    await saveCatalog(state, manifest);
    const written: string[] = [];
    const watched: Manifest = {
      ...manifest,
      async commit(changes) {
        written.push(...changes.map(({ table, key }) => `${table}/${key}`));
        commit(state, 12, [rowsOfStream('c', 1n)]);
        await manifest.commit(changes);
      },
    };
    commit(state, 11, [rowsOfStream('b', 2n)]);
    await saveCatalog(state, watched);
    assert.deepEqual(
      written.filter((entry) => !entry.startsWith('meta/')),
      ['streams/2'],
    );
    await saveCatalog(state, manifest);
    assert.deepEqual(seen(loaded()), seen(state));
    assert.equal(seen(state).streams.length, 3);
  });

  it('is written a megabyte at a time at most, whatever has the most of it', async () => {
    const state = catalogState(stillClock);
    const text = 'x'.repeat(10_000);
    const streams = Array.from({ length: 300 }, (_, i) => `s${i}`);
    const changes = (streamId: string): Change[] => [
      { type: 'stream', topic: 'cars', streamId, properties: { metadata: { text } } },
      {
        type: 'parameterDefinitions',
        topic: 'cars',
        streamId,
        definitions: [{ id: streamId, description: text }],
      },
      {
        type: 'eventDefinitions',
        topic: 'cars',
        streamId,
        definitions: [{ id: streamId, description: text }],
      },
      { type: 'keep', kind: 'view', topic: undefined, id: streamId, body: text },
    ];
    commit(state, 10, streams.flatMap(changes));
    const sizes: number[] = [];
    const watched: Manifest = {
      ...manifest,
      async commit(written) {
        sizes.push(
          written.reduce((sum, { value }) => sum + inspect(value, { maxStringLength: null }).length, 0),
        );
        await manifest.commit(written);
      },
    };
    await saveCatalog(state, watched);
    assert.ok(Math.max(...sizes) < 1_000_000, sizes.join());
    assert.deepEqual(seen(loaded()), seen(state));
  });

  it('keeps what it could not write for the next time', async () => {
    const state = catalogState(stillClock);
    commit(state, 10, [rowsOfStream('a', 1n), { type: 'workspace', workspace: { name: 'w', createdAt: 1 } }]);
    const full: Manifest = { ...manifest, commit: () => Promise.reject(new Error('full')) };
    await assert.rejects(saveCatalog(state, full), /full/);
    await saveCatalog(state, manifest);
    assert.deepEqual(seen(loaded()), seen(state));
  });

  it('lets records leave out only what it holds', async () => {
    const state = catalogState(stillClock);
    commit(state, 10, [rowsOfStream('a', 1n)]);
    await saveCatalog(state, manifest);
    const fresh = loaded();
    // Known things by number, new ones with all that a start without them needs.
    for (const change of [
      rowsOfStream('a', 2n, 'text'),
      rowsOfStream('c', 3n),
      rowsOfStream('c', 4n, 1, 'Bikes'),
    ]) {
      const record = commit(state, 11, [change]);
      record.applyTo(fresh);
    }
    assert.deepEqual(seen(fresh), seen(state));
  });

  it('never gives a number twice, though its holder is gone', async () => {
    const state = catalogState(stillClock);
    commit(state, 10, [rowsOfStream('a', 1n)], 'w');
    commit(state, 11, [{ type: 'removeWorkspace', name: 'w' }]);
    await saveCatalog(state, manifest);
    const fresh = loaded();
    commit(fresh, 12, [rowsOfStream('a', 1n)], 'w');
    assert.deepEqual(
      seen(fresh).streams.map(({ number, topic }) => [number, topic]),
      [[2, 2]],
    );
  });

  it('may be newer than the records that are replayed over it', async () => {
    const history: (readonly [workspace: string, ...changes: Change[]])[] = [
      ['w', rowsOfStream('a', 1n), rowsOfStream('b', 2n, 1, 'Bikes')],
      ['w', { type: 'close', topic: 'cars', streamId: 'a', endType: 'Closed' }],
      ['default', { type: 'removeWorkspace', name: 'w' }],
      ['w', rowsOfStream('a', 3n)],
      ['w', { type: 'stream', topic: 'cars', streamId: 'a', properties: { name: 'again' } }],
      ['w', rowsOfStream('c', 4n, 'text', 'new')],
      ['default', { type: 'revokeToken', id: 'i' }],
      ['w', { type: 'close', topic: 'new', streamId: 'c', endType: 'Aborted' }],
    ];
    // Saved after each record in turn, then all of them again, and more that the saved numbers are enough for.
    for (let saved = 0; saved <= history.length; saved++) {
      await manifest.close();
      rmSync(directory, { recursive: true });
      mkdirSync(directory);
      manifest = await openManifest(directory);
      const state = catalogState(stillClock);
      const token = { id: 'i', hash: 'h', workspace: 'default', scopes: ['read'] as const, createdAt: 4 };
      const records = [commit(state, 1, [{ type: 'token', token }])];
      for (const [i, [workspace, ...changes]] of history.entries()) {
        if (i === saved) await saveCatalog(state, manifest);
        records.push(commit(state, 10 + i, changes, workspace));
      }
      if (saved === history.length) await saveCatalog(state, manifest);
      records.push(commit(state, 30, [rowsOfStream('a', 9n)], 'w'));
      const fresh = loaded();
      for (const record of records) record.applyTo(fresh);
      assert.deepEqual(seen(fresh), seen(state), `saved after ${saved} records`);
      await saveCatalog(fresh, manifest);
      assert.deepEqual(seen(loaded()), seen(state), `saved after ${saved} records, and once more`);
    }
  });

  it('takes none of the numbers of lost entries for something else', async () => {
    const state = catalogState(stillClock);
    commit(state, 10, [rowsOfStream('a', 1n), rowsOfStream('b', 1n, 'text')]);
    await saveCatalog(state, manifest);
    await manifest.commit([
      { table: 'parameters', key: 2, value: undefined },
      { table: 'streams', key: 1, value: undefined },
      { table: 'meta', key: 'damage', value: { told: ['lost'], settled: false } },
    ]);
    const fresh = loaded();
    assert.deepEqual([...fresh.unreadable], [1]);
    commit(fresh, 12, [rowsOfStream('a', 5n, 'text')]);
    const { number, parameters } = seen(fresh).streams.find(({ stream }) => stream.streamId === 'a')!;
    assert.deepEqual([number, parameters], [3, [[3, Kind.String, 'speed']]]);
  });
});

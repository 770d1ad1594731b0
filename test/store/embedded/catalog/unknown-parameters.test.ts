import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import {
  catalogState,
  reserveParameter,
  reserveStream,
  reserveTopic,
} from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { unknownParameters } from '../../../../src/store/embedded/catalog/unknown-parameters.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Cell } from '../rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('unknown-parameters');

async function write(
  store: EmbeddedStore,
  streamId: string,
  cells: Readonly<Record<string, Cell>>,
  workspace = 'w',
): Promise<void> {
  const rows = [rowsOf([{ time: 1n, cells }])];
  await store.append({ workspace, changes: [{ type: 'rows', topic: 't', streamId, rows }] });
}

const numeric = (name: string) => ({ kind: Kind.Numeric, name });

describe('the parameters that no selected stream has', () => {
  it('come with the nearest that one of them has', async () => {
    const store = await folder.open();
    await write(store, 'a', { Speed: 1, Throttle: 1 });
    await write(store, 'b', { Brake: 1, Note: 'x' });
    await write(store, 'secret', { Sped: 1 }, 'another workspace');
    const unknown = (streamIds: readonly string[] | undefined, ...names: readonly string[]) =>
      store.catalog.unknownParameters('w', { streamIds, topic: undefined }, names.map(numeric));
    assert.deepEqual(await unknown(undefined, 'Speed', 'Brake'), []);
    assert.deepEqual(await unknown(undefined, 'Sped', 'Speed'), [
      { key: numeric('Sped'), nearest: numeric('Speed') },
    ]);
    assert.deepEqual(await unknown(['b'], 'Speed'), [{ key: numeric('Speed'), nearest: undefined }]);
    assert.deepEqual(await unknown(['b'], 'note'), [
      { key: numeric('note'), nearest: { kind: Kind.String, name: 'Note' } },
    ]);
    assert.deepEqual(await unknown(['nobody'], 'Speed'), [{ key: numeric('Speed'), nearest: undefined }]);
    assert.deepEqual(await unknown(undefined), []);
  });

  it('are none of those that are only defined', async () => {
    const store = await folder.open();
    await write(store, 'a', { Speed: 1 });
    await store.append({
      workspace: 'w',
      changes: [
        {
          type: 'parameterDefinitions',
          topic: 't',
          streamId: 'a',
          definitions: [{ id: 'later', unit: 'm' }],
        },
      ],
    });
    const everything = { streamIds: undefined, topic: undefined };
    assert.deepEqual(await store.catalog.unknownParameters('w', everything, [numeric('later')]), []);
  });

  it('are told a few of, whatever many are asked for', async () => {
    const store = await folder.open();
    await write(store, 'a', { Speed: 1 });
    const keys = Array.from({ length: 1000 }, (_, i) => numeric(`p${i}`));
    const everything = { streamIds: undefined, topic: undefined };
    const found = await store.catalog.unknownParameters('w', everything, keys);
    assert.deepEqual(
      found.map(({ key }) => key.name),
      ['p0', 'p1', 'p2', 'p3'],
    );
  });

  it('are compared with 100,000 names in steps of a few', () => {
    const state = catalogState();
    reserveStream(state, reserveTopic(state, 'w', 't'), 'a');
    let reads = 0;
    for (let i = 0; i < 100_000; i++) {
      // Of one length, and alike: each is compared letter by letter for as long as any is.
      const name = `${'x'.repeat(57)}${100_000 + i}`;
      const parameter = reserveParameter(state, Kind.Numeric, name);
      Object.defineProperty(parameter, 'name', {
        get() {
          reads++;
          return name;
        },
      });
    }
    const everything = { streamIds: undefined, topic: undefined };
    const steps = unknownParameters(state, 'w', everything, [numeric('x'.repeat(63))]);
    let most = 0;
    let all = 0;
    for (let isDone = false; !isDone; ) {
      reads = 0;
      isDone = steps.next().done === true;
      most = Math.max(most, reads);
      all += reads;
    }
    assert.equal(all, 100_000);
    assert.ok(most <= 64, `${most} names in one step`);
  });
});

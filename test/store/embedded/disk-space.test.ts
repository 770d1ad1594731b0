import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { until } from '../../until.ts';
import { listed } from './listed.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('disk-space');
const mebibyte = 1 << 20;
const large = { headBytes: 128 * mebibyte, slabBytes: 16 * mebibyte };

/** The files of the log, each as its kind and its size; without the small reserve, which is there from the first row on. */
function log(): string[] {
  const path = join(folder.directory, 'log');
  const names = readdirSync(path).filter((name) => name !== 'reserve.log');
  return names.map((name) => `${name.split('-')[0]} ${statSync(join(path, name)).size}`);
}

function write(store: EmbeddedStore, streamId: string, count = 1): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({ time: BigInt(i), cells: { speed: Math.sin(i) } }));
  return store.append({
    workspace: 'default',
    changes: [{ type: 'rows', topic: 'cars', streamId, rows: [rowsOf(rows)] }],
  });
}

const ids = (store: EmbeddedStore) =>
  listed(store.catalog.streams('default', {}, folder.now)).map(({ streamId }) => streamId);

describe('the disk that the log takes', () => {
  it('is small after a first row', async () => {
    const store = await folder.open(large);
    assert.deepEqual(log(), []);
    await write(store, 'a');
    assert.deepEqual(log(), [`segment ${mebibyte}`]);
  });

  it('is one small spare after a time without writes, and all rows are in parts', async () => {
    const store = await folder.open({ ...large, quietMs: 500, restMs: 2000 });
    for (let i = 0; i < 20; i++) await write(store, `s${i}`, 20_000);
    // The first segment may wait to be sealed still.
    assert.ok(
      log().some((file) => file !== `segment ${mebibyte}`),
      log().join(),
    );
    await until(() => log().every((file) => file === `spare ${mebibyte}`) && log().length <= 1);
    assert.equal(store.health().headBytes, 0);
    await write(store, 'later');
    assert.equal(ids(store).length, 21);
  });

  it('is at most one small spare after a stop', async () => {
    const store = await folder.open({ ...large, sealOnCloseMs: 60_000 });
    for (let i = 0; i < 20; i++) await write(store, `s${i}`, 20_000);
    await folder.close(store);
    assert.ok(log().length <= 1 && log().every((file) => file === `spare ${mebibyte}`), log().join());
    const again = await folder.open(large);
    assert.equal(again.health().headBytes, 0);
    assert.equal(ids(again).length, 20);
  });

  it('stays where a stop has no time to seal, and nothing is lost', async () => {
    // The thread that seals does not even start in this time.
    const store = await folder.open({ ...large, sealOnCloseMs: 1 });
    await write(store, 'a');
    await write(store, 'b', 20_000);
    await folder.close(store);
    assert.deepEqual(log(), [`segment ${mebibyte}`]);
    assert.deepEqual(ids(await folder.open(large)), ['a', 'b']);
  });
});

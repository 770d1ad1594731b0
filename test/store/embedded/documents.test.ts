import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { restoreBackup } from '../../../src/store/embedded/restore.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import type { Change } from '../../../src/store/store.ts';
import { keptModel } from '../document-model.ts';
import { damageTable } from './damage-catalogue.ts';
import { forSeeds } from './random.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('kept');
const keep = (id: string, body = '{}'): Change => ({
  type: 'keep',
  kind: 'view',
  topic: undefined,
  id,
  body,
});
async function damagesOf(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { what } of verifyStore(dataDir)) found.push(what);
  return found;
}

const isFile = (path: string) => !path.endsWith('lock');

describe('kept documents of the embedded store', () => {
  it('are as in a plain model, over restarts, kills, backups and removed workspaces', async () => {
    await forSeeds(1, 3, async (random, seed) => {
      const model = keptModel();
      let dataDir = join(folder.root, `data-${seed}`);
      let store = await folder.open({ dataDir });
      const goOn = async (next: string) => {
        await folder.close(store);
        dataDir = next;
        store = await folder.open({ dataDir });
      };
      for (let step = 0; step < 80; step++) {
        folder.now++;
        const chance = random.next();
        if (chance < 0.75) {
          await Promise.all(Array.from({ length: random.int(1, 3) }, () => store.append(model.some(random))));
        } else if (chance < 0.8) {
          await store.append(model.remove('other'));
        } else if (chance < 0.86) {
          await goOn(dataDir);
        } else if (chance < 0.92) {
          // What a killed process leaves: the files as they stand.
          const image = `${dataDir}+`;
          cpSync(dataDir, image, { recursive: true, filter: isFile });
          await goOn(image);
        } else if (chance < 0.96) {
          const copy = `${dataDir}-`;
          const { chunks } = await store.backup(new AbortController().signal);
          await restoreBackup(chunks, copy);
          await goOn(copy);
        }
        model.compare(store.catalog);
      }
      assert.ok(model.count > 0);
      // All of it in the catalogue, nothing in the log.
      await folder.close(store);
      store = await folder.open({ dataDir, sealOnCloseMs: 60_000 });
      await folder.close(store);
      assert.deepEqual(await damagesOf(dataDir), []);
      store = await folder.open({ dataDir });
      model.compare(store.catalog);
    });
  });

  it('have the time at which they came, also after a restart', async () => {
    folder.now = 4000;
    let store = await folder.open();
    assert.equal(store.catalog.workspace('default')?.createdAt, 4000);
    folder.now = 5000;
    await store.append({ workspace: 'default', changes: [keep('a')] });
    folder.now = 6000;
    store = await folder.reopen(store);
    assert.equal(store.catalog.document('default', 'view', undefined, 'a')?.updatedAt, 5000);
    assert.equal(store.catalog.workspace('default')?.createdAt, 4000);
  });

  it('come in flushes of a bounded size', async () => {
    const body = JSON.stringify('x'.repeat(60_000));
    let store = await folder.open({ sealOnCloseMs: 60_000 });
    for (let i = 0; i < 40; i++) {
      for (let full = store.room(); full !== undefined; full = store.room()) await full;
      await store.append({ workspace: 'default', changes: [keep(`v${i}`, body)] });
    }
    store = await folder.reopen(store);
    assert.equal(store.catalog.documents('default', 'view').length, 40);
    assert.equal(store.catalog.document('default', 'view', undefined, 'v39')?.body, body);
  });

  it('tell of damage to them, for good', async () => {
    let store = await folder.open({ sealOnCloseMs: 60_000 });
    await store.append({ workspace: 'default', changes: [keep('a'), keep('b')] });
    await folder.close(store);
    await damageTable(folder.directory, 'kept');
    assert.equal((await damagesOf(folder.directory)).length, 1);
    store = await folder.open();
    assert.deepEqual(store.catalog.documents('default', 'view'), []);
    assert.match(store.health().problems.join('\n'), /entries of the catalogue do not have their checksum/);
    store = await folder.reopen(store);
    assert.match(store.health().problems.join('\n'), /the catalogue has lost entries/);
    await store.append({ workspace: 'default', changes: [keep('c')] });
    store = await folder.reopen(store);
    assert.equal(store.catalog.documents('default', 'view').length, 1);
  });
});

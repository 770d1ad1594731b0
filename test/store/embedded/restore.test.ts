import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { restoreBackup } from '../../../src/store/embedded/restore.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import { until } from '../../until.ts';
import { damageTable } from './damage-catalogue.ts';
import { listed } from './listed.ts';

let root: string;
let target: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-restore-'));
  target = join(root, 'deep', 'restored');
});
afterEach(() => rmSync(root, { recursive: true }));

function openStore(dataDir: string): Promise<EmbeddedStore> {
  return openEmbeddedStore({
    dataDir,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 60_000,
    clock: () => 1_000_000,
    log: { info() {}, warn() {}, error() {} },
  });
}

/** The backup of a store with one stream in its log and all that a catalogue can hold. */
async function backup(dataDir = join(root, 'data')): Promise<Buffer> {
  const store = await openStore(dataDir);
  try {
    await store.append({
      workspace: 'default',
      changes: [
        { type: 'workspace', workspace: { name: 'räume', createdAt: 5, retention: 2n ** 60n } },
        {
          type: 'stream',
          topic: 'cars',
          streamId: 'a',
          properties: { location: '/x', metadata: {}, parents: [] },
        },
      ],
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await store.backup(new AbortController().signal)).chunks) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await store.close();
  }
}

async function* bytes(archive: Buffer): AsyncGenerator<Buffer> {
  yield archive;
}

describe('restoreBackup', () => {
  it('makes a folder of which a store starts with all that was there', async () => {
    const { createdAt, segments } = await restoreBackup(bytes(await backup()), target);
    assert.deepEqual([createdAt, segments], ['1970-01-01T00:16:40.000Z', 1]);
    const store = await openStore(target);
    try {
      assert.deepEqual(store.catalog.workspace('räume')?.retention, 2n ** 60n);
      assert.equal(listed(store.catalog.streams('default', {}, 0))[0]?.location, '/x');
    } finally {
      await store.close();
    }
  });

  it('restores into an empty folder, which may be one on which a disk is mounted', async () => {
    mkdirSync(target, { recursive: true });
    await restoreBackup(bytes(await backup()), target);
    assert.deepEqual(readdirSync(target).sort(), ['FORMAT', 'catalog', 'log', 'parts']);
    for await (const damage of verifyStore(target)) assert.fail(damage.what);
  });

  it('refuses a folder that has anything in it, and changes nothing', async () => {
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'mine'), 'x');
    await assert.rejects(restoreBackup(bytes(await backup()), target), {
      message: `${target} is not empty; a restore needs a new or empty folder`,
    });
    assert.deepEqual(readdirSync(target), ['mine']);
    await assert.rejects(restoreBackup(bytes(await backup()), join(target, 'mine')), /is not a directory/);
  });

  it('leaves nothing behind when the backup is not whole', async () => {
    const archive = await backup();
    const cut = archive.subarray(0, archive.indexOf('checksums.json'));
    await assert.rejects(restoreBackup(bytes(cut), target), { message: /it is not whole/ });
    assert.ok(!existsSync(target));
    mkdirSync(target);
    await assert.rejects(restoreBackup(bytes(cut), target), { message: /it is not whole/ });
    assert.deepEqual(readdirSync(target), []);
  });

  it('says that the folder is unfinished while it works, so that nothing starts on it', async () => {
    const archive = await backup();
    const meanwhile = async function* () {
      yield archive.subarray(0, 2000);
      assert.deepEqual(readdirSync(target).sort(), ['catalog', 'lock', 'log', 'parts', 'restoring']);
      await assert.rejects(openStore(target), { message: /holds a restore that was not finished/ });
      yield archive.subarray(2000);
    };
    await restoreBackup(meanwhile(), target);
    await (await openStore(target)).close();
  });

  it('makes a copy of a catalogue that has lost something, which tells of it too', async () => {
    const dataDir = join(root, 'data');
    await backup(dataDir);
    const filled = await openStore(dataDir);
    await until(() => filled.health().headBytes === 0);
    await filled.close();
    await damageTable(dataDir, 'streams');
    await restoreBackup(bytes(await backup(dataDir)), target);
    const found: string[] = [];
    for await (const { what } of verifyStore(target)) found.push(what);
    assert.equal(found.length, 1);
    assert.match(found[0]!, /^lost at an earlier start: .*snapshot-\d+: bytes /);
  });
});

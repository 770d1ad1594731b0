import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { open } from 'lmdb';
import { lostEntries } from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { type OldEntries, oldValue, writeLmdb } from './lmdb-catalogue.ts';

const entries: OldEntries = {
  meta: [['lsn', 7]],
  workspaces: [['w', { name: 'w', createdAt: 1, retention: '5' }]],
  parameters: [
    [1, { kind: 0, name: 'p' }],
    [2, { kind: 1, name: 'q' }],
  ],
  streams: [
    [
      1,
      { topic: 1, id: 'ä', createdAt: 1, lastUpdate: 2, parameters: [1], data: ['-5', '9007199254740993'] },
    ],
    [
      2,
      { topic: 1, id: 'b', createdAt: 1, lastUpdate: 2, parameters: [], ended: 'Closed', softDeleted: true },
    ],
  ],
};

describe('a catalogue in LMDB', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pitwall-lmdb-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function check(): Promise<void> {
    const manifest = await openManifest(directory);
    assert.equal(manifest.read('meta', 'lsn'), 7);
    assert.equal(manifest.read('meta', 'nextParameter'), 3);
    assert.deepEqual(manifest.read('workspaces', 'w'), { name: 'w', createdAt: 1, retention: '5' });
    const stream = manifest.read('streams', 1) as { id: string; data: readonly bigint[] };
    assert.deepEqual([stream.id, stream.data], ['ä', [-5n, 9007199254740993n]]);
    assert.equal((manifest.read('streams', 2) as { softDeleted?: boolean }).softDeleted, true);
    assert.equal(lostEntries(manifest), undefined);
    await manifest.close();
    assert.deepEqual(readdirSync(directory).sort(), [
      'closed',
      'edits-000000000001',
      'snapshot-000000000001',
    ]);
  }

  it('is read once and goes', async () => {
    await writeLmdb(directory, entries);
    await check();
    await check();
  });

  it('is whole after a stop at any moment of that', async () => {
    await writeLmdb(directory, entries);
    const old = mkdtempSync(join(tmpdir(), 'pitwall-lmdb-'));
    cpSync(directory, old, { recursive: true });
    await check();
    const moments: (() => void)[] = [
      () => writeFileSync(join(directory, 'edits-000000000001.new'), 'x'),
      () => writeFileSync(join(directory, 'edits-000000000001'), ''),
      () => {
        cpSync(join(directory, 'made'), join(directory, 'snapshot-000000000001.new'));
        truncateSync(join(directory, 'snapshot-000000000001.new'), 100);
      },
    ];
    const made = join(old, 'made');
    cpSync(join(directory, 'snapshot-000000000001'), made);
    const edits = join(old, 'edits');
    cpSync(join(directory, 'edits-000000000001'), edits);
    for (const moment of moments) {
      rmSync(directory, { recursive: true });
      cpSync(old, directory, { recursive: true });
      moment();
      rmSync(join(directory, 'made'));
      rmSync(join(directory, 'edits'));
      await check();
    }
    // The new files are named, and the old ones are not gone.
    rmSync(directory, { recursive: true });
    cpSync(old, directory, { recursive: true });
    cpSync(join(directory, 'made'), join(directory, 'snapshot-000000000001'));
    cpSync(join(directory, 'edits'), join(directory, 'edits-000000000001'));
    rmSync(join(directory, 'made'));
    rmSync(join(directory, 'edits'));
    rmSync(join(directory, 'lock.mdb'));
    await check();
    rmSync(old, { recursive: true });
  });

  it('keeps the intact entries where some are damaged, and tells of these', async () => {
    await writeLmdb(directory, entries, [
      ['parameters', 2],
      ['streams', 1],
    ]);
    const problems: string[] = [];
    const manifest = await openManifest(directory, { report: (problem) => problems.push(problem) });
    assert.equal(manifest.read('streams', 1), undefined);
    assert.equal((manifest.read('streams', 2) as { id: string }).id, 'b');
    assert.equal(manifest.read('meta', 'nextParameter'), 3);
    await manifest.close();
    assert.deepEqual(problems, [
      'the catalogue has lost entries: the entry parameters/2 does not have its checksum',
      'the catalogue has lost entries: the entry streams/1 does not have its checksum',
    ]);
  });

  it('may be one with overlapping syncs', async () => {
    const root = open({ path: directory, encoding: 'binary', maxDbs: 12 });
    const meta = root.openDB<Buffer, string>({ name: 'meta', encoding: 'binary' });
    for (let i = 0; i < 10; i++) await meta.put(`copy ${i}`, oldValue(7));
    await root.close();
    const manifest = await openManifest(directory);
    assert.equal(manifest.read('meta', 'copy 9'), 7);
    await manifest.close();
    assert.ok(!existsSync(join(directory, 'data.mdb')));
  });
});

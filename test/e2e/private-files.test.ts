import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  adminToken,
  isOnClickHouse,
  type RunningService,
  run,
  send,
  startService,
  temporaryFolder,
} from './service.ts';

/** Everything in a folder, itself included, with the rights of its group and of others. */
function foreignRights(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return [folder, ...names.map((name) => join(folder, name))]
    .map((path) => `${path} ${(lstatSync(path).mode & 0o777).toString(8)}`)
    .filter((line) => !line.endsWith('00'));
}

async function write({ url }: RunningService): Promise<void> {
  const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
  assert.equal((await send(url, '/topics/t/streams/s/parameters/data', { body })).status, 200);
}

const hasParts = (dataDir: string) => readdirSync(join(dataDir, 'parts')).length > 0;
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the files of a data folder', { skip: isOnClickHouse }, () => {
  it('are for the user of the service alone, from the first moment on', async () => {
    const above = join(temporaryFolder(), 'above');
    const dataDir = join(above, 'data');
    const service = await startService({ dataDir });
    await write(service);
    assert.deepEqual(foreignRights(dataDir), []);
    assert.equal(modeOf(dataDir), 0o700);
    assert.equal(modeOf(join(dataDir, 'FORMAT')), 0o600);
    // A stop makes parts of what is in the log.
    await service.stop();
    assert.ok(hasParts(dataDir));
    assert.deepEqual(foreignRights(dataDir), []);
    assert.doesNotMatch(service.stderr(), /others c/);
  });

  it('are tightened where a copy of a folder left them open, and the log says so once', async () => {
    const dataDir = temporaryFolder();
    const before = await startService({ dataDir });
    await write(before);
    await before.stop();
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(dataDir, name);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
    }
    chmodSync(dataDir, 0o755);
    const service = await startService({ dataDir });
    assert.deepEqual(foreignRights(dataDir), []);
    assert.match(
      service.stderr(),
      /"changed":\d+,"msg":"others could read files of .*: from now on its owner alone can"/,
    );
    await service.stop();
    const again = await startService({ dataDir });
    assert.doesNotMatch(again.stderr(), /others c/);
  });

  it('have copies that are as private: backups, restored folders, exports', async () => {
    const folder = temporaryFolder();
    const service = await startService();
    await write(service);
    const env = { PITWALL_URL: service.url, PITWALL_TOKEN: adminToken };
    const file = join(folder, 'backup.tar');
    const restored = join(folder, 'restored');
    const table = join(folder, 'rows.csv');
    for (const args of [
      ['backup', file],
      ['restore', file, '--data-dir', restored],
      ['export', '--topic', 't', '--stream', 's', '--out', table],
    ]) {
      const { code, stderr } = await run(args, env);
      assert.equal(code, 0, stderr);
    }
    assert.deepEqual([modeOf(file), modeOf(table), modeOf(restored)], [0o600, 0o600, 0o700]);
    assert.deepEqual(foreignRights(restored), []);
  });
});

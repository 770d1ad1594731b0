import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  adminToken,
  isOnClickHouse,
  launchNode,
  send,
  startService,
  storeArgs,
  temporaryFolder,
} from './service.ts';

const short = 'fifteen-letters';

async function isRefused(dataDir: string, token: string): Promise<void> {
  const node = launchNode({ args: await storeArgs(dataDir), env: { PITWALL_TOKEN: token } });
  const { code, stderr, stdout } = await node.finished;
  assert.equal(code, 2);
  assert.match(stderr, /^pitwall: PITWALL_TOKEN must have at least 16 characters; .*\n$/m);
  assert.ok(!stderr.includes(token) && stdout === '');
}

/** As an earlier version leaves it. */
function forget(dataDir: string): void {
  writeFileSync(join(dataDir, 'FORMAT'), '{"format": 2}\n');
}

const isWarned = /"level":40.*PITWALL_TOKEN has fewer than 16 characters/;

describe("an operator's token of fewer than 16 characters", () => {
  it('starts nothing on a new store, the second time too', async () => {
    const dataDir = temporaryFolder();
    await isRefused(dataDir, short);
    await isRefused(dataDir, short);
    const { url } = await startService({ dataDir, env: { PITWALL_TOKEN: `${short}!`.replace('!', '1') } });
    assert.equal((await send(url, '/streams', { method: 'POST', token: `${short}1` })).status, 200);
  });

  it('starts nothing where the service has run without one', { skip: isOnClickHouse }, async () => {
    const dataDir = temporaryFolder();
    await (await startService({ dataDir, env: {} })).stop();
    await isRefused(dataDir, short);
  });

  it('is taken, with a warning, by a folder of an earlier version, until there is a longer one', {
    skip: isOnClickHouse,
  }, async () => {
    const dataDir = temporaryFolder();
    await (await startService({ dataDir })).stop();
    forget(dataDir);
    for (let start = 0; start < 2; start++) {
      const service = await startService({ dataDir, env: { PITWALL_TOKEN: short } });
      assert.match(service.stderr(), isWarned);
      assert.ok(!service.stderr().includes(short));
      assert.equal((await send(service.url, '/streams', { method: 'POST', token: short })).status, 200);
      await service.stop();
    }
    const service = await startService({ dataDir, env: { PITWALL_TOKEN: adminToken } });
    assert.doesNotMatch(service.stderr(), isWarned);
    await service.stop();
    await isRefused(dataDir, short);
  });

  it('is taken, with a warning, by a database that is in use', { skip: !isOnClickHouse }, async () => {
    const dataDir = temporaryFolder();
    const before = await startService({ dataDir });
    const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    assert.equal((await send(before.url, '/topics/t/streams/s/parameters/data', { body })).status, 200);
    await before.stop();
    const service = await startService({ dataDir, env: { PITWALL_TOKEN: short } });
    assert.match(service.stderr(), isWarned);
  });
});

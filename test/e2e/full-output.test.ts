import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { adminToken, pitwall, run, send, startService, temporaryFolder } from './service.ts';

/** What has no room for anything. */
const full = '/dev/full';

describe('a command whose standard output is full', { skip: !existsSync(full) }, async () => {
  const { url } = await startService();
  const env = { ...process.env, PITWALL_URL: url, PITWALL_TOKEN: adminToken };

  async function intoFull(...args: string[]): Promise<[code: number, stderr: string]> {
    const output = openSync(full, 'w');
    const child = endWithTests(
      spawn(process.execPath, [pitwall, ...args], { env, stdio: ['ignore', output, 'pipe'] }),
    );
    closeSync(output);
    const said = text(child.stderr!);
    const [code] = (await once(child, 'close')) as [number];
    return [code, await said];
  }

  it('fails, and says so', async () => {
    await send(url, '/topics/t/streams/s/parameters/data', {
      body: '{"timestamps":[1],"numericValues":{"a":[1]}}',
    });
    for (const args of [
      ['help'],
      ['token', 'list'],
      ['export', '--out', '-', '--format', 'csv'],
      ['backup', '-'],
    ]) {
      const [code, stderr] = await intoFull(...args);
      assert.deepEqual([args, code, /ENOSPC/.test(stderr), /is whole/.test(stderr)], [args, 1, true, false]);
    }
  });

  it('names the token that was made and lost', async () => {
    const [code, stderr] = await intoFull('token', 'create', '--name', 'lost');
    const id = /nobody has the token: pitwall token revoke (\S+)\n$/.exec(stderr)?.[1];
    assert.equal(code, 1, stderr);
    const { stdout } = await run(['token', 'list'], { PITWALL_URL: url, PITWALL_TOKEN: adminToken });
    assert.ok(stdout.includes(`${id} `), stdout);
  });

  it('gives no file that is cut short for a whole one', async () => {
    // There is room for some of it.
    const command = `ulimit -f 1; exec "${process.execPath}" "${pitwall}" help export > out.txt`;
    const child = endWithTests(
      spawn('bash', ['-c', command], {
        cwd: temporaryFolder(),
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    const said = text(child.stderr);
    const [code] = (await once(child, 'close')) as [number];
    assert.deepEqual([code, /EFBIG/.test(await said)], [1, true]);
  });
});

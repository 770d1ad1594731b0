import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { adminToken, pitwall, run, send, startService, storeArgs, temporaryFolder } from './service.ts';

/** What has no room for anything. */
const full = '/dev/full';

/** Runs a command with a file for its standard output. */
async function into(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<[code: number, stderr: string]> {
  const output = openSync(file, 'w');
  const child = endWithTests(
    spawn(process.execPath, [pitwall, ...args], { env, stdio: ['ignore', output, 'pipe'] }),
  );
  closeSync(output);
  const said = text(child.stderr!);
  const [code] = (await once(child, 'close')) as [number];
  return [code, await said];
}

describe('a command whose standard output is full', { skip: !existsSync(full) }, async () => {
  const { url } = await startService();
  const env = { ...process.env, PITWALL_URL: url, PITWALL_TOKEN: adminToken };

  const intoFull = (...args: string[]) => into(full, args, env);

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

  it('takes an output that is thrown away for no reader of a token', async () => {
    const [code, stderr] = await into('/dev/null', ['token', 'create'], env);
    assert.equal(code, 1);
    assert.match(stderr, /closed, or thrown away; nobody has the token: pitwall token revoke \S+\n$/);
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

describe('the first start, where nobody sees what it prints', { skip: !existsSync(full) }, () => {
  const { PITWALL_TOKEN: _, ...env } = process.env;
  const serve = [process.execPath, pitwall, 'serve', '--listen', '127.0.0.1:0'];

  /** Runs it to its end. */
  async function start(script: string, args: readonly string[]): Promise<[code: number, stderr: string]> {
    const child = endWithTests(
      spawn('bash', ['-c', script, ...serve, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    const said = text(child.stderr);
    const [code] = (await once(child, 'close')) as [number];
    return [code, await said];
  }

  it('keeps no token and ends; the next one makes another', async () => {
    const dataDir = temporaryFolder();
    const args = await storeArgs(dataDir);
    for (const [script, why] of [
      ['exec "$0" "$@" > /dev/full', /ENOSPC/],
      ['exec "$0" "$@" >&-', /closed, or thrown away/],
      ['exec "$0" "$@" > >(exec >&- <&-; sleep 1)', /EPIPE/],
    ] as const) {
      const [code, stderr] = await start(script, args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, why);
      assert.match(stderr, /^pitwall: cannot start: the admin token could not be shown: .*taken back.*$/m);
    }
    const service = await startService({ dataDir, env: {} });
    const token = /once: (pw_\S+)/.exec(service.stdout())![1]!;
    const tokens = (await send(service.url, '/admin/tokens', { token })).json<unknown[]>();
    assert.equal(tokens.length, 1);
  });

  it('is no reason to end where there is a token', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir, env: {} });
    const token = /once: (pw_\S+)/.exec(first.stdout())![1]!;
    await first.stop();
    const port = await freePort();
    const args = [...(await storeArgs(dataDir)), '--listen', `127.0.0.1:${port}`];
    const output = openSync(full, 'w');
    const child = endWithTests(
      spawn(process.execPath, [pitwall, ...args], { env, stdio: ['ignore', output, 'pipe'] }),
    );
    closeSync(output);
    const said = text(child.stderr!);
    try {
      const url = `http://127.0.0.1:${port}`;
      await until(
        () =>
          send(url, '/streams', { method: 'POST', token }).then(
            ({ status }) => status === 200,
            () => false,
          ),
        20,
      );
    } finally {
      child.kill();
      await once(child, 'close');
    }
    assert.match(await said, /"level":40.*could not be written to the standard output: .*ENOSPC/);
  });
});

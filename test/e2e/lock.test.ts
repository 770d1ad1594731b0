import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { noFaults } from './faulty-disk.ts';
import { adminToken, isOnClickHouse, launchService, pitwall, run, temporaryFolder } from './service.ts';

const skip = isOnClickHouse ? 'there is no folder' : noFaults;

/** Longer than a command takes that is refused, on a slow and busy machine too. */
const patienceSeconds = 120;

/** Runs the command while the kernel refuses all calls of one kind. */
async function refused(call: string, error: string, args: readonly string[]) {
  const inject = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=${error}`,
    // One that is let in would run for ever.
    ...['timeout', '-s', 'KILL', String(patienceSeconds)],
  ];
  const child = endWithTests(
    spawn('strace', [...inject, process.execPath, pitwall, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

describe('a folder on a file system without what the lock needs', { skip }, () => {
  const root = temporaryFolder();
  for (const [call, error, says] of [
    ['bind', 'EOPNOTSUPP', /has no Unix sockets \(listen ENOTSUP\), .* --data-dir$/],
    ['bind', 'EPERM', /has no Unix sockets \(listen EPERM\), .* --data-dir$/],
    ['bind', 'EACCES', /has no Unix sockets \(listen EACCES\), .* --data-dir$/],
    ['bind', 'EINVAL', /has no Unix sockets \(listen EINVAL\), .* --data-dir$/],
    ['link,linkat', 'EPERM', /has no hard links \(link EPERM\), .* --data-dir$/],
    ['link,linkat', 'EOPNOTSUPP', /has no hard links \(link ENOTSUP\), .* --data-dir$/],
    ['connect', 'ECONNREFUSED', /does not answer the process that listens on it, .* --data-dir$/],
  ] as const) {
    it(`ends the start with one line that says what to do, and leaves nothing: ${call} ${error}`, async () => {
      const dataDir = join(root, `${call}-${error}`);
      mkdirSync(dataDir);
      const { code, stderr } = await refused(call, error, [
        'serve',
        '--data-dir',
        dataDir,
        '--log-level',
        'error',
      ]);
      assert.equal(code, 1, stderr);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
      assert.match(stderr.trim(), says);
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name !== 'lock'),
        [],
      );
      // Where they are there again, the folder opens.
      const service = await launchService(dataDir);
      assert.equal((await service.stop()).code, 0);
    });
  }

  it('is verified where it is mounted to be read, unless a process uses it', async () => {
    const dataDir = join(root, 'snapshot');
    const verify = () => refused('bind', 'EROFS', ['verify', dataDir]);
    const service = await launchService(dataDir);
    assert.deepEqual(await verify(), {
      code: 1,
      stderr: `pitwall: ${dataDir} cannot be verified: another process uses ${dataDir}\n`,
    });
    const written = await fetch(`${service.url}/topics/t/streams/s/parameters/data`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: '{"timestamps":[1],"numericValues":{"a":[1]}}',
    });
    assert.equal(written.status, 200);
    service.child.kill('SIGKILL');
    await once(service.child, 'close');
    assert.ok(readdirSync(dataDir).includes('lock'));
    assert.deepEqual(await verify(), { code: 0, stderr: '' });
    // Whatever it opens, it opens for reading.
    const opened = join(root, 'opened');
    const tell = ['-f', '-qq', '-o', opened, '-e', 'trace=openat', '-e', 'signal=none'];
    spawnSync('strace', [...tell, process.execPath, pitwall, 'verify', dataDir]);
    const calls = readFileSync(opened, 'utf8').split('\n');
    const files = calls.filter((call) => call.includes(`"${dataDir}/`));
    assert.ok(files.some((call) => call.includes('/log/segment-')));
    assert.deepEqual(
      files.filter((call) => /O_RDWR|O_WRONLY/.test(call)),
      [],
    );
  });

  it('lets no second process in while one runs', async () => {
    const dataDir = join(root, 'held');
    const service = await launchService(dataDir);
    for (const [call, error] of [
      ['bind', 'EPERM'],
      ['link,linkat', 'EPERM'],
      ['connect', 'EACCES'],
    ] as const) {
      const { code } = await refused(call, error, [
        'serve',
        '--data-dir',
        dataDir,
        '--listen',
        '127.0.0.1:0',
      ]);
      assert.equal(code, 1);
    }
    const { code, stderr } = await run(['serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0']);
    assert.equal(code, 1);
    assert.match(stderr, /another process uses/);
    await service.stop();
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { until } from '../until.ts';
import {
  adminToken,
  pitwall,
  type RunningService,
  run,
  send,
  startService,
  temporaryFolder,
} from './service.ts';

/** Writes numbered rows into two streams at once, one request after another, until it is told to stop. */
function writeOn(service: RunningService) {
  let acknowledged = 0;
  let writing = true;
  const text = JSON.stringify('x'.repeat(20_000));
  const done = (async () => {
    for (; writing; acknowledged++) {
      const entry = (id: string) =>
        `{"streamId":"${id}","timestamps":[${acknowledged}],"numericValues":{"n":[${acknowledged}]},"stringValues":{"text":[${text}]}}`;
      const body = `[${entry('a')},${entry('b')}]`;
      const { status } = await send(service.url, '/topics/cars/parameters/data', { body });
      assert.equal(status, 200);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    reach: (count: number) => until(() => acknowledged >= count),
    stop() {
      writing = false;
      return done;
    },
  };
}

async function numbersOf(service: RunningService, streamId: string): Promise<number[]> {
  const body = JSON.stringify({ streamIds: [streamId], numericParameters: [{ parameterName: 'n' }] });
  const answer = await send(service.url, '/parameters/data', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ numericValues: { n: number[] } }>().numericValues.n;
}

const client = (service: RunningService) => ({ PITWALL_URL: service.url, PITWALL_TOKEN: adminToken });

describe('backup and restore', () => {
  it('bring back every write acknowledged before the backup began, taken while writes go on', async () => {
    const folder = temporaryFolder();
    const service = await startService({ args: ['--head-bytes', '8MiB'] });
    const writes = writeOn(service);
    for (const round of [1, 2, 3]) {
      await writes.reach(100 * round);
      const before = writes.acknowledged();
      const file = join(folder, `${round}.tar`);
      const saved = await run(['backup', file], client(service));
      assert.equal(saved.code, 0, saved.stderr);
      assert.match(saved.stderr, /whole$/m);
      const restored = join(folder, `restored-${round}`);
      const { code, stdout, stderr } = await run(['restore', file, '--data-dir', restored]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`^${restored} holds the backup of 20\\d\\d-`));
      assert.equal((await run(['verify', restored])).code, 0);
      const copy = await startService({ dataDir: restored });
      const numbers = await numbersOf(copy, 'a');
      assert.ok(numbers.length >= before, `${numbers.length} rows of ${before}`);
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => i),
      );
      assert.deepEqual(await numbersOf(copy, 'b'), numbers);
      await copy.stop();
    }
    await writes.stop();
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tar')),
      ['1.tar', '2.tar', '3.tar'],
    );
  });

  it('refuse a file that was cut or altered, name the place, and leave nothing behind', async () => {
    const folder = temporaryFolder();
    const service = await startService();
    const body = '{"timestamps":[1],"numericValues":{"n":[1]}}';
    await send(service.url, '/topics/cars/streams/a/parameters/data', { body });
    const file = join(folder, 'whole.tar');
    await run(['backup', file], client(service));
    const whole = readFileSync(file);
    const altered = Buffer.from(whole);
    altered[altered.indexOf('PWR1') + 60]! ^= 1;
    const segment = 'log/segment-000000000001.log';
    for (const [content, message] of [
      [whole.subarray(0, whole.indexOf('PWR1') + 100), `it is not whole: it breaks off inside ${segment}`],
      [altered, `${segment} was altered: it is not what was backed up`],
    ] as const) {
      const bad = join(folder, 'bad.tar');
      writeFileSync(bad, content);
      const { code, stderr } = await run(['restore', bad, '--data-dir', join(folder, 'restored')]);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^pitwall: ${bad} was not restored: ${message}$`, 'm'));
      assert.deepEqual(readdirSync(folder).sort(), ['bad.tar', 'whole.tar']);
    }
  });

  it('take back what they have begun when they are interrupted, though nothing comes any more', async () => {
    const folder = temporaryFolder();
    const service = await startService();
    const file = join(folder, 'whole.tar');
    await run(['backup', file], client(service));
    const whole = readFileSync(file);
    const stalled = createServer((_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'application/x-tar', 'Content-Length': whole.length })
        .write(whole.subarray(0, 2048));
    });
    await once(stalled.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = stalled.address() as AddressInfo;
      const child = endWithTests(
        spawn(process.execPath, [pitwall, 'backup', join(folder, 'half.tar')], {
          env: {
            PATH: process.env['PATH'],
            PITWALL_URL: `http://127.0.0.1:${port}`,
            PITWALL_TOKEN: adminToken,
          },
          stdio: ['ignore', 'ignore', 'pipe'],
        }),
      );
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const ended = once(child, 'close');
      await until(() => readdirSync(folder).some((name) => name.startsWith('half.tar.')));
      child.kill('SIGINT');
      assert.deepEqual(await ended, [1, null], stderr);
      assert.match(stderr, /^pitwall: the backup failed: interrupted$/m);
      assert.deepEqual(readdirSync(folder), ['whole.tar']);
    } finally {
      stalled.closeAllConnections();
      stalled.close();
    }
  });

  it('take back what they have begun when they are interrupted', async () => {
    const folder = temporaryFolder();
    const restored = join(folder, 'restored');
    const child = endWithTests(
      spawn(process.execPath, [pitwall, 'restore', '-', '--data-dir', restored], {
        stdio: ['pipe', 'ignore', 'pipe'],
      }),
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = once(child, 'close');
    await until(() => existsSync(join(restored, 'catalog')));
    child.kill('SIGINT');
    assert.deepEqual(await ended, [1, null]);
    assert.equal(stderr, 'pitwall: the standard input was not restored: interrupted\n');
    assert.deepEqual(readdirSync(folder), []);
  });

  it('go to standard output too', async () => {
    const service = await startService();
    const { code, stdout } = await run(['backup', '-'], client(service));
    assert.equal(code, 0);
    assert.match(stdout, /^backup\.json\0/);
  });

  it('are for admins of the default workspace', async () => {
    const service = await startService();
    const env = client(service);
    await run(['workspace', 'create', 'racing'], env);
    const token = async (...args: string[]) => (await run(['token', 'create', ...args], env)).stdout.trim();
    const admin = await token('--workspace', 'racing', '--scope', 'admin');
    const writer = await token('--scope', 'read,write');
    for (const other of [admin, writer]) {
      const answer = await send(service.url, '/admin/backup', { method: 'POST', token: other });
      assert.equal(answer.status, 403);
      assert.equal(answer.json<{ code: string }>().code, 'forbidden');
    }
    const refused = await run(['backup', join(temporaryFolder(), 'x.tar')], {
      ...env,
      PITWALL_TOKEN: writer,
    });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^pitwall: 403 .*scope admin/m);
  });

  it('say what is wrong with the command line', async () => {
    for (const [args, message] of [
      [['backup'], 'one file, please'],
      [['restore', 'a.tar'], 'restore needs --data-dir'],
      [['restore'], 'one file, please'],
    ] as const) {
      const { code, stderr } = await run(args, { PITWALL_TOKEN: adminToken });
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(message));
    }
    const { code, stderr } = await run(['restore', '/nowhere.tar', '--data-dir', '/nowhere']);
    assert.deepEqual([code, /was not restored: ENOENT/.test(stderr)], [1, true]);
  });
});

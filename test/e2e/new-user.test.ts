import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { adminToken, pitwall, run, send, startService, temporaryFolder } from './service.ts';

const hasCurl = ['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl'].some((path) => existsSync(path));

describe("a new user's way", () => {
  it('leads from the first start over three pasted commands to the rows', { skip: !hasCurl }, async () => {
    const service = await startService({ env: {} });
    const printed = service.stdout();
    assert.equal(printed.match(/pw_[A-Za-z0-9_-]{43}/g)!.length, 4);
    const commands = printed.split('\n').filter((line) => line.startsWith('  curl '));
    assert.equal(commands.length, 3);
    const [written, found, read] = commands.map((command) => {
      return execFileSync('sh', ['-c', `${command} -sS --fail-with-body`], { encoding: 'utf8' });
    });
    assert.equal(written, '');
    const [stream] = JSON.parse(found!) as { streamId: string; topic: string; status: string }[];
    assert.deepEqual([stream!.streamId, stream!.topic, stream!.status], ['first', 'demo', 'Open']);
    assert.deepEqual(JSON.parse(read!).numericValues, { Speed: [120.5] });
  });

  it('shows the first token once, and keeps it', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir, env: {} });
    const token = /once: (pw_\S+)/.exec(first.stdout())![1]!;
    assert.equal((await send(first.url, '/streams', { method: 'POST', token })).text, '[]');
    assert.equal((await first.stop()).code, 0);

    const second = await startService({ dataDir, env: {} });
    assert.doesNotMatch(second.stdout(), /pw_/);
    assert.match(second.stdout(), /\$PITWALL_TOKEN/);
    assert.equal((await send(second.url, '/streams', { method: 'POST', token })).status, 200);
    assert.ok(!second.stderr().includes(token));
  });

  it("makes no token where the operator's own is set", async () => {
    const service = await startService();
    assert.doesNotMatch(service.stdout(), /shown this once/);
    assert.equal((await send(service.url, '/admin/tokens')).text, '[]');
    assert.ok(!(service.stdout() + service.stderr()).includes(adminToken));
  });

  it('has health and documents without a token', async () => {
    const { url } = await startService();
    assert.equal((await send(url, '/healthz', { token: null })).status, 200);
    assert.deepEqual((await send(url, '/readyz', { token: null })).json(), { status: 'ready', problems: [] });
    const document = await send(url, '/openapi.json', { token: null });
    const { openapi, paths } = document.json<{
      openapi: string;
      paths: Record<string, { post: { requestBody: { required: boolean } } }>;
    }>();
    assert.equal(openapi, '3.1.0');
    assert.equal(
      paths['/topics/{topic}/streams/{streamId}/parameters/data']!.post.requestBody.required,
      true,
    );
    assert.equal(paths['/streams']!.post.requestBody.required, false);
    assert.equal((await send(url, '/metrics', { token: null })).status, 401);
    const metrics = await send(url, '/metrics');
    assert.match(metrics.text, /^pitwall_http_requests_total\{route="\/readyz",status="200"\} 1$/m);
  });
});

describe('the process', () => {
  it('stops cleanly on SIGTERM and SIGINT, and keeps its data', async () => {
    const dataDir = temporaryFolder();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await startService({ dataDir });
      const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
      await send(service.url, `/topics/t/streams/${signal}/parameters/data`, { body });
      assert.equal((await service.stop(signal)).code, 0);
    }
    const last = await startService({ dataDir });
    const streams = (await send(last.url, '/streams', { method: 'POST' })).json<{ streamId: string }[]>();
    assert.deepEqual(streams.map(({ streamId }) => streamId).sort(), ['SIGINT', 'SIGTERM']);
  });

  it('finishes the requests under way before it stops', async () => {
    const service = await startService();
    const path = '/topics/t/streams/s/parameters/data';
    const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    const outgoing = request(service.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    const stopped = service.stop();
    while (!service.stderr().includes('"stopping"')) await once(service.child.stderr!, 'data');
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    assert.equal((await stopped).code, 0);
  });

  it('refuses a data folder that another process uses, in one line', async () => {
    const dataDir = temporaryFolder();
    await startService({ dataDir });
    const second = await run([
      'serve',
      '--data-dir',
      dataDir,
      '--listen',
      '127.0.0.1:0',
      '--log-level',
      'silent',
    ]);
    assert.equal(second.code, 1);
    assert.equal(second.stdout, '');
    assert.match(second.stderr, /^pitwall: cannot start: .+\n$/);
  });

  it('says in one line that an address is taken', async () => {
    const { url } = await startService();
    const listen = url.replace('http://', '');
    const second = await run(['--data-dir', temporaryFolder(), '--listen', listen, '--log-level', 'silent']);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^pitwall: cannot start: .*EADDRINUSE.*\n$/);
  });

  it('opens further addresses that serve one interface each', async () => {
    const { stdout } = await startService({
      args: ['--query-listen', '127.0.0.1:0', '--writer-listen', '127.0.0.1:0'],
    });
    const address = (name: string): string =>
      new RegExp(`^pitwall ${name} listening on (\\S+)$`, 'm').exec(stdout())![1]!;
    const status = async (name: string, path: string) =>
      (await send(address(name), path, { method: 'POST' })).status;
    assert.deepEqual(
      [await status('query', '/streams'), await status('query', '/topics/t/streams')],
      [200, 404],
    );
    assert.deepEqual(
      [await status('writer', '/streams'), await status('writer', '/topics/t/streams')],
      [404, 200],
    );
    for (const name of ['query', 'writer']) assert.equal((await send(address(name), '/healthz')).status, 200);
  });
});

describe('the command line', () => {
  it('prints its version and its help', async () => {
    assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.match((await run(['help'])).stdout, /serve[\s\S]+token[\s\S]+workspace[\s\S]+import[\s\S]+verify/);
    for (const command of ['serve', 'token', 'workspace', 'import', 'verify']) {
      const help = await run(['help', command]);
      assert.match(help.stdout, new RegExp(`^pitwall ${command}`));
      assert.deepEqual(await run([command, '--help']), help);
    }
  });

  it('refuses what it does not know with exit code 2 and one line', async () => {
    for (const args of [
      ['dance'],
      ['help', 'dance'],
      ['help', 'import', 'export'],
      ['--version', 'now'],
      ['serve', '--colour', 'red'],
      ['--listen', 'nowhere'],
      ['token'],
      ['token', 'create', '--colour', 'red', '--token', 'x'],
      ['token', 'revoke', '--token', 'x'],
      ['token', 'list', '--name', 'a', '--token', 'x'],
      ['token', 'revoke', 'a', '--expires', '1d', '--token', 'x'],
      ['workspace', 'create', '--token', 'x'],
      ['import'],
      ['import', 'a.csv'],
      ['verify'],
      ['verify', ''],
      ['backup', '', '--token', 'x'],
      ['token', 'revoke', '', '--token', 'x'],
      ['queries', 'end', '', '--token', 'x'],
      ['workspace', 'remove', '', '--token', 'x'],
      ['token', 'list', '--token', 'x y'],
      ['token', 'list'],
      ['token', 'list', '--token', 'x', '--url', 'nonsense'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, /^pitwall: .+\n$/);
    }
  });

  it('says when no service answers', async () => {
    const { code, stderr } = await run(['token', 'list', '--token', 'x', '--url', 'http://127.0.0.1:1']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^pitwall: the service at http:\/\/127\.0\.0\.1:1\/ cannot be reached: .*ECONNREFUSED.*\n$/,
    );
  });

  it('verifies a folder', async () => {
    const dataDir = temporaryFolder();
    const service = await startService({ dataDir });
    await send(service.url, '/topics/t/streams/s/parameters/data', { body: '{"timestamps":[1]}' });
    await service.stop();
    const whole = await run(['verify', dataDir]);
    assert.deepEqual([whole.code, whole.stderr], [0, '']);
    const none = await run(['verify', join(dataDir, 'none')]);
    assert.equal(none.code, 1);
  });

  it('is executable as it is built', () => {
    const version = execFileSync(pitwall, ['--version'], { encoding: 'utf8' });
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
  });
});

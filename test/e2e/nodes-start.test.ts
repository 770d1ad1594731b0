import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type Engine, engineMissing, startEngine } from '../clickhouse/engine.ts';
import { adminToken, launchNode, type RunningService, type StartingService, send } from './service.ts';

const launched: StartingService[] = [];
after(() => Promise.all(launched.map(({ stop }) => stop('SIGKILL'))));

function launch(args: readonly string[], env?: Readonly<Record<string, string>>): StartingService {
  const node = launchNode({ args, ...(env && { env }) });
  launched.push(node);
  return node;
}

describe('a node whose ClickHouse is not there', () => {
  it('waits, says for what and for how long, and ends cleanly when it is asked to', async () => {
    const node = launch(['--store', 'clickhouse://tele:secret@127.0.0.1:1/telemetry']);
    await node.said(/"waiting for ClickHouse at clickhouse:\/\/127\.0\.0\.1:1\/telemetry"/);
    await node.said(/"still waiting for ClickHouse at [^"]*, for \d+ s now"/);
    const { code, stdout, stderr } = await node.stop();
    assert.equal(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, /ECONNREFUSED/);
    assert.doesNotMatch(stderr, /secret/);
  });

  it('says that what answers there is another server', async () => {
    for (const body of ['', '<html>\n<h1>It works</h1>\n', '[2]\n', '{"hello":"world"}']) {
      const other = createHttpServer((request, response) => {
        request.resume();
        response.end(body);
      });
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const { port } = other.address() as { port: number };
      const node = launch(['--store', `clickhouse://tele:secret@127.0.0.1:${port}`]);
      await node.said(/"reason":"what answers there is not ClickHouse"[^\n]*"waiting for ClickHouse/);
      const { code, stderr } = await node.stop();
      assert.equal(code, 0);
      assert.doesNotMatch(stderr, /migrating|secret/);
      other.closeAllConnections();
      other.close();
    }
  });

  it('ends as cleanly while an attempt hangs', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    const node = launch(['--store', `clickhouse://127.0.0.1:${port}`]);
    await connected;
    const { code } = await node.stop();
    assert.equal(code, 0);
    silent.close();
  });
});

describe('nodes on one ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());

  it('end with one line where the password is wrong', async () => {
    const url = engine.url.replace(/:[^:@]*@/, ':the-wrong-one@');
    const { code, stderr } = await launch(['--store', url]).finished;
    assert.equal(code, 1);
    assert.match(stderr, /^pitwall: cannot start: ClickHouse refuses its user: .*$/m);
    assert.doesNotMatch(stderr, /the-wrong-one/);
  });

  it('start before it does, and are ready when it is', async () => {
    await engine.kill();
    const node = launch(['--store', engine.urlOf('early')]);
    await node.said(/"waiting for ClickHouse/);
    await engine.restart();
    const { url } = await node.ready;
    assert.match(node.stderr(), /"ClickHouse at clickhouse:\/\/127\.0\.0\.1:\d+\/early is there"/);
    assert.deepEqual((await send(url, '/readyz')).json(), { status: 'ready', problems: [] });
    const { text } = await send(url, '/metrics');
    assert.match(text, /^pitwall_writable 1$/m);
    assert.match(text, /^pitwall_live_connected 0$/m);
    assert.doesNotMatch(node.stderr(), /a%20pass|a pass:word/);
    assert.equal((await node.stop()).code, 0);
  });

  describe('that start at once', () => {
    let nodes: RunningService[];
    let token: string;
    before(async () => {
      const starting = ['a', 'b', 'c'].map((name) =>
        launch(['--store', engine.urlOf('together'), '--node-name', name], {}),
      );
      nodes = await Promise.all(starting.map(({ ready }) => ready));
    });

    it('show one admin token between them, which all of them take', async () => {
      const shown = nodes.flatMap(({ stdout }) =>
        [...stdout().matchAll(/^admin token, shown this once: (\S+)$/gm)].map(([, made]) => made!),
      );
      assert.equal(shown.length, 1);
      [token] = shown as [string];
      for (const { url } of nodes) {
        const listed = (await send(url, '/admin/tokens', { token })).json<unknown[]>();
        assert.equal(listed.length, 1);
      }
    });

    it('take at once the token and the workspace that another has made', async () => {
      const [one, two, three] = nodes as [RunningService, RunningService, RunningService];
      const workspace = { name: 'racing' };
      await send(one.url, '/admin/workspaces', { token, body: JSON.stringify(workspace) });
      const made = await send(two.url, '/admin/tokens', {
        token,
        body: JSON.stringify({ scopes: ['read', 'write'], workspace: 'racing' }),
      });
      assert.equal(made.status, 200, made.text);
      const theirs = made.json<{ token: string; id: string }>();
      const path = '/topics/cars/streams/s/parameters/data';
      const row = '{"timestamps":[1],"numericValues":{"speed":[2.5]}}';
      const written = await send(three.url, path, { token: theirs.token, body: row });
      assert.equal(written.status, 200, written.text);
      await send(one.url, `/admin/tokens/${theirs.id}`, { method: 'DELETE', token });
      assert.equal((await send(one.url, path, { token: theirs.token, body: row })).status, 401);
    });

    it('take it on the hub as well, at the first request and with a WebSocket', async () => {
      const [one, two] = nodes as [RunningService, RunningService, RunningService];
      const newToken = async (): Promise<string> => {
        const made = await send(one.url, '/admin/tokens', { token, body: '{"scopes":["read"]}' });
        return made.json<{ token: string }>().token;
      };
      const negotiated = await send(two.url, '/hub/negotiate?negotiateVersion=1', {
        method: 'POST',
        token: await newToken(),
      });
      assert.equal(negotiated.status, 200, negotiated.text);
      const socket = new WebSocket(`${two.url.replace('http', 'ws')}/hub?access_token=${await newToken()}`);
      await once(socket, 'open');
      socket.send('{"protocol":"json","version":1}\u001e');
      const [answer] = (await once(socket, 'message')) as [Buffer];
      assert.equal(answer.toString(), '{}\u001e');
      socket.close();
      const refused = new WebSocket(`${two.url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
      const [error] = (await once(refused, 'error')) as [Error];
      assert.match(error.message, /401/);
    });

    it('count their inserts', async () => {
      const shown = await Promise.all(
        nodes.map(async ({ url }) => (await send(url, '/metrics', { token })).text),
      );
      const counts = shown.map((text) => Number(/^pitwall_insert_seconds_count (\d+)$/m.exec(text)?.[1]));
      assert.ok(counts.reduce((sum, count) => sum + count, 0) > 0);
      for (const text of shown) assert.match(text, /^pitwall_insert_failures_total 0$/m);
    });

    it('refuse a token that nobody made', async () => {
      for (const { url } of nodes)
        assert.equal((await send(url, '/streams', { token: adminToken, body: '{}' })).status, 401);
    });

    it('stop cleanly', async () => {
      for (const { stop } of nodes) assert.equal((await stop()).code, 0);
    });
  });
});

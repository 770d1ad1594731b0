import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engineMissing, startEngine } from '../clickhouse/engine.ts';
import { type FaultyProxy, type Passing, startFaultyProxy } from '../clickhouse/faulty-proxy.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { adminToken, launchNode, type Reply, type RunningService, send } from './service.ts';

interface Readiness {
  readonly status: string;
  readonly live?: string;
  readonly problems: readonly string[];
}

/** What a load balancer sees of a node while ClickHouse and NATS go away and come back under it. */
describe('a running node', { skip: engineMissing, timeout: 300_000 }, () => {
  let engine: Engine;
  let proxy: FaultyProxy;
  before(async () => {
    engine = await startEngine();
    proxy = await startFaultyProxy(engine);
  });
  after(async () => {
    await proxy?.stop();
    await engine?.stop();
  });

  async function start(database: string, args: readonly string[] = []): Promise<RunningService> {
    const node = launchNode({
      args: ['--store', proxy.urlOf(engine.urlOf(database)), ...args],
      env: { PITWALL_TOKEN: adminToken },
    });
    after(() => node.stop('SIGKILL'));
    return await node.ready;
  }

  const readyz = ({ url }: RunningService): Promise<Reply> => send(url, '/readyz');
  const ready = async (node: RunningService): Promise<Readiness> => (await readyz(node)).json<Readiness>();
  const isReady = async (node: RunningService): Promise<boolean> => (await readyz(node)).status === 200;
  const isNot = async (node: RunningService): Promise<boolean> => (await readyz(node)).status === 503;

  const metrics = async ({ url }: RunningService): Promise<string> => (await send(url, '/metrics')).text;

  function write({ url }: RunningService, n: number): Promise<Reply> {
    const body = JSON.stringify({ timestamps: [n], numericValues: { Speed: [n] } });
    return send(url, '/topics/cars/streams/s/parameters/data', { body });
  }

  async function written(node: RunningService): Promise<unknown> {
    const body = '{"streamIds":["s"],"numericParameters":[{"parameterName":"Speed"}]}';
    const reply = await send(node.url, '/parameters/data', { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.json<{ numericValues: unknown }>().numericValues;
  }

  const isInsert = ({ query }: Passing): boolean => query.startsWith('INSERT');
  const away = {
    refuses: [() => proxy.set({ kind: 'refuse' }), () => proxy.set({ kind: 'pass' })],
    // An insert that hangs has its own, long patience, so these meet an end at once.
    'does not answer': [
      () => proxy.set((passing) => ({ kind: isInsert(passing) ? 'refuse' : 'hang' })),
      () => proxy.set({ kind: 'pass' }),
    ],
    'is killed': [() => engine.kill(), () => engine.restart()],
  } as const;

  for (const [what, [go, comeBack]] of Object.entries(away)) {
    it(`is not ready while its ClickHouse ${what}, and is again by itself`, async () => {
      const node = await start(`ready_${what.replaceAll(' ', '_')}`);
      assert.equal((await write(node, 1)).status, 200);
      assert.deepEqual(await ready(node), { status: 'ready', problems: [] });

      await go();
      await until(() => isNot(node));
      const told = (await readyz(node)).json<{ code: string; detail: string }>();
      assert.equal(told.code, 'not_ready');
      assert.match(told.detail, /^ClickHouse does not answer: /);
      assert.equal((await send(node.url, '/healthz', { token: null })).status, 200);
      assert.match(await metrics(node), /^pitwall_writable 0$/m);
      const waiting = write(node, 2);
      await until(async () => !/^pitwall_head_bytes 0$/m.test(await metrics(node)));

      await comeBack();
      await until(() => isReady(node));
      assert.deepEqual(await ready(node), { status: 'ready', problems: [] });
      // What came meanwhile was kept, and is acknowledged once ClickHouse has it.
      assert.equal((await waiting).status, 200);
      assert.deepEqual(await written(node), { Speed: [1, 2] });
      assert.match(await metrics(node), /^pitwall_writable 1$/m);
      assert.match(node.stderr(), /"ClickHouse answers again"/);
      assert.equal((await node.stop()).code, 0);
    });
  }

  it('says that NATS is gone, and takes writes all the same', { skip: natsMissing }, async () => {
    const nats = await startNats();
    const node = await start('ready_nats', ['--live', nats.url]);
    await until(async () => (await ready(node)).live === 'connected');
    assert.deepEqual(await ready(node), { status: 'ready', live: 'connected', problems: [] });

    await nats.kill();
    await until(async () => (await ready(node)).live === 'disconnected');
    const { status, problems } = await ready(node);
    assert.equal(status, 'ready');
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^the live link to NATS .* is down/);
    assert.match(await metrics(node), /^pitwall_live_connected 0$/m);
    assert.equal((await write(node, 1)).status, 200);

    // Both at once: it is ClickHouse that takes it out of service.
    proxy.set({ kind: 'refuse' });
    await until(() => isNot(node));
    proxy.set({ kind: 'pass' });
    await until(() => isReady(node));

    await nats.start();
    await until(async () => (await ready(node)).live === 'connected');
    assert.deepEqual(await ready(node), { status: 'ready', live: 'connected', problems: [] });
    assert.match(await metrics(node), /^pitwall_live_connected 1$/m);
    assert.equal((await node.stop()).code, 0);
  });
});

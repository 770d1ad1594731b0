import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { httpWriter, hubClient, hubWriter } from './nodes-clients.ts';
import { assertRows, assertSame, moreRows, speeds, write } from './replicas-checks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { adminToken, launchService, run, send } from './service.ts';

describe('three replicas over one log', { skip: natsMissing }, () => {
  it('answer the same, whatever was written to whom', async () => {
    const cluster = await startReplicas();
    for (const node of cluster.nodes) await node.takesWrites();
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    for (let n = 0; n < 30; n++) await write(cluster.nodes[n % 3]!, `s${n % 4}`, n);
    const put = (node: Replica, path: string, body: unknown, method = 'POST') =>
      send(node.url, path, { method, body: JSON.stringify(body) });
    const done = [
      await put(one, '/topics/t/streams/s0/events/data', [{ timestamp: 5, id: 'Lap', value: '1' }]),
      await put(two, '/topics/t/streams', { streamId: 'made', name: 'Made', metadata: { a: 'b' } }),
      await put(
        three,
        '/topics/t/streams/s1/parameters',
        [{ id: 'Speed', unit: 'm/s', maximumValue: 100 }],
        'PUT',
      ),
      await put(one, '/topics/t/calculated', [{ id: 'Half', expression: 'Speed / 2' }], 'PUT'),
      await put(two, '/admin/tokens', { scopes: ['read'], name: 'reader' }),
      await put(three, '/admin/workspaces', { name: 'other' }),
      await put(one, '/views', { name: 'mine', content: {} }),
      await put(two, '/streams/delete', { streamIds: ['s3'] }),
      await put(three, '/parameters/data/delete', {
        topic: 't',
        streamIds: ['s2'],
        startTime: 0,
        endTime: 10,
      }),
    ];
    for (const [i, { status, text }] of done.entries())
      assert.ok(status < 300 || i === 6 || i > 6, `${i}: ${text}`);
    await cluster.even();
    await assertSame(cluster);
    // A token of one is one of all.
    const { token } = done[4]!.json<{ token: string }>();
    for (const { url } of cluster.nodes)
      assert.equal((await send(url, '/streams', { body: '{}', token })).status, 200);
    // Who says how far the writer was sees what it wrote, wherever it reads.
    for (let n = 100; n < 120; n++) {
      const { headers } = await write(one, 'seen', n);
      const sequence = String(headers['pitwall-sequence']);
      assert.match(sequence, /^\d+$/);
      assert.equal((await speeds(three, 'seen', { 'pitwall-sequence': sequence })).at(-1), n);
    }
    // What has no time of its own has that of the node that took it.
    const before = BigInt(Date.now()) * 1_000_000n;
    const line = await send(two.url, '/write?db=lines', {
      body: 'm v=1',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(line.status, 204, line.text);
    const [stream] = (await send(two.url, '/streams?int64=string', { body: '{"topic":"lines"}' })).json<
      { dataStart: string }[]
    >();
    assert.ok(BigInt(stream!.dataStart) >= before);
    const wrong = await send(one.url, '/streams', { body: '{}', headers: { 'pitwall-sequence': 'x' } });
    assert.equal(wrong.status, 400);
    await until(async () => 'leaseHolder' in (await send(one.url, '/admin/replicas')).json<object>());
    const told = await run(['cluster', '--url', one.url], { PITWALL_TOKEN: adminToken });
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /node1 .*taken/);
    assert.match(told.stdout, /nats\d .*leads/);
    assert.match(told.stdout, /has it/);
    // A node that looked at its streams meanwhile, as one does that starts, brings no more rows back than the others.
    await put(one, '/topics/t', { retention: '1h' }, 'PUT');
    await two.stop('SIGKILL');
    await two.start();
    await two.takesWrites();
    await put(two, '/topics/t', {}, 'PUT');
    await write(three, 's0', 0);
    await cluster.even();
    await assertSame(cluster);
    for (const node of cluster.nodes) assert.deepEqual(await speeds(node, 's0'), [0]);
  });

  it('tell live readers of each node every row once and in order', async () => {
    const cluster = await startReplicas();
    for (const node of cluster.nodes) await node.takesWrites();
    const readers = await Promise.all(
      cluster.nodes.map(async ({ url }) => {
        const connection = hubClient(url, 'WebSockets');
        const came: number[] = [];
        connection.on('ParameterDataReceived', ({ timestamps }: { timestamps: string[] }) =>
          came.push(...timestamps.map(Number)),
        );
        await connection.start();
        await connection.invoke('SubscribeToParameter', 't', '*', '*');
        return came;
      }),
    );
    const rows = Array.from({ length: 60 }, (_, n) => n);
    for (const n of rows) await write(cluster.nodes[n % 3]!, 's', n);
    await until(() => readers.every((came) => came.length >= rows.length));
    for (const came of readers) assert.deepEqual(came, rows);
  });

  it('lose nothing and stay the same where nodes and servers of the log are killed under load', async () => {
    const cluster = await startReplicas();
    const writers = [
      ...cluster.nodes.map(({ url, name }) => httpWriter(url, 't', `http-${name}`)),
      ...(await Promise.all(
        cluster.nodes.map(({ url, name }) => hubWriter(url, 'WebSockets', 't', `hub-${name}`)),
      )),
    ];
    await moreRows(writers);
    for (const part of [cluster.nodes[0]!, cluster.servers[0]!, cluster.nodes[1]!, cluster.servers[1]!]) {
      await part.stop('SIGKILL');
      await moreRows(writers.filter(({ stream }) => !stream.endsWith(part.name)));
      await part.start();
      await moreRows(writers);
    }
    // A node that is paused comes back believing that nothing has happened.
    cluster.nodes[2]!.signal('SIGSTOP');
    await moreRows(
      writers.filter(({ stream }) => !stream.endsWith('node3')),
      30,
    );
    cluster.nodes[2]!.signal('SIGCONT');
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });

  it('refuse writes without a majority of the log, and go on reading', async () => {
    const cluster = await startReplicas();
    for (const node of cluster.nodes) await node.takesWrites();
    await write(cluster.nodes[0]!, 's', 1);
    await cluster.even();
    for (const server of cluster.servers.slice(0, 2)) await server.stop('SIGKILL');
    for (const node of cluster.nodes) {
      const refused = await send(node.url, '/topics/t/streams/s/parameters/data', {
        body: '{"timestamps":[2],"numericValues":{"Speed":[2]}}',
      });
      assert.equal(refused.status, 503, refused.text);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.deepEqual(await speeds(node, 's'), [1]);
      await until(async () => (await node.ready())?.status === 503);
    }
    for (const server of cluster.servers.slice(0, 2)) await server.start();
    await cluster.nodes[0]!.takesWrites();
    await write(cluster.nodes[0]!, 's', 3);
    await cluster.even();
    // What was refused may have come in all the same, at all nodes or at none.
    const rows = await speeds(cluster.nodes[0]!, 's');
    assert.ok(rows.includes(1) && rows.includes(3));
    await assertSame(cluster);
  });

  it('read at once what another node has written, where each read waits for the log', async () => {
    const cluster = await startReplicas({ args: ['--read-barrier'] });
    for (const node of cluster.nodes) await node.takesWrites();
    for (let n = 0; n < 40; n++) {
      await write(cluster.nodes[n % 3]!, 's', n);
      assert.equal((await speeds(cluster.nodes[(n + 1) % 3]!, 's')).at(-1), n);
    }
  });

  it('build on the data of a node that was alone, which the others take as a backup', async () => {
    const cluster = await startReplicas({ started: 0 });
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    const before = await launchService(one.dataDir);
    for (let n = 0; n < 20; n++) await write(before, 's', n);
    await before.stop();
    await one.start();
    // Killed before it has written anything: the log builds on its data all the same.
    await one.stop('SIGKILL');
    await one.start();
    await one.takesWrites();
    await write(one, 's', 20);
    await two.start();
    await two.takesWrites();
    await write(two, 's', 21);
    // Killed while it takes its backup, or before: it begins again.
    three.start().catch(() => undefined);
    await three.stop('SIGKILL').catch(() => undefined);
    await three.start();
    await three.takesWrites();
    await write(three, 's', 22);
    await cluster.even();
    assert.deepEqual(
      await speeds(three, 's'),
      Array.from({ length: 23 }, (_, n) => n),
    );
    await assertSame(cluster);
  });

  it('give a new node a backup where the log is long, and the log alone where no other node is there', async () => {
    const cluster = await startReplicas({ started: 1 });
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    await one.takesWrites();
    await write(one, 's', 0);
    const Text = Array.from({ length: 100 }, (_, i) => `${i}`.repeat(30_000 / `${i}`.length));
    for (let n = 0; n < 7; n++) {
      const timestamps = Text.map((_, i) => n * 100 + i);
      const body = JSON.stringify({ timestamps, stringValues: { Text } });
      const { status, text } = await send(one.url, '/topics/long/streams/s/parameters/data', { body });
      assert.equal(status, 200, text);
    }
    await two.start();
    await two.takesWrites();
    assert.match(two.stderr(), /has a backup of another one/);
    for (const node of [one, two]) await node.stop('SIGTERM');
    await three.start();
    await three.takesWrites();
    assert.doesNotMatch(three.stderr(), /has a backup of another one/);
    await write(three, 's', 1);
    for (const node of [one, two]) await node.start();
    await cluster.even();
    assert.deepEqual(await speeds(two, 's'), [0, 1]);
    await assertSame(cluster);
  });
});

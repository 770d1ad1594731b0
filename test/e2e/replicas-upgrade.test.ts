import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { newerBuild } from './newer-build.ts';
import { httpWriter } from './nodes-clients.ts';
import { assertRows, assertSame, moreRows, speeds } from './replicas-checks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { send } from './service.ts';

describe('replicas of two releases', { skip: natsMissing }, () => {
  it('go on one after the other: an older one stops before what it does not know, says so and reads, and loses nothing', async () => {
    const newer = newerBuild();
    const cluster = await startReplicas();
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    for (const node of cluster.nodes) await node.takesWrites();
    const writers = cluster.nodes.map(({ url, name }) => httpWriter(url, 't', `at-${name}`));
    await moreRows(writers);
    await one.stop('SIGTERM');
    await one.start(newer);
    await moreRows(writers.slice(0, 1));
    for (const node of [two, three]) await stopsBefore(node, ofVersion2);
    // It is the same after a start of the older build.
    await two.stop('SIGKILL');
    await two.start();
    await stopsBefore(two, ofVersion2);
    for (const node of [two, three]) {
      await moreRows(writers.slice(0, 1));
      await node.stop('SIGTERM');
      await node.start(newer);
      await node.takesWrites();
    }
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });

  it('stop before what another program has written to the log, and go on with a log that builds on one of them', async () => {
    const cluster = await startReplicas();
    const [one, two, three] = cluster.nodes as [Replica, Replica, Replica];
    for (const node of cluster.nodes) await node.takesWrites();
    const writers = cluster.nodes.map(({ url, name }) => httpWriter(url, 't', `at-${name}`));
    await moreRows(writers);
    const { connect } = await import('@nats-io/transport-node');
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const connection = await connect({ servers: `127.0.0.1:${cluster.servers[0]!.port}` });
    await connection.request('pitwall.replicas.pitwall', 'hello');
    for (const node of cluster.nodes) await stopsBefore(node, ofAnother);
    for (const node of cluster.nodes) await node.stop('SIGTERM');
    await (await jetstreamManager(connection)).streams.delete('PITWALL_pitwall');
    await connection.close();
    await one.start();
    await moreRows(writers.slice(0, 1));
    for (const node of [two, three]) {
      rmSync(node.dataDir, { recursive: true });
      await node.start();
    }
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });
});

const ofVersion2 = /cannot read message \d+ of the log \(a record of version 2\): upgrade this node/;
const ofAnother = /cannot read message \d+ of the log .*see who else writes to the log/;

/** A node refuses writes because of what is in the log, tells why, and reads. */
async function stopsBefore(node: Replica, why: RegExp): Promise<void> {
  await until(async () => why.test((await node.ready())?.text ?? ''));
  assert.equal((await node.ready())?.status, 503);
  const refused = await send(node.url, '/topics/t/streams/refused/parameters/data', {
    body: '{"timestamps":[2],"numericValues":{"Speed":[2]}}',
  });
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, why);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.ok((await speeds(node, `at-${node.name}`)).length > 0);
  assert.match(node.stderr(), why);
}

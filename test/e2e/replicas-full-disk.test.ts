import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { smallDisk } from './faulty-disk.ts';
import { httpWriter } from './nodes-clients.ts';
import { assertRows, assertSame, moreRows, speeds } from './replicas-checks.ts';
import { startReplicas } from './replicas-cluster.ts';
import { fill } from './replicas-faults.ts';

describe('replicas of which one has a full disk', { skip: natsMissing }, () => {
  it('go on, while it says so and reads, and catches up when there is room', async (t) => {
    const disk = smallDisk(256);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    const folderOf = (name: string) => (name === 'node1' ? join(disk.path, 'data') : undefined);
    const cluster = await startReplicas({ folderOf });
    // Behind the end of its processes.
    after(() => disk.remove());
    for (const node of cluster.nodes) await node.takesWrites();
    const writers = cluster.nodes.map(({ url, name }) => httpWriter(url, 't', `at-${name}`));
    await moreRows(writers);
    const [one] = cluster.nodes;
    const free = fill(disk.path);
    await moreRows(writers.slice(1), 200);
    await until(async () => (await one!.ready())?.status === 503);
    assert.match((await one!.ready())!.text, /disk/);
    assert.ok((await speeds(one!, 'at-node1')).length > 0);
    free();
    await moreRows(writers);
    await Promise.all(writers.map((writer) => writer.stop()));
    await cluster.even();
    await assertRows(cluster, writers);
    await assertSame(cluster);
  });
});

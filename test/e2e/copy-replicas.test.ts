import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsMissing } from '../live/nats-server.ts';
import { argsOf, compare, copy, fill, must } from './copy-world.ts';
import { startReplicas } from './replicas-cluster.ts';
import { startService } from './service.ts';

describe('copy to and from replicas', { skip: natsMissing }, () => {
  it('gives each node everything, and the next service all of it again', async () => {
    const source = await startService();
    const filled = await fill(source);
    const { nodes, even } = await startReplicas();
    const args = argsOf(source.url, nodes[0]!);
    await copy(args);
    await even();
    for (const node of nodes) await compare(source, node, filled);
    await must(source, 'DELETE', '/views/plain');
    await must(source, 'POST', '/streams/delete', { streamIds: ['far'] });
    assert.match(await copy(args), /1 streams are gone from the source/);
    const back = await startService();
    await copy(argsOf(nodes[2]!.url, back));
    await compare(source, back, filled);
  });
});

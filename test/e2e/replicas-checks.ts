import assert from 'node:assert/strict';
import { until } from '../until.ts';
import type { RowWriter } from './nodes-clients.ts';
import type { Replica, ReplicaCluster } from './replicas-cluster.ts';
import { type Reply, send } from './service.ts';

const everything = [
  ['/parameters/data', { topic: 't', numericParameters: [{ parameterName: 'Speed' }] }],
  ['/parameters/data', { topic: 't', stringParameters: [{ parameterName: 'Text' }] }],
  ['/events/data', { topic: 't', eventIds: ['Lap'] }],
  ['/streams', { includeStatuses: ['SoftDeleted', 'Open', 'Closed', 'Interrupted'] }],
  ['/parameters', {}],
  ['/events', {}],
] as const;

/** What a node says of everything, without what depends on when it is asked. */
async function toldBy({ url }: Pick<Replica, 'url'>): Promise<string[]> {
  const told: string[] = [];
  const take = ({ status, text }: Reply): void => {
    assert.equal(status, 200, text);
    told.push(text.replaceAll(/"status":"\w+"/g, ''));
  };
  for (const [path, query] of everything) take(await send(url, path, { body: JSON.stringify(query) }));
  for (const path of ['/admin/tokens', '/admin/workspaces', '/topics/t/calculated', '/views'])
    take(await send(url, path));
  return told;
}

/** Every node tells the same of everything. */
export async function assertSame({ nodes }: ReplicaCluster): Promise<void> {
  const [first, ...others] = await Promise.all(nodes.map(toldBy));
  for (const other of others) assert.deepEqual(other, first);
}

/** One row, and what the answer is. */
export async function write({ url }: Pick<Replica, 'url'>, stream: string, n: number) {
  const reply = await send(url, `/topics/t/streams/${stream}/parameters/data`, {
    body: JSON.stringify({
      timestamps: [n],
      numericValues: { Speed: [n] },
      stringValues: { Text: [`${n}`] },
    }),
  });
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

/** The Speed of a stream, in order of time. */
export async function speeds({ url }: Pick<Replica, 'url'>, stream: string, headers = {}): Promise<number[]> {
  const { status, text } = await send(url, '/parameters/data', {
    body: JSON.stringify({
      topic: 't',
      streamIds: [stream],
      numericParameters: [{ parameterName: 'Speed' }],
    }),
    headers,
  });
  assert.equal(status, 200, text);
  const { numericValues = {} } = JSON.parse(text) as { numericValues?: Record<string, number[]> };
  return numericValues['Speed'] ?? [];
}

/** Resolves when each writer has written so many rows more. */
export async function moreRows(writers: readonly RowWriter[], rows = 10): Promise<void> {
  const wanted = writers.map(({ acknowledged }) => acknowledged + rows);
  await until(() => writers.every(({ acknowledged }, i) => acknowledged >= wanted[i]!));
}

/** Every node has each row that was acknowledged, once and in its place. */
export async function assertRows({ nodes }: ReplicaCluster, writers: readonly RowWriter[]): Promise<void> {
  for (const node of nodes) {
    for (const { stream, acknowledged } of writers)
      assert.deepEqual(
        await speeds(node, stream),
        Array.from({ length: acknowledged }, (_, n) => n),
        `${stream} at ${node.name}`,
      );
  }
}

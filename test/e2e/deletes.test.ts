import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Reply, type RunningService, send, startService, temporaryFolder } from './service.ts';

interface Found {
  readonly streamId: string;
  readonly topic: string;
  readonly status: string;
}

async function write(url: string, topic: string, streamId: string, times: readonly number[]): Promise<void> {
  const body = JSON.stringify({ timestamps: times, numericValues: { speed: times } });
  const answer = await send(url, `/topics/${topic}/streams/${streamId}/parameters/data`, { body });
  assert.equal(answer.status, 200, answer.text);
}

async function find(url: string, filter: object = {}): Promise<string[]> {
  const found = (await send(url, '/streams', { body: JSON.stringify(filter) })).json<Found[]>();
  return found.map(({ topic, streamId, status }) => `${topic}/${streamId} ${status}`);
}

async function speeds(url: string, filter: object = {}): Promise<number[]> {
  const body = JSON.stringify({ ...filter, numericParameters: [{ parameterName: 'speed' }] });
  return (await send(url, '/parameters/data', { body })).json<{ timestamps: number[] }>().timestamps;
}

async function change(url: string, path: string, body: object, token?: string): Promise<object> {
  const text = JSON.stringify(body);
  const isDelete = path === '/streams';
  const answer = await (isDelete
    ? remove(url, text, token)
    : send(url, path, { body: text, ...(token && { token }) }));
  assert.equal(answer.status, 200, answer.text);
  return answer.json<object>();
}

/** Node's client gives the body of a DELETE no length by itself. */
function remove(url: string, body: string, token?: string): Promise<Reply> {
  const headers = { 'content-length': String(Buffer.byteLength(body)) };
  return send(url, '/streams', { method: 'DELETE', body, headers, ...(token && { token }) });
}

async function tokenWith({ url }: RunningService, scopes: readonly string[]): Promise<string> {
  const body = JSON.stringify({ scopes });
  return (await send(url, '/admin/tokens', { body })).json<{ token: string }>().token;
}

describe('deletes of streams over HTTP', () => {
  it('are soft unless asked otherwise: hidden with their rows, there again when restored or written to', async () => {
    const { url } = await startService();
    await write(url, 'cars', 'a', [1, 2]);
    await write(url, 'cars', 'b', [3]);
    await write(url, 'bikes', 'a', [4]);
    await send(url, '/topics/cars/streams/a/close', { body: '{"endType":"Aborted"}' });

    assert.deepEqual(await change(url, '/streams', { streamIds: ['a'], topic: 'CARS' }), { deleted: 1 });
    assert.deepEqual(await change(url, '/streams/delete', { streamIds: ['a'], topic: 'CARS' }), {
      deleted: 0,
    });
    assert.deepEqual(await find(url), ['cars/b Open', 'bikes/a Open']);
    assert.deepEqual(await find(url, { includeStatuses: ['softdeleted'] }), ['cars/a SoftDeleted']);
    assert.deepEqual(await speeds(url), [3, 4]);
    assert.equal((await send(url, '/topics/cars/streams/a/close', { body: '{}' })).status, 404);

    assert.deepEqual(await change(url, '/streams/restore', { location: '/' }), { restored: 1 });
    assert.deepEqual(await find(url, { topic: 'cars' }), ['cars/a Aborted', 'cars/b Open']);
    assert.deepEqual(await speeds(url), [1, 2, 3, 4]);

    assert.deepEqual(await change(url, '/streams/delete', { topics: ['cars'] }), { deleted: 2 });
    assert.deepEqual(await speeds(url), [4]);
    await write(url, 'cars', 'a', [9]);
    assert.deepEqual(await find(url, { topic: 'cars' }), ['cars/a Open']);
    assert.deepEqual(await speeds(url, { topic: 'cars' }), [1, 2, 9]);
  });

  it('are for good with hardDelete, whatever the status, also after kill -9', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir });
    await write(first.url, 'cars', 'a', [1, 2]);
    await write(first.url, 'cars', 'b', [3]);
    await change(first.url, '/streams', { streamIds: ['a'] });
    assert.deepEqual(await change(first.url, '/streams', { streamIds: ['a', 'none'], hardDelete: true }), {
      deleted: 1,
    });
    await write(first.url, 'cars', 'a', [7]);
    await first.stop('SIGKILL');

    const { url } = await startService({ dataDir });
    assert.deepEqual(await change(url, '/streams/restore', { location: '/' }), { restored: 0 });
    assert.deepEqual((await find(url)).sort(), ['cars/a Open', 'cars/b Open']);
    assert.deepEqual(await speeds(url, { streamIds: ['a'] }), [7]);
  });

  it('need the scope write, for good admin, and restores write', async () => {
    const service = await startService();
    const { url } = service;
    await write(url, 'cars', 'a', [1]);
    const body = '{"streamIds":["a"]}';
    const hard = '{"streamIds":["a"],"hardDelete":true}';
    const reader = await tokenWith(service, ['read']);
    const writer = await tokenWith(service, ['write']);
    for (const [path, text, token] of [
      ['/streams', body, reader],
      ['/streams/delete', body, reader],
      ['/streams/restore', body, reader],
      ['/streams/delete', hard, writer],
    ] as const) {
      const answer = await (path === '/streams'
        ? remove(url, text, token)
        : send(url, path, { body: text, token }));
      assert.equal(answer.status, 403, `${path} ${text}`);
    }
    assert.deepEqual(await find(url), ['cars/a Open']);
    assert.deepEqual(await change(url, '/streams', { streamIds: ['a'] }, writer), { deleted: 1 });
    assert.deepEqual(await change(url, '/streams/restore', { streamIds: ['a'] }, writer), { restored: 1 });
  });

  it('are refused without a filter that selects, and then nothing is deleted', async () => {
    const { url } = await startService();
    await write(url, 'cars', 'a', [1]);
    for (const body of ['', '{}', '{"streamIds":[]}', '{"topic":""}', '{"hardDelete":true}']) {
      for (const answer of [await remove(url, body), await send(url, '/streams/delete', { body })]) {
        assert.equal(answer.status, 400, `${body}: ${answer.text}`);
      }
    }
    assert.equal((await send(url, '/streams', { method: 'DELETE' })).status, 400);
    const misspelt = await remove(url, '{"streamId":["a"]}');
    assert.match(misspelt.text, /streamIds/);
    assert.deepEqual(await find(url), ['cars/a Open']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { mostMemory } from './most-memory.ts';
import { type RunningService, type Sent, send, startService } from './service.ts';

/** A body of so many bytes, most of them the same element again and again. */
function list(bytes: number, element: string): Buffer {
  const count = Math.floor(bytes / (element.length + 1)) - 10;
  return Buffer.from(`{"streamIds":[${`${element},`.repeat(count)}${element}]}`);
}

const zipped = (body: Buffer): Sent => ({
  method: 'POST',
  body: gzipSync(body),
  headers: { 'content-encoding': 'gzip' },
});

const queries = [
  ...['/streams', '/streams/models', '/parameters', '/events', '/topics', '/parameters/data', '/events/data'],
  ...['/tags/values', '/parameters/data/delete', '/streams/delete', '/streams/restore'],
];
const settings: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/topics/t/streams'],
  ['PUT', '/topics/t/streams/s'],
  ['PUT', '/topics/t'],
  ['POST', '/admin/tokens'],
  ['POST', '/admin/workspaces'],
  ['PUT', '/admin/workspaces/w'],
];

interface Problem {
  readonly code: string;
  readonly detail: string;
}

async function refused(service: RunningService, path: string, sent: Sent): Promise<[number, string, string]> {
  const reply = await send(service.url, path, sent);
  const { code, detail } = reply.json<Problem>();
  return [reply.status, code, detail];
}

describe('a small body that becomes large', async () => {
  const service = await startService();
  const narrow = await startService({ args: ['--max-body-bytes=2MiB', '--max-in-flight-bytes=4MiB'] });

  it('is refused by its length, with the limit of its kind', async () => {
    const bomb = zipped(list(32 * 1024 * 1024 - 100, '{}'));
    for (const path of queries) {
      const [status, code, detail] = await refused(service, path, bomb);
      assert.deepEqual([status, code], [413, 'body_too_large'], path);
      assert.equal(detail, 'a query or filter may have 4194304 bytes at most, decompressed');
    }
    for (const [method, path] of settings) {
      const [status, code, detail] = await refused(service, path, { ...bomb, method });
      assert.deepEqual([status, code], [413, 'body_too_large'], path);
      assert.equal(detail, 'a body of settings or properties may have 262144 bytes at most, decompressed');
    }
  });

  it('is refused at the place where its values take too much, in bounded memory', async () => {
    const bomb = zipped(list(4 * 1024 * 1024, '{}'));
    for (const path of queries) {
      const [status, code, detail] = await refused(service, path, bomb);
      assert.deepEqual([status, code], [413, 'body_too_large'], path);
      assert.match(detail, /^streamIds\[\d+\] is where the values of the body take more than 67108864 bytes/);
    }
    const events = zipped(Buffer.from(`[${String(list(31 * 1024 * 1024, '{}')).slice(13, -1)}]`));
    const [status, , detail] = await refused(service, '/topics/t/streams/s/events/data', events);
    assert.deepEqual([status, detail.slice(0, 4)], [413, '[0][']);
    // Before, one of these alone took 2.5 GB.
    const most = mostMemory(service);
    if (most !== undefined) assert.ok(most < 800 * 1024 * 1024, `the process had ${most} bytes`);
  });

  it('counts as what it becomes against the memory of all requests', async () => {
    const body = zipped(list(1024 * 1024, '"a"'));
    for (const path of queries) {
      const [status, code, detail] = await refused(narrow, path, body);
      assert.deepEqual(
        [status, code, detail],
        [503, 'overloaded', 'too many bytes are in flight; try again soon'],
        path,
      );
    }
    const parents = zipped(Buffer.from(String(list(256 * 1024, '{}')).replace('streamIds', 'parents')));
    const events = zipped(
      Buffer.from(`[${'{"id":"a","timestamp":1},'.repeat(50_000)}{"id":"a","timestamp":1}]`),
    );
    for (const [path, sent] of [
      ['/topics/t/streams', parents],
      ['/topics/t/streams/s/events/data', events],
    ] as const) {
      const [status, code] = await refused(narrow, path, sent);
      assert.deepEqual([status, code], [503, 'overloaded'], path);
    }
    const reply = await send(narrow.url, '/streams', { body: '{"streamIds":["a"]}' });
    assert.equal(reply.status, 200);
  });
});

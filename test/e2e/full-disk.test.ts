import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { smallDisk } from './faulty-disk.ts';
import { isOnClickHouse, launchService, send } from './service.ts';

/** Numbers that cannot be packed: 80 KB. */
const rows = 5000;

describe('a full disk', { skip: isOnClickHouse && 'its disk is that of ClickHouse' }, () => {
  it('takes deletes and retention, which make room for writes', async (t) => {
    const disk = smallDisk(24);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    const dataDir = join(disk.path, 'data');
    let service = await launchService(dataDir, { args: ['--head-bytes', '8MiB'] });
    const codeOf = async (path: string, body: unknown, method = 'POST') => {
      const reply = await send(service.url, path, { method, body: JSON.stringify(body) });
      return reply.status === 200 ? 'done' : reply.json<{ code: string }>().code;
    };
    let written = 0;
    const write = () => {
      const timestamps = Array.from({ length: rows }, (_, i) => written * rows + i);
      const numericValues = { a: timestamps.map(Math.random), b: timestamps.map(Math.random) };
      const path = `/topics/t/streams/s${written++ % 4}/parameters/data`;
      return codeOf(path, { timestamps, numericValues });
    };
    try {
      while ((await write()) !== 'disk_full');
      // All but what came last: a part that loses some of its rows has to be written again, and there may be no room for that.
      const range = { topic: 't', from: 0, to: (written - 4) * rows };
      assert.equal(await codeOf('/parameters/data/delete', range), 'done');
      assert.equal(await codeOf('/streams/delete', { streamIds: ['s3'], hardDelete: true }), 'done');
      assert.equal(await codeOf('/topics/t', { retention: '100y' }, 'PUT'), 'done');
      await until(async () => (await write()) === 'done', 30);
      await service.stop('SIGKILL');
      service = await launchService(dataDir);
      const { text } = await send(service.url, '/streams', { body: '{}' });
      assert.ok(text.includes('"s0"') && !text.includes(`"dataStart":0,`), text);
    } finally {
      await service.stop('SIGKILL');
      disk.remove();
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('flush of a writer', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const row = (time: number) => ({ timestamp: BigInt(time), numeric: { n: time } });
  const countOf = async (topic: string) =>
    (await client.query({ topic, numericParameters: [{ parameterName: 'n' }] })).timestamps.length;

  it('waits for what was written before, and for nothing that comes later', async () => {
    const most = 20;
    let requests = 0;
    let written = 1;
    const busy = createClient({
      url,
      token: adminToken,
      fetch: async (address, init) => {
        if (++requests < most) await writer.write('s', row(++written));
        return fetch(address, init);
      },
    });
    const writer = busy.writer('steady');
    await writer.write('s', row(1));
    await writer.flush();
    assert.ok(requests < most / 2, `${requests} requests`);
    assert.ok((await countOf('steady')) >= 1);
    requests = most;
    await writer.close();
    assert.equal(await countOf('steady'), written);
  });

  it('waits for rows that wait for room', async () => {
    const writer = client.writer('narrow', { maxBufferedRows: 3 });
    for (let time = 0; time < 20; time++) void writer.write('s', row(time));
    await writer.flush();
    assert.equal(await countOf('narrow'), 20);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, send, startService } from '../e2e/service.ts';

describe('rows that wait for room', async () => {
  const { url } = await startService();

  it('are overtaken by none that is written later', async () => {
    const most = 60;
    const sent: number[] = [];
    let time = 0;
    /** Writes without waiting, at each step between an answer and what comes of it. */
    const writeOn = async () => {
      for (let step = 0; step < 20 && time < most; step++) {
        void writer.write('s', { timestamp: BigInt(time), numeric: { n: time++ } });
        await undefined;
      }
    };
    // All are expired, so each answer is told of.
    await send(url, '/topics/in-line', { method: 'PUT', body: '{"retention":"1d"}' });
    const client = createClient({
      url,
      token: adminToken,
      fetch: (address, init) => {
        const [{ timestamps }] = JSON.parse(String(init!.body)) as [{ timestamps: string[] }];
        sent.push(...timestamps.map(Number));
        return fetch(address, init);
      },
    });
    const writer = client.writer('in-line', {
      maxRows: 3,
      maxBufferedRows: 5,
      onExpired: () => void writeOn(),
    });
    await writeOn();
    while (sent.length < most) await writer.flush();
    await writer.close();
    assert.deepEqual(
      sent,
      Array.from({ length: most }, (_, i) => i),
    );
  });
});

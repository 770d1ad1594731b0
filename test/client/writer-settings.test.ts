import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type WriterOptions } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('settings of a writer', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  it('are refused where no row would ever be sent', () => {
    for (const value of [0, -1, Number.NaN])
      for (const name of ['maxRows', 'maxBytes', 'maxBufferedRows'])
        assert.throws(() => client.writer('cars', { [name]: value }), {
          name: 'RangeError',
          message: `${name} is a number from 1, not ${value}`,
        });
    assert.throws(() => client.writer('cars', { maxDelayMs: Number.NaN }), {
      message: 'maxDelayMs is a number from 0, not NaN',
    });
    const whenFull = 'dropoldest' as 'dropOldest';
    assert.throws(() => client.writer('cars', { whenFull }), {
      name: 'TypeError',
      message: 'whenFull is wait, dropOldest or refuse, not dropoldest',
    });
  });

  it('are the defaults where they are undefined', async () => {
    const names = ['maxRows', 'maxBytes', 'maxDelayMs', 'maxBufferedRows', 'whenFull', 'retry'];
    const options = Object.fromEntries(names.map((name) => [name, undefined])) as WriterOptions;
    const writer = client.writer('undefined', options);
    await writer.write('s', { timestamp: 1n, numeric: { n: 1 } });
    await writer.close();
    assert.equal((await client.streams({ topic: 'undefined' })).length, 1);
  });

  it('may be without an end', async () => {
    const most = Number.POSITIVE_INFINITY;
    let requests = 0;
    const counting = createClient({
      url,
      token: adminToken,
      fetch: (...args) => {
        requests++;
        return fetch(...args);
      },
    });
    const writer = counting.writer('endless', {
      maxRows: most,
      maxBytes: most,
      maxDelayMs: most,
      maxBufferedRows: most,
    });
    for (let i = 0; i < 20; i++) {
      await writer.write('s', { timestamp: BigInt(i), numeric: { n: i } });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await writer.close();
    assert.equal(requests, 1);
  });

  it('of pauses are refused where there would be none, or no last attempt, as those of the client and live', () => {
    for (const name of ['firstDelayMs', 'longestDelayMs', 'attempts']) {
      const options = { retry: { [name]: Number.NaN } };
      const refusal = { name: 'RangeError', message: `retry.${name} is a number from 0, not NaN` };
      assert.throws(() => createClient({ url, token: adminToken, ...options }), refusal);
      assert.throws(() => client.writer('cars', options), refusal);
      assert.throws(() => client.live(options), refusal);
    }
    assert.throws(() => client.live({ maxQueue: Number.NaN }), { name: 'RangeError' });
  });

  it('of the client are the defaults too', async () => {
    let sent = 0;
    const retry = { attempts: undefined, firstDelayMs: 1 } as unknown as { attempts: number };
    const troubled = createClient({
      url,
      token: adminToken,
      retry,
      fetch: async () => {
        if (++sent > 50) throw new Error('for ever');
        return new Response('', { status: 503 });
      },
    });
    await assert.rejects(troubled.topics(), /answered 503/);
    assert.equal(sent, 5);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';
import { startWay } from './start-way.ts';

describe('metrics of a topic', async () => {
  const { url } = await startService();

  it('are given once each, in order, over a reconnect', async () => {
    await createClient({ url, token: adminToken }).createStream('cars');
    const way = await startWay(url);
    const live = createClient({ url: way.url, token: adminToken }).live({ retry: { firstDelayMs: 1 } });
    const metrics = live.topicMetrics('cars');
    const given: string[] = [];
    for (let i = 0; i < 5; i++) {
      if (i === 2) way.cut();
      given.push((await metrics.next()).value!.timestamp);
    }
    await live.close();
    assert.deepEqual(given, [...new Set(given)].sort());
  });
});

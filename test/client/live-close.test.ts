import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';
import { until } from '../until.ts';
import { startWay } from './start-way.ts';

describe('the end of a live connection', async () => {
  const { url } = await startService();
  const sumOf = async (metric: RegExp) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    return [...text.matchAll(metric)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const connections = () => sumOf(/^pitwall_hub_connections\{.*\} (\d+)$/gm);
  const negotiations = () => sumOf(/^pitwall_http_requests_total\{.*"\/hub\/negotiate".*\} (\d+)$/gm);

  it('does not wait for a service that says nothing, nor comes back when it speaks', async () => {
    const way = await startWay(url);
    way.isDark = true;
    const live = createClient({ url: way.url, token: adminToken }).live();
    const data = live.parameterData({ topic: 'cars' });
    await until(() => way.held() > 0);
    await live.close();
    assert.equal((await data.next()).done, true);
    const began = await negotiations();
    way.light();
    await until(async () => (await negotiations()) > began);
    assert.equal(await connections(), 0);
  });

  it('does not, either, while it connects again', async () => {
    const way = await startWay(url);
    const live = createClient({ url: way.url, token: adminToken }).live({ retry: { firstDelayMs: 1 } });
    const told: boolean[] = [];
    live.onConnection((connected) => told.push(connected));
    live.parameterData({ topic: 'cars' });
    await until(() => told.includes(true));
    way.isDark = true;
    way.cut();
    await until(() => way.held() > 0);
    await live.close();
    assert.deepEqual(told, [true, false]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';
import { until } from '../until.ts';
import { startWay } from './start-way.ts';

describe('a live connection that comes again', async () => {
  const args = ['--hub-max-subscriptions', '2', '--hub-max-message-bytes', '65536'];
  const { url } = await startService({ args });

  it('waits where the hub has no room for its subscriptions, says so, and goes on', async () => {
    const client = createClient({ url, token: adminToken });
    const way = await startWay(url);
    const repeats: string[] = [];
    const live = createClient({ url: way.url, token: adminToken }).live({
      retry: { firstDelayMs: 1, longestDelayMs: 20 },
      onRepeat: (error) => repeats.push(String(error)),
    });
    const told: boolean[] = [];
    live.onConnection((connected) => told.push(connected));
    const data = live.parameterData({ topic: 'cars' });
    await until(() => told.length === 1);
    const other = new HubConnectionBuilder()
      .withUrl(`${url}/hub`, { accessTokenFactory: () => adminToken })
      .configureLogging(LogLevel.None)
      .build();
    await other.start();
    await other.invoke('SubscribeToPackages', 'cars');
    way.isDark = true;
    way.cut();
    await until(() =>
      other.invoke('SubscribeToPackages', 'bikes').then(
        () => true,
        () => false,
      ),
    );
    way.light();
    await until(() => repeats.some((error) => error.includes('the token has 2 subscriptions')));
    await other.stop();
    await until(() => told.length === 3);
    assert.deepEqual(told, [true, false, true]);
    await client.writeParameterData('cars', 's', { timestamps: [1n], numericValues: { Speed: [1] } });
    assert.deepEqual((await data.next()).value?.timestamps, [1n]);
    await live.close();
  });

  it('says why it was lost', async () => {
    const live = createClient({ url, token: adminToken }).live();
    const reasons: (string | undefined)[] = [];
    let stands = false;
    live.onConnection((connected, reason) => {
      stands = connected;
      if (!connected) reasons.push(reason?.message);
    });
    live.parameterData({ topic: 'cars' });
    await until(() => stands);
    // One message that is above the limit of the hub ends its connection.
    live.parameterData({ topic: 'x'.repeat(70_000) });
    await until(() => reasons.length > 0);
    await live.close();
    assert.match(reasons[0]!, /Connection closed with an error\. .*65536/);
  });
});

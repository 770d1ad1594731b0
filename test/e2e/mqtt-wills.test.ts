import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectAsync, type MqttClient } from 'mqtt';
import { until } from '../until.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, launchService, type RunningService, temporaryFolder } from './service.ts';

describe('a will of MQTT that waits', () => {
  const args = ['--mqtt-listen', '127.0.0.1:0'];
  const clients: MqttClient[] = [];
  after(() => {
    for (const client of clients) client.end(true);
  });
  const connect = async (service: RunningService, clientId: string, isClean = false) => {
    const client = await connectAsync(mqttUrlOf(service), {
      ...{ username: 'any', password: adminToken, reconnectPeriod: 0, protocolVersion: 5, clientId },
      clean: isClean,
      properties: { sessionExpiryInterval: 7200 },
      will: {
        ...{ topic: `wills/${clientId}/state`, payload: 'gone', qos: 1, retain: false },
        properties: { willDelayInterval: 3600 },
      },
    });
    clients.push(client);
    return client;
  };
  const willsOf = async (service: RunningService) =>
    (await mqttRows(service.url, { topic: 'wills', name: 'state', groupBy: ['streamId'] }))
      .map(({ value, tags }) => [value, ...tags])
      .sort();

  it('is written where its session ends: with a clean start, or with the service', async () => {
    const dataDir = temporaryFolder();
    const service = await launchService(dataDir, { args });
    for (const clientId of ['anew', 'away', 'there']) {
      const client = await connect(service, clientId);
      if (clientId === 'there') continue;
      client.stream.destroy();
      await until(() => !client.connected);
    }
    assert.deepEqual(await willsOf(service), []);
    await connect(service, 'anew', true);
    await until(async () => (await willsOf(service)).length > 0);
    assert.deepEqual(await willsOf(service), [['gone', 'anew']]);
    await service.stop();
    const again = await launchService(dataDir, { args });
    assert.deepEqual(await willsOf(again), [
      ['gone', 'anew'],
      ['gone', 'anew'],
      ['gone', 'away'],
      ['gone', 'there'],
    ]);
    await again.stop();
  });
});

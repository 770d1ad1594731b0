import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectAsync, type MqttClient } from 'mqtt';
import { until } from '../until.ts';
import { mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, send, startService } from './service.ts';

describe('a parameter of numbers, texts and binaries over MQTT', async () => {
  const service = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });

  const clients: MqttClient[] = [];
  after(() => {
    for (const client of clients) client.end(true);
  });
  const listen = async (filter: string) => {
    const client = await connectAsync(mqttUrlOf(service), { username: 'any', password: adminToken });
    clients.push(client);
    const got: string[] = [];
    client.on('message', (topic, payload) => got.push(`${topic} ${payload}`));
    await client.subscribeAsync(filter, { qos: 1 });
    return got;
  };
  const write = async (stream: string, body: object): Promise<void> => {
    const path = `/topics/home/streams/${stream}/parameters/data`;
    assert.equal((await send(service.url, path, { body: JSON.stringify(body) })).status, 200);
  };

  it('is told in the order of its rows, and as a last value the newest of them', async () => {
    const live = await listen('home/#');
    await write('a', {
      timestamps: [1, 2, 3, 4],
      numericValues: { temp: [21.5, null, 21.6, null], only: [7, null, null, null] },
      stringValues: { temp: [null, 'off', null, null] },
    });
    await write('b', {
      timestamps: [1, 2, 3],
      numericValues: { temp: [1, null, null] },
      stringValues: { temp: [null, 'on', null] },
      binaryValues: { temp: [null, null, Buffer.from('raw').toString('base64')] },
    });
    const a = ['home/a/temp 21.5', 'home/a/temp off', 'home/a/temp 21.6'];
    const b = ['home/b/temp 1', 'home/b/temp on', 'home/b/temp raw'];
    await until(() => live.length === 7);
    assert.deepEqual(
      live.filter((one) => one.includes('temp')),
      [...a, ...b],
    );
    const late = await listen('home/#');
    await write('c', { timestamps: [1], numericValues: { end: [0] } });
    await until(() => late.includes('home/c/end 0'));
    assert.deepEqual(late.slice(0, -1).sort(), ['home/a/only 7', a[2], b[2]]);
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import mqtt from 'mqtt';
import { freePort } from '../free-port.ts';
import { natsMissing } from '../live/nats-server.ts';
import { until } from '../until.ts';
import { noMosquitto, startMosquitto } from './mosquitto.ts';
import { assertSame } from './replicas-checks.ts';
import { type Replica, startReplicas } from './replicas-cluster.ts';
import { send, temporaryFolder } from './service.ts';

describe('replicas that read from a broker', { skip: natsMissing || noMosquitto }, () => {
  it('do so one at a time, another where the one dies, and write each message once', async () => {
    const port = await freePort();
    await startMosquitto(join(temporaryFolder(), 'broker'), port);
    const args = ['--mqtt-connect', `mqtt://127.0.0.1:${port}`, '--mqtt-subscribe', 't/#'];
    const cluster = await startReplicas({ args });
    for (const node of cluster.nodes) await node.takesWrites();
    const isReading = (node: Replica): boolean => /connected to the MQTT broker/.test(node.stderr());
    const reader = async (nodes: readonly Replica[]): Promise<Replica> => {
      await until(() => nodes.some(isReading));
      return nodes.find(isReading)!;
    };
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`);
    after(() => client.endAsync(true));
    let sent = 0;
    const publish = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await client.publishAsync('t/s/v', String(++sent), { qos: 1 });
    };
    const valuesAt = async ({ url }: Replica): Promise<number[]> => {
      const query = { topic: 't', numericParameters: [{ parameterName: 'v' }] };
      const { text } = await send(url, '/parameters/data', { body: JSON.stringify(query) });
      return (JSON.parse(text) as { numericValues?: { v?: number[] } }).numericValues?.v ?? [];
    };
    const first = await reader(cluster.nodes);
    const others = cluster.nodes.filter((node) => node !== first);
    await publish();
    await until(async () => (await valuesAt(first)).length >= sent);
    assert.deepEqual(others.filter(isReading), []);
    // What comes while nobody reads waits at the broker, which knows them all as one client.
    await first.stop('SIGKILL');
    await publish();
    await reader(others);
    await publish();
    await first.start();
    await first.takesWrites();
    await until(async () => (await valuesAt(others[0]!)).length >= sent);
    await cluster.even();
    const values = await valuesAt(first);
    assert.deepEqual(new Set(values), new Set(Array.from({ length: sent }, (_, i) => i + 1)));
    // Who was killed may not have told the broker that it has the last one.
    assert.ok(values.length <= sent + 1, values.join());
    await assertSame(cluster);
  });
});

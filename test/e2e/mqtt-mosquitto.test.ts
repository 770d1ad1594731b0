import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import mqtt from 'mqtt';
import { readPage } from '../docs/markdown.ts';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { noMosquitto, startMosquitto } from './mosquitto.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, launchService, startService, temporaryFolder } from './service.ts';

describe('mosquitto', { skip: noMosquitto }, () => {
  it('writes and reads with its own clients, in each version', async () => {
    const service = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
    const { port } = new URL(mqttUrlOf(service));
    const call = (command: string, args: readonly string[]) => {
      const login = ['-h', '127.0.0.1', '-p', port, '-u', 'any', '-P', adminToken];
      const { status, stdout, stderr } = spawnSync(command, [...login, ...args], { encoding: 'utf8' });
      return { status, stdout, stderr };
    };
    for (const version of ['mqttv31', 'mqttv311', 'mqttv5']) {
      for (const qos of ['0', '1', '2']) {
        const sent = call('mosquitto_pub', [
          '-V',
          version,
          '-q',
          qos,
          '-t',
          `pub/${version}/q${qos}`,
          '-m',
          '1.5',
        ]);
        assert.deepEqual(sent, { status: 0, stdout: '', stderr: '' }, `${version} ${qos}`);
      }
      await until(async () => (await mqttRows(service.url, { topic: 'pub', name: 'q0' })).length > 0);
      const read = call('mosquitto_sub', [
        '-V',
        version,
        '-q',
        '1',
        '-v',
        '-C',
        '1',
        '-t',
        `pub/${version}/q2`,
      ]);
      assert.deepEqual(read, { status: 0, stdout: `pub/${version}/q2 1.5\n`, stderr: '' });
    }
    await service.stop();
  });

  it('is a bridge, as the page tells, and brings what was published while the service was away', async () => {
    const [port, own] = [await freePort(), await freePort()];
    const dataDir = temporaryFolder();
    const args = ['--mqtt-listen', `127.0.0.1:${port}`];
    const first = await launchService(dataDir, { args });
    const block = readPage('docs/mqtt.md').blocks.find(({ language }) => language === 'conf');
    const lines = block!.text
      .replace('127.0.0.1:1883', `127.0.0.1:${port}`)
      .replace('$PITWALL_TOKEN', adminToken)
      .split('\n');
    await startMosquitto(join(temporaryFolder(), 'bridge'), own, [...lines, 'restart_timeout 1']);
    const client = mqtt.connect(`mqtt://127.0.0.1:${own}`);
    for (let i = 0; i < 10; i++) await client.publishAsync('bridged/s/v', String(i), { qos: 1 });
    await until(async () => (await mqttRows(first.url, { topic: 'bridged', name: 'v' })).length === 10);
    await first.stop('SIGKILL');
    for (let i = 10; i < 20; i++) await client.publishAsync('bridged/s/v', String(i), { qos: 1 });
    const second = await startService({ dataDir, args });
    const values = async () =>
      (await mqttRows(second.url, { topic: 'bridged', name: 'v' })).map(({ value }) => value);
    await until(async () => (await values()).length >= 20);
    assert.deepEqual(
      await values(),
      Array.from({ length: 20 }, (_, i) => i),
    );
    await client.endAsync();
    await second.stop();
  });

  it('is a broker that the service reads from, through restarts of both', async () => {
    const [port, folder, dataDir] = [await freePort(), join(temporaryFolder(), 'broker'), temporaryFolder()];
    const args = [
      ...['--mqtt-connect', `mqtt://any:secret@127.0.0.1:${port}`, '--mqtt-subscribe', 'read/#,spBv1.0/#'],
      ...['--mqtt-client-id', 'reader'],
    ];
    let broker = await startMosquitto(folder, port);
    let service = await launchService(dataDir, { args });
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 100 });
    let next = 0;
    const publish = async (count: number) => {
      for (const end = next + count; next < end; next++)
        await client.publishAsync('read/s/v', String(next), { qos: 1 });
    };
    const values = async () =>
      (await mqttRows(service.url, { topic: 'read', name: 'v' })).map(({ value }) => value);
    const arrived = () => until(async () => (await values()).length >= next);
    // The subscription is there when what is retained has come.
    await client.publishAsync('read/s', '{"time":1,"kept":1}', { qos: 1, retain: true });
    await client.publishAsync('read/s/old', '1', { qos: 1, retain: true });
    await until(async () => (await mqttRows(service.url, { topic: 'read', name: 'kept' })).length === 1);
    await publish(50);
    await arrived();
    await service.stop('SIGKILL');
    await publish(50);
    service = await launchService(dataDir, { args });
    await arrived();
    const gone = new Promise((resolve) => broker.once('exit', resolve));
    broker.kill('SIGTERM');
    await gone;
    broker = await startMosquitto(folder, port);
    await publish(50);
    await arrived();
    assert.deepEqual(
      await values(),
      Array.from({ length: 150 }, (_, i) => i),
    );
    assert.match(service.stderr(), /"broker":"mqtt:\/\/127\.0\.0\.1:\d+","reason":"[^"]+","awaySeconds":\d+/);
    assert.match(service.stderr(), /"awaySeconds":\d+,"msg":"connected to the MQTT broker"/);
    assert.doesNotMatch(service.stdout() + service.stderr(), /secret/);
    await client.endAsync();
    await service.stop();
  });
});

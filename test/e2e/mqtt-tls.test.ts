import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import mqtt from 'mqtt';
import { generate } from 'mqtt-packet';
import { createWebSocketStream, WebSocket } from 'ws';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { noMosquitto, startMosquitto } from './mosquitto.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, startService, temporaryFolder } from './service.ts';

describe('MQTT with TLS', { skip: opensslMissing }, () => {
  it('is taken over TCP and in a WebSocket', async () => {
    const { cert, key } = makeCertificate(temporaryFolder());
    const service = await startService({
      args: ['--mqtt-listen', '127.0.0.1:0', '--tls-cert', cert, '--tls-key', key],
    });
    const url = mqttUrlOf(service);
    assert.match(url, /^mqtts:/);
    for (const [scheme, value] of [
      ['mqtts:', '1'],
      ['wss:', '2'],
    ] as const) {
      const client = mqtt.connect(url.replace('mqtts:', scheme), {
        username: 'any',
        password: adminToken,
        rejectUnauthorized: false,
        clean: false,
        clientId: `tls ${value}`,
      });
      await client.publishAsync('tls/s/v', value, { qos: 1 });
      const got: string[] = [];
      client.on('message', (_topic, payload) => got.push(payload.toString()));
      await client.subscribeAsync('tls/s/v');
      await until(() => got.length === 1);
      assert.deepEqual(got, [value]);
      await client.endAsync();
    }
    await service.stop();
  });

  it('answers no more than a client takes, and all of it in the end', async () => {
    const { cert, key } = makeCertificate(temporaryFolder());
    const plain = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
    const args = ['--mqtt-listen', '127.0.0.1:0', '--tls-cert', cert, '--tls-key', key];
    const secured = await startService({ args });
    const login = generate({
      cmd: 'connect',
      clientId: 'greedy',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      keepalive: 0,
      username: 'x',
      password: Buffer.from(adminToken),
    });
    const count = 60_000;
    const pings = Buffer.alloc(2 * count);
    for (let i = 0; i < count; i++) pings[2 * i] = 0xc0;
    const streamTo = async (url: string): Promise<Duplex> => {
      const { hostname: host, port } = new URL(url);
      if (url.startsWith('ws')) {
        const socket = new WebSocket(url, 'mqtt', { rejectUnauthorized: false });
        await once(socket, 'open');
        return createWebSocketStream(socket);
      }
      const to = { host, port: Number(port) };
      return url.startsWith('mqtts') ? connectTls({ ...to, rejectUnauthorized: false }) : connectTcp(to);
    };
    for (const [service, scheme] of [
      [plain, 'mqtt'],
      [plain, 'ws'],
      [secured, 'mqtts'],
      [secured, 'wss'],
    ] as const) {
      const stream = await streamTo(mqttUrlOf(service).replace(/^\w+/, scheme));
      stream.pause();
      stream.write(login);
      for (let at = 0; at < pings.length; at += 1 << 16) stream.write(pings.subarray(at, at + (1 << 16)));
      let got = 0;
      stream.on('data', (chunk: Buffer) => {
        got += chunk.length;
      });
      stream.resume();
      await until(() => got === 4 + 2 * count);
      stream.destroy();
    }
    for (const one of [plain, secured]) await one.stop();
  });

  it('is spoken to a broker whose certificate is known, and to no other', { skip: noMosquitto }, async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder);
    const [port, plain] = [await freePort(), await freePort()];
    await startMosquitto(join(folder, 'broker'), plain, [
      `listener ${port} 127.0.0.1`,
      `certfile ${cert}`,
      `keyfile ${key}`,
    ]);
    const args = ['--mqtt-connect', `mqtts://127.0.0.1:${port}`, '--mqtt-subscribe', '#'];
    const service = await startService({
      args,
      env: { PITWALL_TOKEN: adminToken, NODE_EXTRA_CA_CERTS: cert },
    });
    const stranger = await startService({ args: [...args, '--mqtt-client-id', 'stranger'] });
    await until(() => service.stderr().includes('connected to the MQTT broker'));
    const client = mqtt.connect(`mqtt://127.0.0.1:${plain}`);
    await client.publishAsync('from/broker/v', '1', { qos: 1, retain: true });
    await client.publishAsync('from/broker', '{"ts":5,"w":2}', { qos: 1, retain: true });
    await until(async () => (await mqttRows(service.url, { topic: 'from', name: 'w' })).length === 1);
    await until(() => /"reason":"(self-signed|unable to verify)/.test(stranger.stderr()));
    await client.endAsync();
    for (const one of [service, stranger]) await one.stop();
  });
});

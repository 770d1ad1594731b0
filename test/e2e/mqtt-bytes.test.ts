import assert from 'node:assert/strict';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { generate } from 'mqtt-packet';
import { until } from '../until.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, startService } from './service.ts';

describe('the bytes of MQTT', async () => {
  const service = await startService({
    args: [
      '--mqtt-listen',
      '127.0.0.1:0',
      '--head-timeout',
      '1s',
      '--max-body-bytes',
      '64KiB',
      '--body-grace',
      '1s',
    ],
  });
  const url = mqttUrlOf(service);
  const rowsOf = (topic: string, name: string) => mqttRows(service.url, { topic, name });

  /** A connection of bytes, and what came over it. */
  const open = async () => {
    const { hostname, port } = new URL(url);
    const socket: Socket = connectTcp(Number(port), hostname);
    const got: Buffer[] = [];
    socket.on('data', (chunk) => got.push(chunk)).on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, closed, bytes: () => Buffer.concat(got) };
  };
  const login = (more: object = {}) =>
    generate({
      cmd: 'connect',
      clientId: 'raw',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      keepalive: 0,
      username: 'x',
      password: Buffer.from(adminToken),
      ...more,
    });

  it('has a message once that is sent again over another connection, without a mark', async () => {
    const publish = (payload: string, messageId: number) =>
      generate({ cmd: 'publish', topic: 'again/s/v', payload, qos: 1, dup: false, retain: false, messageId });
    const first = await open();
    first.socket.write(Buffer.concat([login({ clientId: 'again' }), publish('21.5', 7), publish('21.5', 8)]));
    await until(() => first.bytes().length === 4 + 4 + 4);
    first.socket.destroy();
    const second = await open();
    second.socket.write(
      Buffer.concat([login({ clientId: 'again' }), publish('21.5', 8), publish('21.5', 9)]),
    );
    await until(() => second.bytes().length === 4 + 4 + 4);
    assert.equal((await rowsOf('again', 'v')).length, 3);
    // The next one over the same connection has the number of one that was acknowledged there.
    second.socket.write(publish('21.5', 8));
    await until(() => second.bytes().length === 4 + 4 + 4 + 4);
    assert.equal((await rowsOf('again', 'v')).length, 4);
    second.socket.write(generate({ cmd: 'disconnect' }));
    await second.closed;
    const third = await open();
    third.socket.write(Buffer.concat([login({ clientId: 'again' }), publish('21.5', 8)]));
    await until(() => third.bytes().length === 4 + 4);
    assert.equal((await rowsOf('again', 'v')).length, 5);
    third.socket.destroy();
  });

  it('refuses a private version, a half-open connection, and what is too long or no packet', async () => {
    const refused = async (bytes: Buffer | undefined): Promise<Buffer> => {
      const one = await open();
      if (bytes !== undefined) one.socket.write(bytes);
      await one.closed;
      return one.bytes();
    };
    const bridge = login();
    bridge[8] = 0x84;
    assert.deepEqual([...(await refused(bridge))], [0x20, 2, 0, 1]);
    const nameless = Buffer.from([0x10, 12, 0, 4, ...Buffer.from('MQTT'), 4, 0, 0, 0, 0, 0]);
    const future = login();
    future[8] = 9;
    assert.deepEqual([...(await refused(future))], [0x20, 2, 0, 1]);
    assert.deepEqual([...(await refused(nameless))], [0x20, 2, 0, 2]);
    assert.deepEqual([...(await refused(undefined))], []);
    assert.deepEqual([...(await refused(login().subarray(0, 12)))], []);
    assert.deepEqual([...(await refused(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f, 0])))], []);
    const long = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);
    assert.equal((await refused(Buffer.concat([login(), login()]))).length, 4);
    const entered = await open();
    entered.socket.write(login());
    await until(() => entered.bytes().length === 4);
    entered.socket.write(long);
    await entered.closed;
    const wild = generate({
      cmd: 'publish',
      topic: 'a/+/c',
      payload: '1',
      qos: 0,
      dup: false,
      retain: false,
    });
    assert.equal((await refused(Buffer.concat([login(), wild]))).length, 4);
  });
});

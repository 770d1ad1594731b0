import assert from 'node:assert/strict';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { generate, type Packet, parser } from 'mqtt-packet';
import { WebSocket } from 'ws';
import { until } from '../until.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, run, startService } from './service.ts';

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
  const loginPacket = {
    cmd: 'connect',
    clientId: 'raw',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 0,
    username: 'x',
    password: Buffer.from(adminToken),
  } as const;
  const login = (more: object = {}) => generate({ ...loginPacket, ...more } as Packet);

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

  it('has both messages of a client that forgot the first, and begins its numbers anew (quality 2)', async () => {
    const publish = (payload: string) =>
      generate({
        cmd: 'publish',
        topic: 'anew/s/v',
        payload,
        qos: 2,
        dup: false,
        retain: false,
        messageId: 1,
      });
    for (const payload of ['1', '2', '2']) {
      const one = await open();
      one.socket.write(Buffer.concat([login({ clientId: 'anew', clean: false }), publish(payload)]));
      await until(() => one.bytes().length === 4 + 4);
      one.socket.destroy();
      await one.closed;
    }
    assert.deepEqual(
      (await rowsOf('anew', 'v')).map(({ value }) => value),
      [1, 2],
    );
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
  });

  const published = (topic: string, payload: string | Buffer, messageId: number, qos: 1 | 2 = 1) =>
    generate({ cmd: 'publish', topic, payload, qos, dup: false, retain: false, messageId });

  it('acknowledges what can never be taken, and takes what comes after it', async () => {
    const one = await open();
    const long = Buffer.alloc(300 * 1024, '1');
    const bytes = Buffer.concat([
      login(),
      published('never/s/v', '1', 1),
      published(`never${'/x'.repeat(200)}`, '1', 2),
      published('never/+/v', '1', 3),
      published('never/s/long', long, 4),
      published('never/s/long', long, 5, 2),
      published('never/s/v', '2', 6),
    ]);
    // In pieces that end anywhere, in a head too.
    for (let at = 0; at < bytes.length; at += 9973) {
      one.socket.write(bytes.subarray(at, at + 9973));
      if (at % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => one.bytes().length === 4 + 6 * 4);
    const acknowledged = Array.from({ length: 6 }, (_, i) => [...one.bytes().subarray(4 + 4 * i, 8 + 4 * i)]);
    assert.deepEqual(
      acknowledged,
      [1, 2, 3, 4, 5, 6].map((id) => [id === 5 ? 0x50 : 0x40, 2, 0, id]),
    );
    assert.deepEqual(
      (await rowsOf('never', 'v')).map(({ value }) => value),
      [1, 2],
    );
    const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
    for (const reason of ['bad_name', 'body_too_large'])
      assert.match(stdout, new RegExp(`^mqtt +${reason} +2$`, 'm'));
    assert.match(service.stderr(), /"topic":"never\/s\/long","reason":"[^"]*a message of 307\d+ bytes/);
    one.socket.destroy();
  });

  it('takes what a client sends with its login, however much', async () => {
    const one = await open();
    const rows = JSON.stringify({ timestamps: [1], stringValues: { v: ['x'.repeat(60_000)] } });
    const batch = Buffer.concat(Array.from({ length: 20 }, (_, i) => published(`eager/s${i}`, rows, i + 1)));
    one.socket.write(Buffer.concat([login(), ...Array(5000).fill(generate({ cmd: 'pingreq' })), batch]));
    await until(() => one.bytes().length === 4 + 5000 * 2 + 20 * 4);
    assert.equal((await rowsOf('eager', 'v')).length, 20);
    one.socket.destroy();
  });

  const login5 = (more: object = {}) =>
    generate({ ...loginPacket, protocolVersion: 5, ...more } as Packet, { protocolVersion: 5 });
  /** The packets of version 5 that came. */
  const packetsOf = (bytes: Buffer): Packet[] => {
    const packets: Packet[] = [];
    const reading = parser({ protocolVersion: 5 });
    reading.on('packet', (packet) => packets.push(packet));
    reading.parse(bytes);
    return packets;
  };

  it('bounds the filters of a client, and their levels', async () => {
    const one = await open();
    const filters = [...Array.from({ length: 1001 }, (_, i) => `+/+/p${i}`), `${'+/'.repeat(200)}x`];
    const subscriptions = filters.map((topic) => ({ topic, qos: 0 as const, rh: 2 }));
    const subscribe = { cmd: 'subscribe', messageId: 1, subscriptions } as const;
    one.socket.write(Buffer.concat([login5(), generate(subscribe, { protocolVersion: 5 })]));
    await until(() => packetsOf(one.bytes()).length === 2);
    const { granted } = packetsOf(one.bytes())[1] as { granted: number[] };
    assert.deepEqual(granted, [...Array(1000).fill(0), 0x97, 0x8f]);
    one.socket.destroy();
  });

  it('keeps no session at the end that was not to be kept at the beginning', async () => {
    const bye = (sessionExpiryInterval: number) =>
      generate(
        { cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval } },
        { protocolVersion: 5 },
      );
    const said = async (properties: object, end: number) => {
      const one = await open();
      one.socket.write(Buffer.concat([login5({ clientId: 'kept', clean: false, properties }), bye(end)]));
      await one.closed;
      return packetsOf(one.bytes()).map((packet) => [
        packet.cmd,
        'reasonCode' in packet && packet.reasonCode,
      ]);
    };
    assert.deepEqual(await said({}, 100), [
      ['connack', 0],
      ['disconnect', 0x82],
    ]);
    assert.deepEqual(await said({ sessionExpiryInterval: 1 }, 100), [['connack', 0]]);
    const one = await open();
    one.socket.write(login5({ clientId: 'kept', clean: false }));
    await until(() => packetsOf(one.bytes()).length === 1);
    assert.equal((packetsOf(one.bytes())[0] as { sessionPresent: boolean }).sessionPresent, true);
    one.socket.destroy();
  });

  it('refuses a login that is too long, also in pieces of a WebSocket', async () => {
    const will = { topic: 'w', payload: Buffer.alloc(65_000), qos: 0 as const, retain: false };
    const long = login({ will, username: 'x'.repeat(65_000), clientId: 'c'.repeat(5000) });
    const plain = await open();
    plain.socket.write(long);
    await plain.closed;
    assert.equal(plain.bytes().length, 0);
    const socket = new WebSocket(url.replace('mqtt:', 'ws:'), 'mqtt');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    for (let i = 0; i < 100; i++) socket.send(Buffer.alloc(4096), { fin: false });
    await closed;
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import mqtt from 'mqtt';
import { get } from 'sparkplug-payload';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { noMosquitto, startMosquitto } from './mosquitto.ts';
import { mqttRows } from './mqtt-rows.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

const linkTo = (port: number, filters = '#') => [
  ...['--mqtt-connect', `mqtt://127.0.0.1:${port}`, '--mqtt-subscribe', filters],
];

/** A broker that lets everybody in, and then does what it is told. */
async function plainBroker(then: (socket: Socket) => void) {
  const cameAt: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    cameAt.push(performance.now());
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([0x20, 3, 0, 0, 0]));
      then(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, cameAt, close };
}

describe('the link to a broker', () => {
  it('goes on behind what can never be taken', { skip: noMosquitto }, async () => {
    const port = await freePort();
    const broker = await startMosquitto(join(temporaryFolder(), 'broker'), port);
    const service = await startService({ args: [...linkTo(port, 'link/#'), '--max-body-bytes', '64KiB'] });
    await until(() => service.stderr().includes('connected to the MQTT broker'));
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`);
    await client.publishAsync('link/s/known', '1', { qos: 1, retain: true });
    const values = async (name: string) =>
      (await mqttRows(service.url, { topic: 'link', name })).map(({ value }) => value);
    let sent = 0;
    const next = async () => {
      await client.publishAsync('link/s/v', String(++sent), { qos: 1 });
      await until(async () => (await values('v')).length > 0);
    };
    await until(async () => {
      await client.publishAsync('link/s/begin', '1', { qos: 1 });
      return (await values('begin')).length > 0;
    });
    await next();
    for (const topic of [`link${'/x'.repeat(150)}`, 'link/s/long'])
      await client.publishAsync(topic, topic.endsWith('long') ? 'y'.repeat(500_000) : '1', { qos: 1 });
    await next();
    await until(async () => (await values('v')).length === 2);
    const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
    assert.match(stdout, /^mqtt-broker +bad_name +1$/m);
    await client.endAsync();
    await service.stop();
    broker.kill('SIGTERM');
  });

  it('asks nodes of Sparkplug nothing where it may not publish', { skip: noMosquitto }, async () => {
    const [port, folder] = [await freePort(), temporaryFolder()];
    const acl = join(folder, 'acl');
    writeFileSync(acl, 'topic read #\ntopic write spBv1.0/plant/NDATA/#\n');
    await startMosquitto(join(folder, 'broker'), port, [`acl_file ${acl}`]);
    const service = await startService({ args: linkTo(port, 'spBv1.0/#') });
    await until(() => service.stderr().includes('connected to the MQTT broker'));
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`);
    const payload = Buffer.from(
      get('spBv1.0')!.encodePayload({
        timestamp: 1,
        metrics: [{ alias: 1, type: 'Int32', value: 1 }],
        seq: 0,
      } as never),
    );
    await until(async () => {
      await client.publishAsync('spBv1.0/plant/NDATA/edge', payload, { qos: 1 });
      return service.stderr().includes('lets nobody ask nodes of Sparkplug');
    });
    await client.endAsync();
    await service.stop();
  });

  it('waits longer and longer for a broker that ends each connection', async () => {
    const broker = await plainBroker((socket) => setImmediate(() => socket.destroy()));
    const service = await startService({ args: linkTo(broker.port) });
    await until(() => broker.cameAt.length === 5);
    const gaps = broker.cameAt.slice(1).map((at, i) => at - broker.cameAt[i]!);
    // Three quarters of a pause at least, and a millisecond that timers may be early.
    for (const [i, gap] of gaps.entries()) assert.ok(gap >= 250 * 0.75 * 2 ** i - 1, `pause ${i}: ${gap} ms`);
    await service.stop();
    broker.close();
  });

  it('holds up no stop, though the broker takes nothing', async () => {
    const broker = await plainBroker((socket) => socket.pause());
    const service = await startService({ args: linkTo(broker.port) });
    await until(() => service.stderr().includes('connected to the MQTT broker'));
    assert.equal((await service.stop()).code, 0);
    broker.close();
  });
});

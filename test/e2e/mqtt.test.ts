import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { get } from 'sparkplug-payload';
import { until } from '../until.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, run, send, startService } from './service.ts';

describe('MQTT', async () => {
  const service = await startService({
    args: ['--mqtt-listen', '127.0.0.1:0', '--mqtt-tags', 'site'],
  });
  const url = mqttUrlOf(service);
  const rowsOf = (topic: string, name: string, groupBy: string[] = []) =>
    mqttRows(service.url, { topic, name, groupBy });

  const clients: MqttClient[] = [];
  after(() => {
    for (const client of clients) client.end(true);
  });
  type OnMessage = (topic: string, payload: Buffer, packet: IPublishPacket) => void;
  const connect = (options: IClientOptions = {}, onMessage?: OnMessage, at = url) =>
    new Promise<MqttClient>((resolve, reject) => {
      const login = options.username === undefined && { username: 'any', password: adminToken };
      const client = mqtt.connect(at, { reconnectPeriod: 0, ...login, ...options });
      clients.push(client);
      if (onMessage !== undefined) client.on('message', onMessage);
      client.once('connect', () => resolve(client)).once('error', reject);
    });
  const tokenOf = async (scope: string) =>
    (await send(service.url, '/admin/tokens', { body: JSON.stringify({ scopes: [scope] }) })).json<{
      token: string;
    }>().token;

  for (const protocolVersion of [4, 5] as const) {
    it(`takes messages of every quality of service (version ${protocolVersion})`, async () => {
      const client = await connect({ protocolVersion });
      const topic = `v${protocolVersion}`;
      for (const qos of [0, 1, 2] as const)
        await client.publishAsync(`${topic}/s/q${qos}`, String(qos), { qos });
      await client.publishAsync(`${topic}/s`, '{"time":1700000000,"a":1,"b":"x"}', { qos: 1 });
      await until(async () => (await rowsOf(topic, 'q0')).length === 1);
      for (const qos of [1, 2])
        assert.deepEqual(
          (await rowsOf(topic, `q${qos}`)).map(({ value }) => value),
          [qos],
        );
      assert.deepEqual(await rowsOf(topic, 'a'), [{ time: '1700000000000000000', value: 1, tags: [] }]);
      await client.endAsync();
    });
  }

  it('has each of very many values of one client once', async () => {
    const client = await connect();
    await Promise.all(
      Array.from({ length: 2000 }, (_, i) => client.publishAsync('many/s/v', String(i), { qos: 1 })),
    );
    const values = (await rowsOf('many', 'v')).map(({ value }) => value);
    assert.deepEqual(
      values,
      Array.from({ length: 2000 }, (_, i) => i),
    );
    await client.endAsync();
  });

  it('has user properties as tags, and tells version 5 what it did not take', async () => {
    const client = await connect({ protocolVersion: 5 });
    const properties = { userProperties: { site: 'west', other: 'x' } };
    await client.publishAsync('tagged/s/v', '1', { qos: 1, properties });
    assert.deepEqual((await rowsOf('tagged', 'v', ['site', 'other']))[0]!.tags, ['west', undefined]);
    for (const [topic, payload, code] of [
      ['a/b', '{"x":', 0x99],
      ['a//c', '1', 0x90],
      ['$SYS/broker/load', '1', undefined],
    ] as const) {
      for (const qos of [1, 2] as const) {
        const published = client.publishAsync(topic, payload, { qos });
        if (code === undefined) await published;
        else await assert.rejects(published, { code }, `${topic} ${qos}`);
      }
    }
    await client.endAsync();
    const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
    assert.match(stdout, /^mqtt +\d+ +\d+ +mqtt:\/\/127\.0\.0\.1:\d+$/m);
    for (const reason of ['bad_json', 'bad_name', 'sys_topic'])
      assert.match(stdout, new RegExp(`^mqtt +${reason} +2$`, 'm'));
    assert.match(service.stderr(), /"topic":"a\/b","reason":"The body is not valid JSON/);
  });

  it('tells readers what is written, by filters, and the last value at once', async () => {
    const client = await connect({ protocolVersion: 5 });
    await client.publishAsync('live/s1/speed', '1', { qos: 1 });
    const got: [string, string, boolean][] = [];
    client.on('message', (topic, payload, { retain, properties }) => {
      assert.equal(retain, properties?.userProperties === undefined);
      got.push([topic, payload.toString(), retain]);
    });
    await client.subscribeAsync(['live/+/speed', 'live/s2/#'], { qos: 1 });
    await until(() => got.length === 1);
    assert.deepEqual(got.splice(0), [['live/s1/speed', '1', true]]);
    const body = JSON.stringify({
      timestamps: [1, 2],
      numericValues: { speed: [5, 6], rpm: [7, null] },
      stringValues: { 'a/b': [null, 'x'] },
    });
    for (const stream of ['s1', 's2'])
      await send(service.url, `/topics/live/streams/${stream}/parameters/data`, { body });
    await until(() => got.length === 6);
    assert.deepEqual(got.sort(), [
      ['live/s1/speed', '5', false],
      ['live/s1/speed', '6', false],
      ['live/s2/a%2Fb', 'x', false],
      ['live/s2/rpm', '7', false],
      ['live/s2/speed', '5', false],
      ['live/s2/speed', '6', false],
    ]);
    await client.unsubscribeAsync('live/s2/#');
    await client.publishAsync('live/s2/rpm', '8', { qos: 1 });
    await client.publishAsync('live/s2/speed', '9', { qos: 1 });
    await until(() => got.length === 7);
    assert.deepEqual(got.at(-1), ['live/s2/speed', '9', false]);
    await assert.rejects(client.subscribeAsync('live/s1'), /Topic Filter invalid|Invalid|Subscribe/i);
    await client.endAsync();
  });

  it('tells readers binaries as bytes and zero with its sign, as they are written and as last values', async () => {
    const written = [
      ['exact/s/frame', '00ff80'],
      ['exact/s/zero', Buffer.from('-0').toString('hex')],
    ];
    const listen = async () => {
      const got: string[][] = [];
      const client = await connect({ protocolVersion: 5 }, (topic, payload) =>
        got.push([topic, payload.toString('hex')]),
      );
      await client.subscribeAsync('exact/s/#', { qos: 1 });
      return { got, client };
    };
    const live = await listen();
    const body = '{"timestamps":[1],"numericValues":{"zero":[-0]},"binaryValues":{"frame":["AP+A"]}}';
    await send(service.url, '/topics/exact/streams/s/parameters/data', { body });
    const late = await listen();
    for (const { got, client } of [live, late]) {
      await until(() => got.length === 2);
      assert.deepEqual(got.sort(), written);
      await client.endAsync();
    }
  });

  it('keeps a session, and what is written meanwhile', async () => {
    const options = { clientId: 'kept', clean: false } as const;
    const first = await connect(options);
    await first.subscribeAsync('kept/s/v', { qos: 1 });
    first.stream.destroy();
    await until(() => !first.connected);
    const writer = await connect();
    for (let i = 0; i < 5; i++) await writer.publishAsync('kept/s/v', String(i), { qos: 1 });
    const got: string[] = [];
    const again = await connect(options, (_topic, payload) => got.push(payload.toString()));
    await until(() => got.length === 5);
    assert.deepEqual(got, ['0', '1', '2', '3', '4']);
    for (const client of [again, writer]) await client.endAsync();
  });

  it('lets the newest connection of a client id in, and writes the will of one that is gone', async () => {
    const will = { topic: 'wills/s/state', payload: 'gone', qos: 1 as const, retain: false };
    const first = await connect({ clientId: 'twice', will });
    const closed = new Promise((resolve) => first.once('close', () => resolve(undefined)));
    const second = await connect({ clientId: 'twice', will: { ...will, payload: 'never' } });
    await closed;
    await until(async () => (await rowsOf('wills', 'state')).length === 1);
    await second.endAsync();
    assert.deepEqual(
      (await rowsOf('wills', 'state')).map(({ value }) => value),
      ['gone'],
    );
  });

  it('goes by the scopes of the token, which is the password, or the user where there is none', async () => {
    for (const options of [{ password: 'wrong' }, { username: 'neither' }])
      await assert.rejects(connect(options), { code: 5 });
    const writer = await connect({
      username: await tokenOf('write'),
      protocolVersion: 5,
    });
    await writer.publishAsync('scopes/s/v', '1', { qos: 1 });
    await assert.rejects(writer.subscribeAsync('scopes/s/v'));
    await writer.endAsync();
    const reader = await connect({ password: await tokenOf('read'), protocolVersion: 5 });
    await reader.subscribeAsync('scopes/s/v');
    await assert.rejects(reader.publishAsync('scopes/s/v', '2', { qos: 1 }), { code: 0x87 });
    await reader.endAsync();
    assert.deepEqual(
      (await rowsOf('scopes', 'v')).map(({ value }) => value),
      [1],
    );
  });

  it('keeps a workspace within its limits, and apart from others', async () => {
    const workspace = JSON.stringify({ name: 'small', maxStreams: 1 });
    assert.equal((await send(service.url, '/admin/workspaces', { body: workspace })).status, 200);
    const body = JSON.stringify({ workspace: 'small', scopes: ['read', 'write'] });
    const { token } = (await send(service.url, '/admin/tokens', { body })).json<{ token: string }>();
    const client = await connect({ username: 'x', password: token, protocolVersion: 5 });
    const results = await Promise.allSettled(
      ['one', 'two', 'one'].map((stream, i) =>
        client.publishAsync(`small/${stream}/v`, String(i), { qos: 1 }),
      ),
    );
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? 0 : result.reason.code)),
      [0, 0x97, 0],
    );
    assert.deepEqual(await rowsOf('small', 'v'), []);
    await client.endAsync();
  });

  it('asks a node of Sparkplug for its birth, and reads it then', async () => {
    const sparkplug = get('spBv1.0')!;
    const encode = (metrics: readonly object[]) =>
      Buffer.from(sparkplug.encodePayload({ timestamp: 1_700_000_000_000, metrics, seq: 0 } as never));
    const node = await connect();
    const asked = new Promise<Buffer>((resolve) =>
      node.once('message', (_topic, payload) => resolve(payload)),
    );
    await node.subscribeAsync('spBv1.0/plant/NCMD/edge/#');
    await node.publishAsync('spBv1.0/plant/NDATA/edge', encode([{ alias: 1, type: 'Int32', value: -4 }]), {
      qos: 1,
    });
    const { metrics } = sparkplug.decodePayload(await asked);
    assert.deepEqual(
      metrics?.map(({ name, value }) => [name, value]),
      [['Node Control/Rebirth', true]],
    );
    const birth = encode([{ name: 'Count', alias: 1, type: 'Int32', value: -5 }]);
    await node.publishAsync('spBv1.0/plant/NBIRTH/edge', birth, { qos: 1 });
    assert.deepEqual(
      (await rowsOf('plant', 'Count')).map(({ value }) => value),
      [-5],
    );
    // More than rows that are written together may have.
    const many = Array.from({ length: 5000 }, (_, i) => ({ name: `m${i}`, type: 'Int32', value: i }));
    await node.publishAsync('spBv1.0/plant/NBIRTH/large', encode(many), { qos: 1 });
    for (const i of [0, 4095, 4096, 4999]) assert.equal((await rowsOf('plant', `m${i}`))[0]?.value, i);
    await node.endAsync();
  });

  it('works in a WebSocket at the same address', async () => {
    const client = await connect({}, undefined, url.replace('mqtt:', 'ws:'));
    await client.publishAsync('ws/s/v', '1', { qos: 2 });
    assert.deepEqual(
      (await rowsOf('ws', 'v')).map(({ value }) => value),
      [1],
    );
    await client.endAsync();
    const { status } = await fetch(url.replace('mqtt:', 'http:'));
    assert.equal(status, 426);
  });

  it('leaves out what is too long for a reader, and goes on', async () => {
    const got: string[] = [];
    const reader = await connect(
      { protocolVersion: 5, properties: { maximumPacketSize: 1000 } },
      (_topic, payload) => got.push(payload.toString()),
    );
    await reader.subscribeAsync('narrow/s/v', { qos: 1 });
    const writer = await connect();
    for (const value of ['a', 'x'.repeat(5000), 'b'])
      await writer.publishAsync('narrow/s/v', value, { qos: 1 });
    await until(() => got.length === 2);
    assert.deepEqual(got, ['a', 'b']);
    for (const client of [reader, writer]) await client.endAsync();
    await until(async () => {
      const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
      return /^mqtt +live_left_out +1$/m.test(stdout);
    });
  });

  it('says in the log what was probably meant otherwise, and counts rows ahead of the clock', async () => {
    const client = await connect();
    await client.publishAsync('doubt/s', JSON.stringify({ time: Date.now() + 86_400_000, v: 1 }), { qos: 1 });
    await until(() => /"door":"mqtt".*further ahead of the service's clock/.test(service.stderr()));
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /^pitwall_rows_ahead_total\{by="writes"\} 1$/m);
    await client.endAsync();
  });

  it('acknowledges rows that are older than the retention of their topic, and counts them', async () => {
    await send(service.url, '/topics/brief', { method: 'PUT', body: '{"retention":"1d"}' });
    const client = await connect();
    for (const time of [1_700_000_000_000, Date.now()])
      await client.publishAsync('brief/s', JSON.stringify({ time, v: time }), { qos: 1 });
    assert.equal((await rowsOf('brief', 'v')).length, 1);
    const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
    assert.match(stdout, /^mqtt +expired +1$/m);
    await client.endAsync();
  });
});

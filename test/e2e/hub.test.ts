import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  type IHubProtocol,
  JsonHubProtocol,
  LogLevel,
} from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
import { call, connectUnpinged, separator } from '../hub/serve-hub.ts';
import { aboveStores, adminToken, send, startService, temporaryFolder } from './service.ts';

const hubPath = `/hub?access_token=${adminToken}`;

async function connect(url: string, protocol: IHubProtocol = new JsonHubProtocol()): Promise<HubConnection> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${url}/hub?int64=string`, {
      accessTokenFactory: () => Promise.resolve(adminToken),
      transport: HttpTransportType.WebSockets,
    })
    .withHubProtocol(protocol)
    .configureLogging(LogLevel.None)
    .build();
  await connection.start();
  return connection;
}

/** The next `count` calls of a method by the server. */
function collect<Item>(connection: HubConnection, method: string, count: number): Promise<Item[]> {
  const items: Item[] = [];
  return new Promise((resolve) => {
    connection.on(method, (item) => {
      items.push(item);
      if (items.length === count) resolve(items);
    });
  });
}

interface Rows {
  readonly streamId: string;
  readonly timestamps: string[];
  readonly numericValues: Record<string, (number | null)[]>;
}

describe('the hub of a running service', () => {
  it('takes writes of which nothing is stored, and tells so in the log, once a minute at most, and in a metric', async () => {
    const service = await startService();
    for (const protocol of [new JsonHubProtocol(), new MessagePackHubProtocol()]) {
      const writer = await connect(service.url, protocol);
      await writer.invoke('SendParameterData', 'cars', 'map', { timestamps: [1], numericValues: {} });
      await writer.invoke('SendParameterData', 'cars', 'nan', {
        timestamps: [1],
        numericValues: { Speed: [null] },
      });
      await writer.invoke('SendEventData', 'cars', 'map', []);
      await writer.stop();
    }
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /^pitwall_empty_writes_total 6$/m);
    const said = service.stderr().match(/.*writes over the hub were probably meant otherwise.*/g);
    assert.equal(said?.length, 1);
    assert.match(said[0]!, /Nothing was stored of the stream \\"map\\": none of its rows has a value/);
  });

  it('tells of rows that are too far ahead of the clock in the log and in a metric, and keeps them', async () => {
    const service = await startService();
    const writer = await connect(service.url);
    const of2100 = '4102444800000000000';
    await writer.invoke('SendParameterData', 'cars', 'late', {
      timestamps: [of2100],
      numericValues: { Speed: [1] },
    });
    await writer.invoke('SendEventData', 'cars', 'late', { id: 'stop', timestamp: of2100, value: 'x' });
    await writer.stop();
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /^pitwall_rows_ahead_total\{by="writes"\} 2$/m);
    const said = service.stderr().match(/.*writes over the hub were probably meant otherwise.*/g);
    assert.equal(said?.length, 1);
    assert.match(said[0]!, /A row of the stream \\"late\\" is further ahead of the service's clock/);
  });

  it('brings writes of the hub and of HTTP to a reader, exactly once and with all digits, and keeps them', async () => {
    const dataDir = temporaryFolder();
    const service = await startService({ dataDir });
    const reader = await connect(service.url);
    const arrived = collect<Rows>(reader, 'ParameterDataReceived', 3);
    await reader.invoke('SubscribeToParameter', 'cars', '*', 'Speed');
    // The same by another pattern: what both match still comes once.
    await reader.invoke('SubscribeToParameter', 'cars', 'car-1', '*');
    const writer = await connectUnpinged(service.url, hubPath);
    writer.send(
      `{"type":1,"invocationId":"0","target":"SendParameterData","arguments":["cars","car-1",` +
        `{"timestamps":[1591733989000000001],"numericValues":{"Speed":[1.1],"Gear":[2]}}]}${separator}`,
    );
    assert.equal(await writer.next(), '{"type":3,"invocationId":"0"}');
    for (const last of [3, 5]) {
      const body = `{"timestamps":[159173398900000000${last}],"numericValues":{"Speed":[${last}]}}`;
      assert.equal(
        (await send(service.url, '/topics/cars/streams/car-1/parameters/data', { body })).status,
        200,
      );
    }
    const received = await arrived;
    assert.deepEqual(
      received.map(({ streamId, timestamps, numericValues }) => [streamId, timestamps, numericValues]),
      [
        ['car-1', ['1591733989000000001'], { Speed: [1.1], Gear: [2] }],
        ['car-1', ['1591733989000000003'], { Speed: [3] }],
        ['car-1', ['1591733989000000005'], { Speed: [5] }],
      ],
    );
    await service.stop('SIGKILL');
    await reader.stop();

    const again = await startService({ dataDir });
    const reply = await send(again.url, '/parameters/data', {
      body: '{"topic":"cars","numericParameters":[{"parameterName":"Speed"}]}',
    });
    assert.match(reply.text, /"timestamps":\[1591733989000000001,1591733989000000003,1591733989000000005\]/);
  });

  it('brings what the topic has calculated to who subscribed to it by its name', async () => {
    const service = await startService();
    const put = (body: string) => send(service.url, '/topics/cars/calculated', { method: 'PUT', body });
    const kept = '[{"id":"Metres","expression":"Speed / 3.6"},{"id":"Way","expression":"integral(Metres)"}]';
    assert.equal((await put(kept)).status, 200);
    const reader = await connect(service.url);
    const arrived = collect<Rows>(reader, 'ParameterDataReceived', 4);
    for (const id of ['Speed', 'Metres', 'Way']) await reader.invoke('SubscribeToParameter', '*', 'car', id);
    for (const [first, body] of [
      [1, '{"timestamps":[1000000000,2000000000],"numericValues":{"Speed":[36,72]}}'],
      [2, '{"timestamps":[3000000000],"numericValues":{"Speed":[36],"Metres":[20]}}'],
    ] as const) {
      if (first === 2) await reader.invoke('UnsubscribeFromParameter', '*', 'car', 'Speed');
      assert.equal(
        (await send(service.url, '/topics/cars/streams/car/parameters/data', { body })).status,
        200,
      );
      if (first === 1) assert.equal((await put('[{"id":"Other","expression":"Speed"}]')).status, 200);
    }
    const received = (await arrived).map(({ timestamps, numericValues }) => ({ timestamps, numericValues }));
    assert.deepEqual(received, [
      { timestamps: ['1000000000', '2000000000'], numericValues: { Speed: [36, 72] } },
      { timestamps: ['1000000000', '2000000000'], numericValues: { Metres: [10, 20], Way: [0, 15] } },
      { timestamps: ['3000000000'], numericValues: { Metres: [20] } },
      // What was written wins, also for what is calculated from it.
      { timestamps: ['3000000000'], numericValues: { Way: [35] } },
    ]);
    await reader.stop();
  });

  it('reaches a thousand readers, each once', { skip: aboveStores }, async () => {
    const service = await startService();
    const readers = await Promise.all(
      Array.from({ length: 1000 }, () => connectUnpinged(service.url, hubPath)),
    );
    await Promise.all(
      readers.map(async (reader) => {
        reader.send(call('SubscribeToParameter', ['cars', '*', '*'], '0'));
        assert.equal(await reader.next(), '{"type":3,"invocationId":"0"}');
      }),
    );
    for (const timestamp of [1, 2]) {
      const body = JSON.stringify({ timestamps: [timestamp], numericValues: { Speed: [timestamp] } });
      await send(service.url, '/topics/cars/streams/car/parameters/data', { body });
    }
    for (const reader of readers) {
      for (const timestamp of [1, 2]) {
        const { target, arguments: args } = JSON.parse((await reader.next())!);
        assert.equal(target, 'ParameterDataReceived');
        assert.deepEqual(args[0].timestamps, [timestamp]);
      }
    }
    const metrics = await send(service.url, '/metrics');
    assert.match(metrics.text, /^pitwall_hub_connections\{transport="WebSockets"\} 1000$/m);
    for (const reader of readers) reader.socket.terminate();
  });

  it('closes a reader that stalls, tells it why, and takes every write meanwhile', {
    skip: aboveStores,
  }, async () => {
    const service = await startService({ args: ['--hub-max-queue-bytes', '200KiB'] });
    const reader = await connectUnpinged(service.url, hubPath);
    reader.send(call('SubscribeToParameter', ['cars', '*', '*'], '0'));
    await reader.next();
    reader.socket.pause();
    const writer = await connectUnpinged(service.url, hubPath);
    const text = 'x'.repeat(60_000);
    const metric = async (name: string) =>
      (await send(service.url, '/metrics')).text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1];
    let written = 0;
    const write = async (rows: number): Promise<void> => {
      for (const end = written + rows; written < end; written++) {
        const data = { timestamps: [written], stringValues: { Text: [text] } };
        writer.send(call('SendParameterData', ['cars', 'car', data], String(written)));
        assert.equal(await writer.next(), `{"type":3,"invocationId":"${written}"}`);
      }
    };
    // What the system keeps for a socket that is not read comes first.
    while ((await metric('pitwall_hub_readers_too_slow_total')) !== '1') {
      assert.ok(written < 400, 'the reader is not too slow');
      await write(20);
    }
    await write(20);
    // For half a minute it may still read why.
    assert.equal(await metric('pitwall_hub_connections{transport="WebSockets"}'), '2');
    reader.socket.resume();
    let last: string | undefined;
    for (let message = await reader.next(); message !== undefined; message = await reader.next())
      last = message;
    assert.match(JSON.parse(last!).error, /too slow/);
  });

  it('sends readers away to come back when it stops', { skip: aboveStores }, async () => {
    const service = await startService();
    const reader = await connectUnpinged(service.url, hubPath);
    const stopped = service.stop();
    assert.equal(await reader.next(), '{"type":7,"allowReconnect":true}');
    assert.equal(await reader.closed, 1000);
    assert.equal((await stopped).code, 0);
  });

  for (const protocol of [new JsonHubProtocol(), new MessagePackHubProtocol()]) {
    it(`takes events and definitions, and tells readers of everything, in ${protocol.name}`, async () => {
      const service = await startService();
      const reader = await connect(service.url, protocol);
      const writer = await connect(service.url, protocol);
      const events = collect(reader, 'EventDataReceived', 2);
      const parameters = collect<{ definitions: unknown[] }>(reader, 'ParameterDefinitionsUpdated', 1);
      const eventDefinitions = collect<{ definitions: unknown[] }>(reader, 'EventDefinitionsUpdated', 1);
      const packages = collect<{ type: string; value: string }>(reader, 'PackageReceived', 3);
      const active = collect<{ streamId: string; status: string }>(reader, 'ActiveStreamsChanged', 1);
      const metrics = collect<{ topicName: string; activeStreams: number }>(reader, 'TopicMetricsUpdated', 1);
      assert.deepEqual(await reader.invoke('SubscribeToActiveStreams', 'cars'), []);
      assert.deepEqual(await reader.invoke('SubscribeToTopicMetrics', 'cars'), []);
      await reader.invoke('SubscribeToEvent', 'cars', '*', 'lap');
      await reader.invoke('SubscribeToParameterDefinitions', 'cars', '*');
      await reader.invoke('SubscribeToEventDefinitions', 'cars', 'car');
      await reader.invoke('SubscribeToTopicPackages', 'cars');

      const time = 1_700_000_000_000_000_000;
      await writer.invoke('SendEventData', 'cars', 'car', [
        { id: 'lap', timestamp: time, value: 'one', tags: { driver: 'a' } },
        { id: 'pit', timestamp: time, value: 'in' },
        { id: 'lap', timestamp: time, value: 'two' },
      ]);
      await writer.invoke('UpdateParameters', 'cars', 'car', [
        { id: 'Speed', unit: 'km/h', maximumValue: 400 },
      ]);
      await writer.invoke('UpdateEvents', 'cars', 'car', [{ id: 'lap', level: 'Warning' }]);

      const place = { topicId: 'cars', topicName: 'cars', streamId: 'car', id: 'lap' };
      assert.deepEqual(await events, [
        { ...place, timestamp: String(time), value: 'one', tags: { driver: 'a' } },
        { ...place, timestamp: String(time), value: 'two', tags: {} },
      ]);
      assert.deepEqual((await parameters)[0]?.definitions, [
        { id: 'Speed', unit: 'km/h', maximumValue: 400 },
      ]);
      assert.deepEqual((await eventDefinitions)[0]?.definitions, [{ id: 'lap', level: 'Warning' }]);
      assert.deepEqual(
        (await packages).map(({ type }) => type),
        ['EventData', 'ParameterDefinitions', 'EventDefinitions'],
      );
      assert.equal((await active)[0]?.streamId, 'car');
      assert.equal((await metrics)[0]?.topicName, 'cars');
      const now = await reader.invoke('SubscribeToActiveStreams', '*');
      assert.equal(now[0].status, 'Receiving');

      await reader.invoke('UnsubscribeFromStream', 'cars', '*');
      await reader.invoke('UnsubscribeFromPackages', 'cars');
      await assert.rejects(reader.invoke('SubscribeToEvent', 'cars', '', 'lap'), /streamId/);
      await writer.invoke('UpdateStream', 'cars', 'car', { name: 'first' });
      await writer.invoke('UpdateStream', 'cars', { streamId: 'car', name: 'second', metadata: { a: 'b' } });
      const [stream] = (await send(service.url, '/streams', { body: '{}' })).json<
        { name: string; metadata: unknown }[]
      >();
      assert.deepEqual([stream?.name, stream?.metadata], ['second', { a: 'b' }]);
      await assert.rejects(writer.invoke('CloseStream', 'cars', 'unknown'), /there is no stream 'unknown'/);
      await reader.stop();
      await writer.stop();
    });
  }

  it('says nothing of tokens in its log, whatever its level', { skip: aboveStores }, async () => {
    const service = await startService({ args: ['--log-level', 'trace'] });
    const client = await connectUnpinged(service.url, hubPath);
    const headers = { Authorization: `Bearer ${adminToken}` };
    client.send(
      JSON.stringify({ type: 1, invocationId: '0', headers, target: 'CreateStream', arguments: ['t', {}] }) +
        separator,
    );
    assert.match((await client.next())!, /streamId/);
    client.send(`{"type":1,"headers":{"Authorization":"Bearer ${adminToken}"},"broken${separator}`);
    await client.closed;
    await send(service.url, `/hub/negotiate?access_token=${adminToken}`, { method: 'POST', token: null });
    await send(service.url, `/hub?id=x&access_token=${adminToken}`, { token: null });
    const { stderr } = await service.stop();
    assert.match(stderr, /hub connection/);
    assert.ok(!stderr.includes(adminToken));
  });

  it('may have an address of its own', { skip: aboveStores }, async () => {
    const service = await startService({ args: ['--hub-listen', '127.0.0.1:0'] });
    while (!service.stdout().includes('pitwall hub listening on')) await once(service.child.stdout!, 'data');
    const url = /pitwall hub listening on (\S+)/.exec(service.stdout())![1]!;
    const client = await connectUnpinged(url, hubPath);
    client.socket.terminate();
    assert.equal((await send(url, '/streams', { body: '{}' })).status, 404);
    assert.equal((await send(url, '/readyz')).status, 200);
  });
});

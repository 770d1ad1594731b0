import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  JsonHubProtocol,
  LogLevel,
} from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
import { adminToken, type RunningService, send, startService } from './service.ts';

const transports = [
  ['WebSockets', HttpTransportType.WebSockets],
  ['Server-Sent Events', HttpTransportType.ServerSentEvents],
  ['Long Polling', HttpTransportType.LongPolling],
] as const;
const protocols = ['json', 'messagepack'] as const;

const service = await startService();

async function connect(
  transport: HttpTransportType,
  protocol: 'json' | 'messagepack',
  options: { url?: string; token?: string } = {},
): Promise<HubConnection> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${service.url}${options.url ?? '/hub'}`, {
      transport,
      accessTokenFactory: () => options.token ?? adminToken,
    })
    .withHubProtocol(protocol === 'json' ? new JsonHubProtocol() : new MessagePackHubProtocol())
    .configureLogging(LogLevel.None)
    .build();
  await connection.start();
  return connection;
}

async function readSpeed({ url }: RunningService, topic: string, streamId: string) {
  const body = JSON.stringify({
    topic,
    streamIds: [streamId],
    numericParameters: [{ parameterName: 'Speed' }],
  });
  const reply = await send(url, '/parameters/data?int64=string', { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<{ timestamps: string[]; numericValues: { Speed: number[] } }>();
}

describe('the official client', () => {
  for (const [name, transport] of transports) {
    for (const protocol of protocols) {
      // Server-Sent Events carry text only.
      if (transport === HttpTransportType.ServerSentEvents && protocol === 'messagepack') continue;

      it(`writes and reads by ${name} in ${protocol}`, async () => {
        const topic = `${name} ${protocol}`;
        const writer = await connect(transport, protocol);
        const reader = await connect(transport, protocol, { url: '/hub?int64=string' });
        const received: { timestamps: string[]; numericValues: Record<string, number[]> }[] = [];
        let arrive: () => void = () => {};
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        reader.on('ParameterDataReceived', (data) => {
          received.push(data);
          if (received.length === 2) arrive();
        });
        await reader.invoke('SubscribeToParameter', topic, '*', 'Speed');

        const { streamId } = await writer.invoke('CreateStream', topic, { name: 'car' });
        await writer.invoke('SendParameterData', topic, streamId, {
          timestamps: [1_700_000_000_000_000_000, 1_700_000_001_000_000_000],
          numericValues: { Speed: [1.5, 2.25] },
          tagValues: { lap: ['1', null] },
        });
        const written = await send(
          service.url,
          `/topics/${encodeURIComponent(topic)}/streams/${streamId}/parameters/data`,
          {
            body: '{"timestamps":[1700000002000000001],"numericValues":{"Speed":[3],"Gear":[4]}}',
          },
        );
        assert.equal(written.status, 200);
        await arrived;

        assert.deepEqual(
          received.map(({ timestamps }) => timestamps),
          [['1700000000000000000', '1700000001000000000'], ['1700000002000000001']],
        );
        assert.deepEqual(
          received.map(({ numericValues }) => numericValues),
          [{ Speed: [1.5, 2.25] }, { Speed: [3] }],
        );
        assert.deepEqual((await readSpeed(service, topic, streamId)).timestamps, [
          '1700000000000000000',
          '1700000001000000000',
          '1700000002000000001',
        ]);
        await assert.rejects(
          writer.invoke('SendParameterData', topic, streamId, {
            timestamps: [1],
            numericValues: { Speed: [1, 2] },
          }),
          /numericValues\.Speed has 2 elements, timestamps has 1/,
        );
        await assert.rejects(writer.invoke('Nonsense'), /Unknown hub method 'Nonsense'/);
        await writer.invoke('closestream', topic, streamId);
        await writer.stop();
        await reader.stop();
      });
    }
  }
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
import { call, connectUnpinged, type RawClient } from '../hub/serve-hub.ts';
import { until } from '../until.ts';
import { adminToken, type RunningService, startService, temporaryFolder } from './service.ts';

const writes = 16;
const rows = 20_000;
const parameters = ['p0', 'p1', 'p2', 'p3', 'p4'];
const limitMiB = 24;

async function connect(url: string, protocol: IHubProtocol): Promise<HubConnection> {
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

/** Subscribes to a selection of its own, and then reads no more. */
async function openStalled(service: RunningService, i: number): Promise<RawClient> {
  const client = await connectUnpinged(service.url, `/hub?access_token=${adminToken}`);
  for (const [n, parameter] of parameters.entries()) {
    if (((i + 1) & (1 << n)) === 0) continue;
    client.send(call('SubscribeToParameter', ['unread', '*', parameter], '1'));
    assert.equal(await client.next(), '{"type":3,"invocationId":"1"}');
  }
  client.socket.pause();
  return client;
}

/** A write of about 2 MB, whose values tell which one it is. */
function payload(n: number) {
  const values = Array.from({ length: rows }, (_, row) => n + row / rows);
  return {
    timestamps: Array.from({ length: rows }, (_, row) => n * rows + row + 1),
    numericValues: Object.fromEntries(parameters.map((name) => [name, values])),
  };
}

interface Received {
  readonly timestamps: readonly string[];
  readonly numericValues: Readonly<Record<string, readonly number[]>>;
}

async function metric(service: RunningService, name: string): Promise<number> {
  const answer = await fetch(`${service.url}/metrics`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())![1]);
}

function residentMiB({ child }: RunningService): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
}

describe('readers that do not read, of a running service', () => {
  it('are closed while writes are answered, and who reads gets all of them in order', async () => {
    const service = await startService({
      dataDir: temporaryFolder(),
      args: ['--hub-max-total-queue-bytes', `${limitMiB}MiB`],
    });
    const readers = await Promise.all([
      connect(service.url, new JsonHubProtocol()),
      connect(service.url, new MessagePackHubProtocol()),
    ]);
    const received = readers.map((reader) => {
      const own: Received[] = [];
      reader.on('ParameterDataReceived', (data: Received) => own.push(data));
      return own;
    });
    for (const reader of readers) await reader.invoke('SubscribeToParameter', 'unread', '*', '*');
    const stalled = await Promise.all(Array.from({ length: 30 }, (_, i) => openStalled(service, i)));
    const writer = await connect(service.url, new JsonHubProtocol());
    let largest = 0;
    for (let n = 0; n < writes; n++) {
      await writer.invoke('SendParameterData', 'unread', 's', payload(n));
      largest = Math.max(largest, await metric(service, 'pitwall_hub_queue_bytes'));
      await until(() => received.every((own) => own.length > n));
    }
    assert.ok(largest <= limitMiB * 2 ** 20, `${largest} bytes waited`);
    for (const own of received) {
      assert.deepEqual(
        own.map(({ timestamps, numericValues }) => [
          timestamps.length,
          timestamps[0],
          numericValues['p3']![0],
        ]),
        Array.from({ length: writes }, (_, n) => [rows, String(n * rows + 1), n]),
      );
    }
    const letGo = await metric(service, 'pitwall_hub_readers_let_go_total');
    assert.ok(letGo > 0 && letGo <= stalled.length, `${letGo} readers were let go of`);
    assert.match(
      service.stderr(),
      /readers of the hub were closed, for memory; see --hub-max-total-queue-bytes/,
    );
    assert.ok(residentMiB(service) < 600);
    for (const { socket } of stalled) socket.terminate();
    await until(async () => (await metric(service, 'pitwall_hub_queue_bytes')) === 0);
    for (const client of [...readers, writer]) await client.stop();
  });
});

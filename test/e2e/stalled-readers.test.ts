import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

const kib = 1024;
const startedMs = performance.now();
/** As JSON and CSV 33 MB, 14 MB compressed: more than the system's buffers take. */
const rows = 300_000;
const columns = 6;

async function metric({ url }: RunningService, name: string): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))!
      .split(' ')[1],
  );
}

const cut = (service: RunningService) =>
  metric(service, 'pitwall_closed_connections_total{reason="stalled"}');

async function write({ url }: RunningService, stream: string, from: number, count: number): Promise<void> {
  const timestamps = Array.from({ length: count }, (_, row) => from + row);
  const numericValues = Object.fromEntries(
    Array.from({ length: columns }, (_, i) => [`p${i}`, timestamps.map(Math.random)]),
  );
  const body = JSON.stringify({ timestamps, numericValues });
  const { status, text } = await send(url, `/topics/t/streams/${stream}/parameters/data`, { body });
  assert.equal(status, 200, text);
}

const everything = JSON.stringify({
  streamIds: ['s'],
  numericParameters: Array.from({ length: columns }, (_, i) => ({ parameterName: `p${i}` })),
});

/** The head of a request for all rows, and its body: plain, so that the lane answers it, but for `headers`. */
function ask(headers = ''): string {
  return (
    `POST /parameters/data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n` +
    `Content-Type: application/json\r\n${headers}Content-Length: ${everything.length}\r\n\r\n${everything}`
  );
}

function head(line: string): string {
  return `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`;
}

/** A client that sends, and reads nothing until the test does. */
async function openClient({ url }: RunningService, sent: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

describe('an answer that its client does not take', async () => {
  const service = await startService({ args: ['--write-timeout=1s'] });
  for (let i = 0; i < 3; i++) await write(service, 's', (i * rows) / 3, rows / 3);
  const atRest = async (): Promise<boolean> =>
    (await metric(service, 'pitwall_in_flight_bytes')) === 0 &&
    (await metric(service, 'pitwall_running_queries')) === 0;

  for (const [what, sent] of [
    ['JSON of the lane', ask()],
    ['JSON of the framework', ask('Origin: http://a\r\n')],
    ['JSON, compressed', ask('Accept-Encoding: gzip\r\n')],
    ['CSV of the lane', ask('Accept: text/csv\r\n')],
    ['CSV of the framework', ask('Accept: text/csv\r\nOrigin: http://a\r\n')],
    ['CSV, compressed', ask('Accept: text/csv\r\nAccept-Encoding: gzip\r\n')],
    ['Parquet', ask('Accept: application/vnd.apache.parquet\r\n')],
    ['Arrow', ask('Accept: application/vnd.apache.arrow.stream\r\n')],
    ['a backup', head('POST /admin/backup')],
    ['pipelined documents', head('GET /openapi.json').repeat(200)],
  ] as const) {
    it(`is cut and gives back what it holds: ${what}`, async () => {
      const before = await cut(service);
      const client = await openClient(service, sent);
      await until(async () => (await cut(service)) === before + 1);
      await until(atRest);
      client.destroy();
    });
  }

  it('is told of once a minute at most', () => {
    const lines = service.stderr().match(/clients did not take what was sent to them and were cut/g);
    const minutes = Math.floor((performance.now() - startedMs) / 60_000);
    assert.ok(lines !== null && lines.length <= 1 + minutes, `${lines?.length} lines in ${minutes} minutes`);
  });
});

describe('an answer whose client pauses', async () => {
  /** Longer than a busy machine makes of a pause, and shorter than all pauses together. */
  const service = await startService({ args: ['--write-timeout=3s'] });
  const pauses = { ms: 900, most: 4 };
  for (let i = 0; i < 3; i++) await write(service, 's', (i * rows) / 3, rows / 3);

  async function takeWithPauses(headers: string): Promise<void> {
    const client = await openClient(service, ask(`${headers}Connection: close\r\n`));
    let text = '';
    let bytes = 0;
    let wake = (): void => {};
    for (const event of ['readable', 'end', 'close']) client.on(event, () => wake());
    for (let paused = 0; ; ) {
      const chunk: Buffer | null = client.read();
      if (chunk === null) {
        if (client.readableEnded || client.destroyed) break;
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      bytes += chunk.length;
      text = (text + chunk.toString('latin1')).slice(-7);
      if (bytes > (paused + 1) * 2_000_000 && paused < pauses.most) {
        paused++;
        await new Promise((resolve) => setTimeout(resolve, pauses.ms));
      }
    }
    assert.equal(text, '\r\n0\r\n\r\n', headers);
  }

  it('goes on where each pause is shorter than the time to take it', async () => {
    const ways = ['', 'Origin: http://a\r\n', 'Accept: text/csv\r\nAccept-Encoding: gzip\r\n'];
    await Promise.all(ways.map(takeWithPauses));
    assert.equal(await cut(service), 0);
  });
});

describe('a snapshot of an answer that its client does not take', async () => {
  it('is given back', async () => {
    const service = await startService({ args: ['--write-timeout=5s', '--head-bytes=8MiB'] });
    for (let i = 0; i < 30; i++) await write(service, 's', i * 10_000, 10_000);
    const client = await openClient(service, ask('Accept: text/csv\r\n'));
    await until(async () => (await metric(service, 'pitwall_running_queries')) === 1);
    // On a slow machine it may be cut before all is written.
    const held = until(async () => (await metric(service, 'pitwall_snapshot_bytes')) > 0);
    for (let i = 0; i < 10; i++) await write(service, 'other', i * 10_000, 10_000);
    await held;
    await until(async () => (await cut(service)) === 1);
    await until(async () => (await metric(service, 'pitwall_snapshot_bytes')) === 0);
    client.destroy();
  });
});

describe('a reader of the hub that takes nothing', async () => {
  const service = await startService({ args: ['--write-timeout=1s'] });

  it('is cut', async () => {
    const client = await openClient(
      service,
      `GET /hub?access_token=${adminToken} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    for (const message of [
      '{"protocol":"json","version":1}',
      '{"type":1,"target":"SubscribeToParameter","arguments":["t","s","p0"]}',
    ]) {
      const payload = Buffer.from(`${message}\u001e`);
      client.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
    }
    await until(async () => (await metric(service, 'pitwall_hub_connections{transport="WebSockets"}')) === 1);
    for (let i = 0; (await cut(service)) === 0; i++) await write(service, 's', i * 1000, 10_000);
    await until(async () => (await metric(service, 'pitwall_hub_connections{transport="WebSockets"}')) === 0);
    assert.equal(await metric(service, 'pitwall_hub_readers_too_slow_total'), 0);
    client.destroy();
  });
});

describe('an answer without a time to take it', async () => {
  it('waits for its client', async () => {
    const service = await startService({ args: ['--write-timeout=off'] });
    await write(service, 's', 0, 100_000);
    const client = await openClient(service, ask('Connection: close\r\n'));
    await until(async () => (await metric(service, 'pitwall_in_flight_bytes')) > 1000 * kib);
    let last: Buffer = Buffer.alloc(0);
    for await (const chunk of client) last = chunk as Buffer;
    assert.equal(last.toString('latin1').slice(-5), '0\r\n\r\n');
    assert.equal(await cut(service), 0);
  });
});

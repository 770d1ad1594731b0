import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { defaultWorkspace } from '../../src/domain/principal.ts';
import { openEmbeddedStore } from '../../src/store/embedded/store.ts';
import { rowsOf } from '../store/embedded/rows.ts';
import { until } from '../until.ts';
import { send, startService, temporaryFolder } from './service.ts';

const parts = 126;
const mostFiles = 180;
/** Rows in more windows than these stand in one part together. */
const windowsAtOnce = 3;
/** The span of a time window: rows so far apart are in parts of their own. */
const windowNs = 2n ** 50n;
const rows = '/topics/cars/streams/a/parameters/data';
const writeRow = (at: number) => JSON.stringify({ timestamps: [at], numericValues: { speed: [at] } });
const wide = JSON.stringify({ numericParameters: [{ parameterName: 'speed' }] });
const count = JSON.stringify({ numericParameters: [{ parameterName: 'speed', aggregationType: 'Count' }] });

/** One row in each of many windows: a stop makes a part of each window of the few in the log. */
async function fill(folder: string): Promise<void> {
  for (let from = 0; from < parts; from += windowsAtOnce) {
    const log = { info() {}, warn() {}, error() {} };
    const store = await openEmbeddedStore({
      dataDir: folder,
      headBytes: 1 << 24,
      interruptedAfterMs: 60_000,
      log,
    });
    const changes = Array.from({ length: windowsAtOnce }, (_, i) => ({
      type: 'rows' as const,
      topic: 'cars',
      streamId: 'a',
      rows: [rowsOf([{ time: BigInt(from + i) * windowNs, cells: { speed: from + i } }])],
    }));
    await store.append({ workspace: defaultWorkspace, changes });
    await store.close();
  }
}

describe('a service that may have few files open beside many parts', async () => {
  const folder = temporaryFolder();
  /** A connection that was there before. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await fill(folder);
  // A start moves what it finds in the log to parts.
  const service = await startService({ dataDir: folder, mostFiles });
  await until(async () => {
    const { text } = await send(service.url, '/metrics', { agent });
    return text.includes(`\npitwall_parts ${parts}\n`);
  }, 50);
  after(() => agent.destroy());

  async function checkAlive(): Promise<void> {
    const written = await send(service.url, rows, { body: writeRow(1), agent });
    assert.deepEqual([written.status, written.text], [200, '']);
    const ready = await send(service.url, '/readyz', { agent });
    assert.equal(ready.status, 200, ready.text);
    const read = await send(service.url, '/parameters/data', { body: wide, agent });
    assert.equal(read.status, 200, read.text);
    assert.equal(read.json<{ timestamps: number[] }>().timestamps.length, parts + 1);
  }

  it('reads all of them, by many queries at once, and goes on', async () => {
    await checkAlive();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => [
        send(service.url, '/parameters/data', { body: wide }),
        send(service.url, '/parameters/data', { body: count }),
        send(service.url, '/tags/values', { body: '{"tag":"lap"}' }),
      ]).flat(),
    );
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200).map(({ text }) => text),
      [],
    );
    await checkAlive();
  });

  it('keeps files for its data however many connections are opened', async () => {
    await checkAlive();
    const { port } = new URL(service.url);
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < 2 * mostFiles; i++) {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        sockets.push(socket);
      }
      await until(() => sockets.every(({ connecting }) => !connecting));
      await until(() => sockets.some(({ destroyed }) => destroyed));
      await checkAlive();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await until(() =>
      send(service.url, '/healthz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    await checkAlive();
    assert.doesNotMatch(service.stderr(), /failed/);
  });
});

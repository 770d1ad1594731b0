import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { editsName, listFiles } from '../../src/store/embedded/manifest/catalog-files.ts';
import { until } from '../until.ts';
import { type DiskFault, injectFault, noFaults, smallDisk, syncCalls, writeCalls } from './faulty-disk.ts';
import { launchService, type RunningService, send, startService, temporaryFolder } from './service.ts';

/** Enough to be moved from the log to a part, and into the catalogue, when nothing is written for a while. */
const rows = 10_000;
const args = ['--head-bytes', '8MiB'];

/** Rows of a stream of their own, so that the catalogue grows. */
async function write(service: RunningService, stream: string): Promise<number> {
  const timestamps = Array.from({ length: rows }, (_, i) => i);
  const body = JSON.stringify({ timestamps, numericValues: { Speed: timestamps.map(() => 0.5) } });
  const { status } = await send(service.url, `/topics/cars/streams/${stream}/parameters/data`, { body });
  return status;
}

async function readStreams(service: RunningService): Promise<string[]> {
  const { json, status } = await send(service.url, '/parameters/data', {
    body: JSON.stringify({
      topic: 'cars',
      groupBy: ['streamId'],
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Sum' }],
    }),
  });
  assert.equal(status, 200);
  const { numericValues, tagValues } = json<{
    numericValues: Record<string, number[]>;
    tagValues: { streamId: string[] };
  }>();
  assert.ok((numericValues['sum(Speed)'] ?? []).every((sum) => sum === rows / 2));
  return tagValues.streamId;
}

/** A service whose catalogue has met a disk that refuses such calls; what was written before and during it is acknowledged. */
async function serviceWithFault(dataDir: string, calls: readonly string[], error: DiskFault['error']) {
  const service = await startService({ dataDir, args });
  const directory = join(dataDir, 'catalog');
  const path = join(directory, editsName((await listFiles(directory)).edits.at(-1)!));
  assert.equal(await write(service, 'before'), 200);
  // A part counts when the catalogue that names it is synced.
  await until(async () => (await partsOf(service)) > 0);
  const heal = await injectFault(service.child.pid!, { path, calls, error });
  assert.equal(await write(service, 'during'), 200);
  return { service, heal };
}

const readiness = async (service: RunningService) => await send(service.url, '/readyz');
const partsOf = async (service: RunningService) =>
  Number(/^pitwall_parts (\d+)$/m.exec((await send(service.url, '/metrics')).text)![1]);

describe('a catalogue that cannot be written', { skip: noFaults, concurrency: true }, () => {
  for (const calls of [syncCalls, writeCalls]) {
    it(`ends writes, and nothing else, when ${calls[0]} fails`, async () => {
      const dataDir = temporaryFolder();
      const { heal, ...begun } = await serviceWithFault(dataDir, calls, 'EIO');
      let { service } = begun;
      try {
        await until(async () => (await readiness(service)).status === 503, 20);
        await heal();
        const { status, json } = await send(service.url, '/topics/cars/streams/after/parameters/data', {
          body: JSON.stringify({ timestamps: [1], numericValues: { Speed: [1] } }),
        });
        assert.deepEqual([status, json<{ code: string }>().code], [503, 'storage_failed']);
        assert.equal((await readiness(service)).status, 503, 'a failed sync cannot be repeated');
        const stranger = await send(service.url, '/readyz', { token: null });
        assert.deepEqual([stranger.status, stranger.json<{ code: string }>().code], [503, 'not_ready']);
        assert.match((await readiness(service)).json<{ detail: string }>().detail, /the storage has failed/);
        assert.match(stranger.json<{ detail: string }>().detail, /^there are problems; an admin token/);
        assert.deepEqual(await readStreams(service), ['before', 'during']);
        await service.stop('SIGKILL');
        service = await launchService(dataDir, { args });
        assert.deepEqual(await readStreams(service), ['before', 'during']);
        assert.equal(await write(service, 'later'), 200);
      } finally {
        await service.stop('SIGKILL');
      }
    });
  }

  it('goes on by itself when the disk was full', async () => {
    const dataDir = temporaryFolder();
    const { heal, ...begun } = await serviceWithFault(dataDir, writeCalls, 'ENOSPC');
    let { service } = begun;
    try {
      await until(async () => /the disk is full/.test((await readiness(service)).text), 20);
      assert.deepEqual(await readStreams(service), ['before', 'during']);
      await heal();
      await until(async () => !/the disk is full/.test((await readiness(service)).text), 20);
      assert.equal(await write(service, 'after'), 200);
      await service.stop('SIGKILL');
      service = await launchService(dataDir, { args });
      assert.deepEqual(await readStreams(service), ['after', 'before', 'during']);
    } finally {
      await service.stop('SIGKILL');
    }
  });
});

describe('a disk that the catalogue fills', () => {
  it('refuses writes, is read, and goes on by itself when there is space', async (t) => {
    const disk = smallDisk(24);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    const dataDir = join(disk.path, 'data');
    let service = await launchService(dataDir, { args });
    const describeStream = (id: string) =>
      send(service.url, `/topics/cars/streams/${id}`, {
        method: 'PUT',
        body: JSON.stringify({ metadata: { text: 'x'.repeat(20_000) } }),
      });
    const countStreams = async () =>
      (await send(service.url, '/streams', { body: '{}' })).json<unknown[]>().length;
    try {
      let known = 0;
      let refused = await describeStream('0');
      while (refused.status === 200) refused = await describeStream(String(++known));
      assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [503, 'disk_full']);
      assert.equal((await readiness(service)).status, 503);
      assert.equal(await countStreams(), known);
      await service.stop('SIGKILL');
      service = await launchService(dataDir, { args });
      assert.equal(await countStreams(), known, 'a start on a full disk serves reads');
      disk.resize(200);
      await until(async () => (await describeStream('more')).status === 200, 20);
      await until(async () => !/the disk is full/.test((await readiness(service)).text), 20);
      await service.stop('SIGKILL');
      service = await launchService(dataDir, { args });
      assert.equal(await countStreams(), known + 1);
    } finally {
      await service.stop('SIGKILL');
      disk.remove();
    }
  });
});

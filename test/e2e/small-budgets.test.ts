import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { adminToken, isOnClickHouse, launchService, send, startService, temporaryFolder } from './service.ts';

const kib = 1024;
const windowNs = 2n ** 50n;

async function metric(url: string, name: string): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

describe('a service with little memory for reads', { skip: isOnClickHouse }, () => {
  const streams = 300;
  const windows = 30;
  const args = ['--cache-bytes', '256KiB', '--index-bytes', '64KiB', '--head-bytes', '4MiB'];

  /** Row `window` of each stream, with a value that no other has. */
  const cellOf = (stream: number, window: number) => stream * 1000 + window;

  it('reads many streams from many parts right, and keeps no more than it may', async () => {
    const dataDir = temporaryFolder();
    const writing = await launchService(dataDir, { args });
    for (let window = 0; window < windows; window++) {
      const body = Array.from({ length: streams }, (_, stream) => ({
        streamId: `s${stream}`,
        timestamps: [`${BigInt(window + 1) * windowNs}`],
        numericValues: { p: [cellOf(stream, window)] },
      }));
      const { status, text } = await send(writing.url, '/topics/t/parameters/data', {
        body: JSON.stringify(body).replaceAll(/"(\d+)"/g, '$1'),
      });
      assert.equal(status, 200, text);
    }
    await writing.stop();

    const { url } = await startService({ dataDir, args });
    assert.equal(await metric(url, 'pitwall_part_index_bytes'), 0);
    const check = async (stream: number) => {
      const body = JSON.stringify({ streamIds: [`s${stream}`], numericParameters: [{ parameterName: 'p' }] });
      const { json } = await send(url, '/parameters/data', { body });
      assert.deepEqual(
        json<{ numericValues: { p: number[] } }>().numericValues.p,
        Array.from({ length: windows }, (_, window) => cellOf(stream, window)),
      );
    };
    const sum = async () => {
      const body = JSON.stringify({ numericParameters: [{ parameterName: 'p', aggregationType: 'Sum' }] });
      const { text } = await send(url, '/parameters/data', { body });
      let all = 0;
      for (let stream = 0; stream < streams; stream++)
        for (let window = 0; window < windows; window++) all += cellOf(stream, window);
      assert.ok(text.includes(String(all)), text);
    };
    for (let stream = 0; stream < streams; stream += 10)
      await Promise.all([check(stream), check((stream * 7) % streams), sum()]);
    // The last one may be over the limit; all of them together take seven times the limit. What a start asks of itself may be
    // under way, and has what it reads until it ends.
    await until(async () => {
      const each = 3 * kib + (50 * streams * windows) / (await metric(url, 'pitwall_parts'));
      return (await metric(url, 'pitwall_part_index_bytes')) <= 64 * kib + each;
    });
    assert.ok((await metric(url, 'pitwall_part_cache_bytes')) <= 512 * kib);
    assert.equal(await metric(url, 'pitwall_part_index_limit_bytes'), 64 * kib);
  });
});

describe('a client that stops taking its answer', { skip: isOnClickHouse }, () => {
  const rows = 20_000;

  async function write(url: string, stream: string, from: number): Promise<void> {
    const timestamps = Array.from({ length: rows }, (_, row) => from + row);
    const p = timestamps.map((time) => Math.sin(time));
    const body = JSON.stringify({ timestamps, numericValues: { p, q: p, r: p } });
    const { status, text } = await send(url, `/topics/t/streams/${stream}/parameters/data`, { body });
    assert.equal(status, 200, text);
  }

  async function exportOf(url: string): Promise<IncomingMessage> {
    const names = ['p', 'q', 'r'].map((parameterName) => ({ parameterName }));
    const outgoing = request(`${url}/parameters/data`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${adminToken}`,
        'Content-Type': 'application/json',
        Accept: 'text/csv',
      },
    });
    outgoing.end(JSON.stringify({ streamIds: ['large'], numericParameters: names }));
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return answer;
  }

  /** A service with a large stream, whose last rows are in no part yet; and an export of it that waits. */
  async function stalled(snapshotBytes: string) {
    const service = await startService({
      args: ['--head-bytes', '8MiB', '--snapshot-bytes', snapshotBytes],
    });
    const { url } = service;
    for (let i = 0; i < 30; i++) await write(url, 'large', i * rows);
    // What is in no part yet is in the slab that is being written, which nobody seals before there is more.
    await until(async () => (await metric(url, 'pitwall_head_bytes')) <= 1024 * kib);
    const answer = await exportOf(url);
    answer.on('error', () => undefined);
    for (let i = 0; i < 10; i++) await write(url, 'other', i * rows);
    return { service, url, answer };
  }

  it('keeps its rows while they are not too many, and gets the rest when it goes on', async () => {
    const { url, answer } = await stalled('64MiB');
    await until(async () => (await metric(url, 'pitwall_snapshot_bytes')) > 0);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    assert.equal(text.trimEnd().split('\n').length, 1 + 30 * rows);
    await until(async () => (await metric(url, 'pitwall_snapshot_bytes')) === 0);
    assert.equal(await metric(url, 'pitwall_reads_ended_total'), 0);
  });

  it('loses its connection where they are: that is counted and logged', async () => {
    const { service, url, answer } = await stalled('64KiB');
    await until(async () => (await metric(url, 'pitwall_reads_ended_total')) === 1);
    assert.equal(await metric(url, 'pitwall_snapshot_bytes'), 0);
    await assert.rejects(async () => {
      for await (const _ of answer);
    });
    await until(() => /a read ended: its client took rows too slowly/.test(service.stderr()));
    // A read of rows that are all in parts holds no others.
    await until(async () => (await metric(url, 'pitwall_head_bytes')) === 0);
    const again = await exportOf(url);
    let bytes = 0;
    for await (const chunk of again) bytes += (chunk as Buffer).length;
    assert.ok(bytes > 1_000_000);
  });
});

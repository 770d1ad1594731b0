import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pushMetrics } from 'prometheus-remote-write';
import { compressSync } from 'snappy';
import { readPage } from '../docs/markdown.ts';
import { until } from '../until.ts';
import { staleBits, withBits, write1, write2 } from '../wire/remote-write-messages.ts';
import { prometheusMissing, startPrometheus, startTarget } from './prometheus.ts';
import { adminToken, send, startService } from './service.ts';

/** What the page tells people to paste. */
function configured(url: string): string {
  const block = readPage('docs/prometheus.md').blocks.find(({ language }) => language === 'yaml');
  return `${block!.text.replace('http://127.0.0.1:8480', url).replace('$PITWALL_TOKEN', adminToken).trimEnd()}\n`;
}

describe('remote write', async () => {
  const service = await startService();

  const read = async (topic: string, streamId: string, parameterName: string, groupBy: string[] = []) => {
    const body = JSON.stringify({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName }],
      groupBy,
    });
    const reply = await send(service.url, '/parameters/data?int64=string', { body });
    if (reply.status !== 200) return { rows: [], tags: {} };
    const { timestamps, numericValues, tagValues } = reply.json<{
      timestamps: string[];
      numericValues: Record<string, (number | null)[]>;
      tagValues: Record<string, string[]>;
    }>();
    const rows = timestamps.map((time, i) => [BigInt(time), numericValues[parameterName]![i]] as const);
    return { rows, tags: tagValues };
  };

  const ends = async (topic: string, streamId: string, eventId: string) => {
    const body = JSON.stringify({ topic, streamIds: [streamId], eventIds: [eventId] });
    const reply = await send(service.url, '/events/data?int64=string', { body });
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.json<{
      data: Record<string, { timestamp: string; value: string; tags: object }[]>;
    }>();
    return data[eventId] ?? [];
  };

  const write = (body: Buffer, headers: Record<string, string | undefined> = {}, path = '/api/v1/write') =>
    send(service.url, path, { body: compressSync(body), headers: { 'content-type': undefined, ...headers } });

  const labels = { __name__: 'm', job: 'j', instance: 'i' };

  it('takes what Prometheus scrapes, sample by sample', { skip: prometheusMissing }, async () => {
    let text: string | undefined = '# HELP laps_total Laps that were driven\n# TYPE laps_total counter\n';
    text += 'laps_total{driver="Ada"} 7\nlaps_total{driver="Bob"} NaN\n';
    const target = await startTarget(() => text);
    const prometheus = await startPrometheus(`
global: {scrape_interval: 250ms}
scrape_configs: [{job_name: cars, static_configs: [{targets: ['${target}']}]}]
${configured(service.url)}  queue_config: {batch_send_deadline: 100ms}
  metadata_config: {send_interval: 1s}
`);
    await until(async () => (await read('cars', target, 'laps_total', ['driver'])).rows.length >= 6);
    await until(async () => {
      const { text: all } = await send(service.url, '/parameters', { body: '{"topic":"cars"}' });
      return all.includes('Laps that were driven');
    });
    // One series goes, and then all of them.
    text = text.replace(/.*Bob.*\n/, '');
    await until(async () => (await ends('cars', target, 'laps_total')).length === 1);
    assert.deepEqual((await ends('cars', target, 'laps_total'))[0]!.tags, { driver: 'Bob' });
    text = undefined;
    await until(async () => (await ends('cars', target, 'laps_total')).length === 2);
    const { rows, tags } = await read('cars', target, 'laps_total', ['driver']);
    const ours = rows.map(([time, value], i) => `${tags['driver']![i]} ${time / 1_000_000n} ${value}`);
    const theirs = (await prometheus.samples('laps_total[10m]')).flatMap(({ metric, values }) =>
      values.map(([seconds, value]) => `${metric['driver']} ${Math.round(seconds * 1000)} ${value}`),
    );
    assert.deepEqual(ours.sort(), theirs.sort());
    assert.ok((await read('cars', target, 'up')).rows.some(([, value]) => value === 0));
  });

  it('takes what prometheus-remote-write of npm sends', async () => {
    const pushed = await pushMetrics(
      { speed: 213.5, gear: 6 },
      {
        url: `${service.url}/api/v1/push`,
        auth: { username: 'any', password: adminToken },
        labels: { job: 'npm', instance: 'car', lap: '7' },
        fetch: (address, init) => fetch(address, init as RequestInit),
      },
    );
    assert.equal(pushed.status, 204, pushed.errorMessage);
    const { rows, tags } = await read('npm', 'car', 'speed', ['lap']);
    assert.deepEqual([rows.map(([, value]) => value), tags], [[213.5], { lap: ['7'] }]);
  });

  it('changes nothing when it comes again', async () => {
    const body = withBits(
      write1([
        {
          labels,
          samples: [
            [1, 1.5],
            [2, 4.25],
          ],
        },
      ]),
      4.25,
      staleBits,
    );
    for (let i = 0; i < 2; i++) assert.equal((await write(body)).status, 204);
    assert.deepEqual((await read('j', 'i', 'm')).rows, [[1_000_000n, 1.5]]);
    assert.deepEqual(
      (await ends('j', 'i', 'm')).map(({ timestamp, value }) => [timestamp, value]),
      [['2000000', 'stale']],
    );
  });

  it('knows series again, whatever became of their streams, and in each workspace by itself', async () => {
    const body = (ms: number) =>
      write1(
        ['a', 'b'].map((name) => ({
          labels: { ...labels, __name__: name, job: 'known' },
          samples: [[ms, ms]],
        })),
      );
    const at = 1_700_000_000_000;
    const times = async () => (await read('known', 'i', 'a')).rows.map(([, value]) => value);
    const admin = (path: string, more: object = {}) =>
      send(service.url, path, { body: JSON.stringify({ topic: 'known', streamIds: ['i'], ...more }) });
    for (const ms of [at, at + 1]) assert.equal((await write(body(ms))).status, 204);
    assert.deepEqual(await times(), [at, at + 1]);
    // Deleted for good it comes into being anew; deleted softly it comes back with all that it had.
    await admin('/streams/delete', { hardDelete: true });
    assert.deepEqual(await times(), []);
    for (const ms of [at + 2, at + 3]) assert.equal((await write(body(ms))).status, 204);
    assert.deepEqual(await times(), [at + 2, at + 3]);
    await admin('/streams/delete');
    assert.deepEqual(await times(), []);
    assert.equal((await write(body(at + 4))).status, 204);
    assert.deepEqual(await times(), [at + 2, at + 3, at + 4]);
    const made = await send(service.url, '/admin/workspaces', { body: '{"name":"other"}' });
    assert.ok(made.status < 300, made.text);
    const { token } = (
      await send(service.url, '/admin/tokens', { body: '{"workspace":"other","scopes":["read","write"]}' })
    ).json<{ token: string }>();
    const asOther = { authorization: `Bearer ${token}` };
    assert.equal((await write(body(at + 5), asOther)).status, 204);
    assert.deepEqual(await times(), [at + 2, at + 3, at + 4]);
    const found = await send(service.url, '/parameters/data', {
      body: '{"topic":"known","streamIds":["i"],"numericParameters":[{"parameterName":"b"}]}',
      headers: asOther,
    });
    assert.deepEqual(found.json<{ numericValues: object }>().numericValues, { b: [at + 5] });
  });

  it('says in the log what was probably meant otherwise, for Prometheus shows no header', async () => {
    const body = write1([{ labels: { ...labels, job: 'ahead' }, samples: [[Date.now() + 86_400_000, 1]] }]);
    const reply = await write(body);
    assert.equal(reply.status, 204);
    assert.match(String(reply.headers['pitwall-warning']), /further ahead of the service's clock/);
    await until(() => /"door":"prometheus".*further ahead of the service's clock/.test(service.stderr()));
  });

  it('speaks version 2 where the media type says so', async () => {
    const type = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';
    const body = write2([
      { labels: { ...labels, job: 'two' }, samples: [[1, 1]], metadata: [2, 'What it is', 'm'] },
      { labels: { job: 'two' }, samples: [[1, 1]] },
    ]);
    const reply = await write(body, { 'content-type': type, 'content-encoding': 'snappy' });
    assert.equal(reply.status, 400);
    assert.equal(reply.text, '1 values were not written, 1 were: there is no label __name__\n');
    assert.equal(reply.headers['x-prometheus-remote-write-samples-written'], '1');
    assert.equal((await read('two', 'i', 'm')).rows.length, 1);
    const { text } = await send(service.url, '/parameters', { body: '{"topic":"two"}' });
    assert.match(text, /"What it is"/);
  });

  it('answers 400 for what can never be taken, and asks for a token', async () => {
    const large = compressSync(Buffer.alloc(33 << 20));
    const post = (body: Uint8Array, headers: Record<string, string | undefined> = {}, token?: null) =>
      send(service.url, '/api/v1/write', {
        body,
        headers: { 'content-type': undefined, ...headers },
        ...(token === null && { token }),
      });
    for (const [reply, text] of [
      [await post(Buffer.from('hello')), /^bad_encoding: the body is not valid Snappy/],
      [
        await post(compressSync(Buffer.from('hello'))),
        /^bad_request: the body is no such message of protobuf/,
      ],
      [await post(large), /^body_too_large: .*33554432 bytes at most, decompressed/],
      [await post(large, { 'content-encoding': 'zstd' }), /^unsupported_media_type/],
    ] as const) {
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, text);
    }
    const stranger = await post(compressSync(write1([])), {}, null);
    assert.deepEqual(
      [stranger.status, stranger.headers['www-authenticate']],
      [401, 'Basic realm="Pitwall", charset="UTF-8", Bearer'],
    );
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /pitwall_door_refused_total\{door="prometheus",reason="bad_encoding"\} 1/);
    assert.match(text, /pitwall_door_messages_total\{door="prometheus"\} \d+/);
  });
});

describe('remote write with other streams', async () => {
  const service = await startService({ args: ['--prometheus-stream', 'host,device'] });

  it('makes streams of the labels that the service was told', async () => {
    const body = write1([
      { labels: { __name__: 'm', job: 'j', host: 'h', device: 'sda', instance: 'i' }, samples: [[1, 1]] },
    ]);
    const reply = await send(service.url, '/api/v1/write', { body: compressSync(body) });
    assert.equal(reply.status, 204, reply.text);
    const { text } = await send(service.url, '/streams', { body: '{"topic":"j"}' });
    assert.match(text, /"streamId":"h\/sda"/);
  });

  it('keeps series apart whose labels have slashes, or are not all there', async () => {
    const hosts = [
      { host: 'a', device: 'b' },
      { host: 'a/b' },
      { host: 'a%2Fb' },
      { host: 'a', device: '/b/c' },
      { host: 'a/b', device: 'c' },
      { host: 'a' },
      { device: 'a' },
      { host: '', device: 'a/b' },
      {},
    ];
    const seconds = Math.floor(Date.now() / 1000);
    const series = hosts.map((own, i) => ({
      labels: { __name__: 'apart', job: 'slashes', ...own },
      samples: [[seconds * 1000, i]] as const,
    }));
    const reply = await send(service.url, '/api/v1/write', { body: compressSync(write1(series)) });
    assert.equal(reply.status, 204, reply.text);
    const found = await send(service.url, `/api/v1/query?query=apart&time=${seconds}`);
    const { result } = found.json<{ data: { result: { metric: object; value: [number, string] }[] } }>().data;
    const byValue = result.toSorted((a, b) => Number(a.value[1]) - Number(b.value[1]));
    const shown = (own: object) =>
      Object.entries(own)
        .filter(([, value]) => value !== '')
        .sort();
    assert.deepEqual(
      byValue.map(({ metric, value }) => [value[1], shown(metric)]),
      series.map(({ labels }, i) => [String(i), shown(labels)]),
    );
  });
});

describe('remote write to a service that is busy', async () => {
  const service = await startService({ args: ['--max-in-flight-bytes=1MiB', '--max-body-bytes=1MiB'] });

  it('is asked to come again', async () => {
    const samples = Array.from({ length: 60_000 }, (_, i) => [i, 0] as const);
    const body = compressSync(write1([{ labels: { __name__: 'm', job: 'j', instance: 'i' }, samples }]));
    const reply = await send(service.url, '/api/v1/write', { body });
    assert.deepEqual([reply.status, reply.headers['retry-after']], [503, undefined], reply.text);
  });
});

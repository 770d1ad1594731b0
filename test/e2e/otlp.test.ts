import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readPage } from '../docs/markdown.ts';
import { endWithTests } from '../end-with-tests.ts';
import { root } from '../root.ts';
import { attributes, gauge, otlpProtobuf, otlpResponse, requestOf } from '../wire/otlp/messages.ts';
import { adminToken, send, startService } from './service.ts';

/** What the page tells people to set. */
function configured(url: string): Record<string, string> {
  const block = readPage('docs/opentelemetry.md').blocks.find(({ language }) => language === 'sh');
  const text = block!.text.replace('http://127.0.0.1:8480', url).replace('$PITWALL_TOKEN', adminToken);
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );
}

/** Runs a program that exports; gives what it complains about. */
async function exportMetrics(form: string, environment: Record<string, string>): Promise<string> {
  const program = join(root, 'build/test/e2e/otlp-exporter.js');
  const child = endWithTests(
    spawn(process.execPath, [program, form], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, said);
  return said;
}

const protobuf = { 'content-type': 'application/x-protobuf' };

describe('OTLP', async () => {
  const service = await startService();

  const read = async (topic: string, parameterName: string, groupBy: string[] = []) => {
    const body = JSON.stringify({ topic, numericParameters: [{ parameterName }], groupBy });
    const reply = await send(service.url, '/parameters/data?int64=string', { body });
    assert.equal(reply.status, 200, reply.text);
    const { timestamps, numericValues, tagValues } = reply.json<{
      timestamps: string[];
      numericValues: Record<string, (number | null)[]>;
      tagValues: Record<string, string[]>;
    }>();
    return timestamps.map((time, i) => [
      time,
      numericValues[parameterName]?.[i],
      ...groupBy.map((tag) => tagValues[tag]?.[i]),
    ]);
  };

  const values = async (topic: string, name: string, groupBy: string[] = []) =>
    (await read(topic, name, groupBy)).map(([, ...rest]) => rest);

  const post = (body: Buffer | string, headers: Record<string, string | undefined>, token?: null) =>
    send(service.url, '/v1/metrics', { body, headers, ...(token === null && { token }) });

  for (const form of ['json', 'protobuf']) {
    for (const compression of ['none', 'gzip']) {
      it(`takes what exporters of JavaScript send (${form}, ${compression})`, async () => {
        const said = await exportMetrics(form, {
          ...configured(service.url),
          OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: compression,
        });
        assert.equal(said, '');
        const last = async (name: string, groupBy: string[] = []) =>
          (await values(form, name, groupBy)).at(-1);
        assert.deepEqual(await last('laps', ['driver']), [3, 'Ada']);
        assert.deepEqual(await last('cars'), [-2]);
        assert.deepEqual((await values(form, 'lap.time.bucket', ['le'])).slice(-3).sort(), [
          [1, '10'],
          [3, '20'],
          [4, '+Inf'],
        ]);
        for (const [part, value] of Object.entries({ count: 4, sum: 60, min: 5, max: 25 })) {
          assert.deepEqual(await last(`lap.time.${part}`), [value]);
          assert.deepEqual(await last(`scaled.${part}`), [value]);
        }
        const scaled = await values(form, 'scaled.bucket', ['le']);
        assert.ok(scaled.some(([value, le]) => value === 4 && le !== '+Inf'));
        const speeds = await values(form, 'speed', ['wet', 'gear']);
        assert.ok(speeds.some((row) => JSON.stringify(row) === '[213.5,"true","6"]'));
        const { text } = await send(service.url, '/streams', { body: JSON.stringify({ topic: form }) });
        assert.match(text, /"streamId":"one"/);
        assert.match(text, /"process.command_args":"\[\\"node\\",\\"app.js\\"\]"/);
        assert.match(
          (await send(service.url, '/parameters', { body: JSON.stringify({ topic: form }) })).text,
          /"Laps driven"/,
        );
      });
    }
  }

  it('changes nothing when it comes again, and keeps what else is known of the stream', async () => {
    const point = { timeUnixNano: '1700000000123456789', asDouble: 7, attributes: attributes({ a: 'b' }) };
    const body = otlpProtobuf(
      requestOf([gauge('m', point)], { 'service.name': 'again', 'host.name': 'h', 'os.type': 'linux' }),
    );
    const put = await send(service.url, '/topics/again/streams/h', {
      method: 'PUT',
      body: '{"location":"/pit","metadata":{"mine":"kept"}}',
    });
    assert.equal(put.status, 200, put.text);
    for (let i = 0; i < 2; i++) {
      const reply = await post(body, protobuf);
      assert.deepEqual(
        [reply.status, reply.text, reply.headers['content-type']],
        [200, '', 'application/x-protobuf'],
      );
    }
    assert.deepEqual(await read('again', 'm', ['a']), [['1700000000123456789', 7, 'b']]);
    const { text } = await send(service.url, '/streams', { body: '{"topic":"again"}' });
    assert.match(text, /"location":"\/pit"/);
    assert.match(text, /"metadata":\{(?=[^}]*"mine":"kept")(?=[^}]*"os.type":"linux")/);
  });

  it('writes the metadata of many streams of one request', async () => {
    const resourceMetrics = Array.from({ length: 600 }, (_, i) => ({
      resource: { attributes: attributes({ 'service.name': 'many', 'host.name': `h${i}`, rack: String(i) }) },
      scopeMetrics: [{ metrics: [gauge('m', { asDouble: i })] }],
    }));
    assert.equal((await post(otlpProtobuf({ resourceMetrics }), protobuf)).status, 200);
    const streams = (await send(service.url, '/streams', { body: '{"topic":"many"}' })).json<
      { streamId: string; metadata: Record<string, string> }[]
    >();
    assert.equal(streams.length, 600);
    for (const { streamId, metadata } of streams) assert.deepEqual(metadata, { rack: streamId.slice(1) });
  });

  it('tells in the form of the request which points it refused', async () => {
    const request = requestOf([
      gauge('good', { asDouble: 1 }),
      gauge('m', { asDouble: 1, timeUnixNano: '0' }),
    ]);
    const message = '1 points were not written: a point of "m" has no time';
    const reply = await post(JSON.stringify(request), { 'content-type': 'application/json; charset=utf-8' });
    assert.deepEqual(reply.json(), { partialSuccess: { rejectedDataPoints: '1', errorMessage: message } });
    assert.match(String(reply.headers['content-type']), /^application\/json/);
    const binary = await sendForBytes(service.url, otlpProtobuf(request), protobuf);
    assert.deepEqual(otlpResponse('ExportMetricsServiceResponse', binary.bytes), {
      partialSuccess: { rejectedDataPoints: '1', errorMessage: message },
    });
    assert.deepEqual((await post('{}', { 'content-type': 'application/json' })).json(), {});
  });

  it('refuses what it cannot read in the form of OTLP', async () => {
    const good = otlpProtobuf(requestOf([]));
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    for (const [body, headers, status, text] of [
      [
        good,
        { 'content-type': 'text/plain' },
        415,
        /must be application\/x-protobuf or application\/json, not text/,
      ],
      [good, { 'content-type': undefined }, 415, /must be application/],
      [good, { 'content-type': 'application/json', 'content-encoding': 'zstd' }, 415, /Content-Encoding/],
      [
        Buffer.from('{"resourceMetrics":7}'),
        { 'content-type': 'application/json' },
        400,
        /resourceMetrics must be an array/,
      ],
      [bomb, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 413, /decompressed/],
    ] as const) {
      const reply = await post(body, headers);
      assert.equal(reply.status, status, reply.text);
      const { code, message } = reply.json<{ code: number; message: string }>();
      assert.equal(code, 3);
      assert.match(message, text);
    }
    const binary = await sendForBytes(service.url, Buffer.from('hello'), protobuf);
    const { message } = otlpResponse('Status', binary.bytes) as { message: string };
    assert.equal(binary.status, 400);
    assert.match(message, /^bad_request: the body is no such message of protobuf/);
    const stranger = await post(good, protobuf, null);
    assert.deepEqual(
      [stranger.status, stranger.headers['www-authenticate'], stranger.headers['content-type']],
      [401, 'Basic realm="Pitwall", charset="UTF-8", Bearer', 'application/x-protobuf'],
    );
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /pitwall_door_refused_total\{door="otlp",reason="unsupported_media_type"\} 3/);
    assert.match(text, /pitwall_door_refused_total\{door="otlp",reason="no_value"\} [1-9]/);
  });
});

describe('OTLP to a service that is busy', async () => {
  const service = await startService({ args: ['--max-in-flight-bytes=1MiB', '--max-body-bytes=1MiB'] });

  it('is asked to come again soon', async () => {
    const points = Array.from({ length: 20_000 }, (_, i) => gauge(`m${i}`, { asDouble: i }));
    const reply = await sendForBytes(service.url, otlpProtobuf(requestOf(points)), protobuf);
    assert.equal(reply.status, 503);
    assert.ok(Number(reply.retryAfter) >= 1 && Number(reply.retryAfter) <= 2);
    assert.equal((otlpResponse('Status', reply.bytes) as { code: number }).code, 14);
  });
});

async function sendForBytes(url: string, body: Buffer, headers: Record<string, string>) {
  const reply = await fetch(`${url}/v1/metrics`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...headers, authorization: `Bearer ${adminToken}` },
  });
  return {
    status: reply.status,
    retryAfter: reply.headers.get('retry-after'),
    bytes: Buffer.from(await reply.arrayBuffer()),
  };
}

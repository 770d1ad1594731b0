import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Histogram, Pushgateway, Registry } from 'prom-client';
import { message } from '../../src/protobuf/wire-writer.ts';
import { doubles } from '../wire/metric-messages.ts';
import { adminToken, run, send, startService } from './service.ts';

const protobuf =
  'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';

describe('a push to a Pushgateway', async () => {
  const service = await startService();
  const headers = { Authorization: `Bearer ${adminToken}` };

  const read = async (topic: string, streamId: string, parameterName: string, groupBy: string[] = []) => {
    const body = JSON.stringify({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName }],
      groupBy,
    });
    const { numericValues, tagValues } = (await send(service.url, '/parameters/data', { body })).json<{
      numericValues: Record<string, number[]>;
      tagValues: Record<string, string[]>;
    }>();
    return numericValues[parameterName]!.map((value, i) => [
      value,
      ...groupBy.map((tag) => tagValues[tag]?.[i]),
    ]);
  };

  const push = (path: string, body: string, more: Record<string, string | undefined> = {}, token?: null) =>
    send(service.url, path, {
      body,
      headers: { 'content-type': undefined, ...more },
      ...(token === null && { token }),
    });

  it('is taken from prom-client, with gzip and without', async () => {
    const registry = new Registry();
    const runs = new Counter({
      name: 'runs_total',
      help: 'How often',
      labelNames: ['disk'],
      registers: [registry],
    });
    const seconds = new Histogram({
      name: 'seconds',
      help: 'How long',
      buckets: [1, 10],
      registers: [registry],
    });
    runs.inc({ disk: 'sda' }, 3);
    seconds.observe(5);
    const gateway = new Pushgateway(service.url, { headers }, registry);
    const zipped = new Pushgateway(
      service.url,
      { headers: { ...headers, 'Content-Encoding': 'gzip' } },
      registry,
    );
    await gateway.pushAdd({ jobName: 'backup', groupings: { instance: 'db 1', kind: 'night' } });
    await zipped.push({ jobName: 'zipped' });
    assert.deepEqual(await read('backup', 'db 1', 'runs_total', ['disk', 'kind']), [[3, 'sda', 'night']]);
    assert.deepEqual((await read('backup', 'db 1', 'seconds_bucket', ['le'])).sort(), [
      [0, '1'],
      [1, '+Inf'],
      [1, '10'],
    ]);
    assert.deepEqual(await read('zipped', 'zipped', 'runs_total', ['disk']), [[3, 'sda']]);
    assert.match(
      (await send(service.url, '/parameters', { body: '{"topic":"zipped"}' })).text,
      /"How often"/,
    );
  });

  it('takes labels in base64, and the same push with times once', async () => {
    const path = '/metrics/job@base64/YS9i/instance@base64/w7w/empty@base64/=';
    for (let i = 0; i < 2; i++) {
      const reply = await push(path, 'm{instance="x"} 1.5 1700000000000\n');
      assert.deepEqual([reply.status, reply.text], [200, '']);
    }
    assert.deepEqual(await read('a/b', 'ü', 'm'), [[1.5]]);
  });

  it('is a row of its own, also in one millisecond with others', async () => {
    const values = Array.from({ length: 50 }, (_, i) => i);
    const at = (value: number) => push('/metrics/job/fast/instance/a', `beats ${value}\n`);
    for (const { status } of await Promise.all(values.map(at))) assert.equal(status, 200);
    const rows = (await read('fast', 'a', 'beats')).map(([value]) => Number(value));
    assert.deepEqual(
      rows.sort((a, b) => a - b),
      values,
    );
  });

  it('is refused as a whole where something is wrong, in words', async () => {
    for (const [path, body, more, status, text] of [
      [
        '/metrics/job/j',
        'm 1\nm{a=1} 2',
        {},
        400,
        /^bad_request: line 2: the label "a" has no value in quotes/,
      ],
      ['/metrics/job/j/instance', 'm 1', {}, 400, /instance has no value/],
      ['/metrics/job/j//x', 'm 1', {}, 400, /one has no name/],
      ['/metrics/job@base64/!', 'm 1', {}, 400, /the value of job@base64 is not base64/],
      [
        '/metrics/job/j',
        'm 1',
        { 'content-type': 'application/vnd.google.protobuf; encoding=text' },
        415,
        /must be delimited messages, not text/,
      ],
      ['/metrics/job/j', '\x09abc', { 'content-type': protobuf }, 400, /^bad_request: .*protobuf/],
    ] as const) {
      const reply = await push(path, body, more);
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.text, text);
    }
    assert.equal((await send(service.url, '/streams', { body: '{"topic":"j"}' })).text, '[]');
    const stranger = await push('/metrics/job/j', 'm 1', {}, null);
    assert.deepEqual(
      [stranger.status, stranger.headers['www-authenticate']],
      [401, 'Basic realm="Pitwall", charset="UTF-8", Bearer'],
    );
  });

  it('stays when its group is deleted', async () => {
    await push('/metrics/job/over/instance/i', 'm 1 1700000000000');
    const deleted = await send(service.url, '/metrics/job/over/instance/i', { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.text], [202, '']);
    assert.equal((await send(service.url, '/metrics/job/over/instance', { method: 'DELETE' })).status, 400);
    assert.deepEqual(await read('over', 'i', 'm'), [[1]]);
  });

  it('is taken in protobuf, as Go pushes it', async () => {
    const gauge = message([
      [1, 'seconds'],
      [2, 'How long'],
      [3, 1],
      [
        4,
        message([
          [
            1,
            message([
              [1, 'disk'],
              [2, 'sda'],
            ]),
          ],
          [2, doubles([[1, 1.5]])],
        ]),
      ],
    ]);
    const body = Buffer.concat([Buffer.from([gauge.length]), gauge]);
    const reply = await send(service.url, '/metrics/job/go/instance/i', {
      body,
      headers: { 'content-type': protobuf },
    });
    assert.deepEqual([reply.status, reply.text], [200, '']);
    assert.deepEqual(await read('go', 'i', 'seconds', ['disk']), [[1.5, 'sda']]);
  });

  it('is shown by pitwall doors, with what was refused', async () => {
    const { code, stdout, stderr } = await run(['doors'], {
      PITWALL_URL: service.url,
      PITWALL_TOKEN: adminToken,
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^DOOR +MESSAGES +ROWS +ADDRESSES\n/);
    assert.match(stdout, /^otlp +0 +0 +\/v1\/metrics$/m);
    assert.match(stdout, /^pushgateway +56 +[1-9]\d* +\/metrics\/job\/…$/m);
    assert.match(stdout, /^pushgateway +bad_request +6$/m);
    const wrong = await run(['doors', 'more'], {});
    assert.deepEqual([wrong.code, wrong.stderr], [2, "pitwall: there is a word too many: 'more'\n"]);
    const { token } = (
      await send(service.url, '/admin/tokens', { body: '{"workspace":"default","scopes":["write"]}' })
    ).json<{ token: string }>();
    const stranger = await run(['doors'], { PITWALL_URL: service.url, PITWALL_TOKEN: token });
    assert.equal(stranger.code, 1);
    assert.match(stranger.stderr, /403/);
  });
});

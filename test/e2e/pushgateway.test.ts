import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Histogram, Pushgateway, Registry } from 'prom-client';
import { adminToken, send, startService } from './service.ts';

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
      ['/metrics/job/j', 'm 1', { 'content-type': 'application/vnd.google.protobuf' }, 415, /must be text/],
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
    const deleted = await send(service.url, '/metrics/job/j/instance/i', { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.headers['allow']], [405, 'POST, PUT']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import mqtt from 'mqtt';
import { compressSync } from 'snappy';
import { until } from '../until.ts';
import { write1 } from '../wire/remote-write-messages.ts';
import { mqttUrlOf } from './mqtt-rows.ts';
import { prometheusMissing, startPrometheus, startTarget } from './prometheus.ts';
import { adminToken, type RunningService, run, send, startService } from './service.ts';

/** A workspace that has as many streams as it may: these of these topics. */
async function fullWorkspace(service: RunningService, name: string, streams: readonly [string, string][]) {
  const made = JSON.stringify({ name, maxStreams: streams.length });
  assert.equal((await send(service.url, '/admin/workspaces', { body: made })).status, 200);
  const scopes = JSON.stringify({ workspace: name, scopes: ['read', 'write'] });
  const { token } = (await send(service.url, '/admin/tokens', { body: scopes })).json<{ token: string }>();
  const headers = { authorization: `Bearer ${token}` };
  for (const [topic, streamId] of streams) {
    const body = JSON.stringify({ streamId });
    assert.equal((await send(service.url, `/topics/${topic}/streams`, { body, headers })).status, 200);
  }
  const values = async (topic: string, streamId: string, parameterName: string) => {
    const body = JSON.stringify({ topic, streamIds: [streamId], numericParameters: [{ parameterName }] });
    const reply = await send(service.url, '/parameters/data', { body, headers });
    if (reply.status !== 200) return [];
    return reply.json<{ numericValues: Record<string, number[]> }>().numericValues[parameterName] ?? [];
  };
  const post = (path: string, body: string | Buffer, type?: string) =>
    send(service.url, path, { body, headers: { ...headers, 'content-type': type } });
  return { token, values, post };
}

describe('a workspace with as many streams as it may have', async () => {
  const service = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
  const refused = async (door: string) => {
    const { stdout } = await run(['doors', '--url', service.url], { PITWALL_TOKEN: adminToken });
    return Number(new RegExp(`^${door} +too_many_streams +(\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
  };
  const full = /the workspace '\w+' may have 1 streams; delete some for good first/;

  it('goes on taking what Prometheus writes of targets that are there', {
    skip: prometheusMissing,
  }, async () => {
    const [old, fresh] = [await startTarget(() => 'v 1\n'), await startTarget(() => 'v 2\n')];
    const { token, values } = await fullWorkspace(service, 'scraped', [['cars', old]]);
    await startPrometheus(`
global: {scrape_interval: 100ms}
scrape_configs: [{job_name: cars, static_configs: [{targets: ['${old}', '${fresh}']}]}]
remote_write:
- url: ${service.url}/api/v1/write
  authorization: {credentials: ${token}}
  queue_config: {min_shards: 1, max_shards: 1, batch_send_deadline: 1s}
`);
    await until(async () => (await values('cars', old, 'v')).length >= 20);
    assert.deepEqual(await values('cars', fresh, 'v'), []);
    assert.ok((await refused('prometheus')) > 0);
  });

  it('takes of a remote write what is of streams that are there', async () => {
    const { values, post } = await fullWorkspace(service, 'remote', [['J', 'old']]);
    const body = (instances: readonly string[]) =>
      compressSync(
        write1(
          instances.map((instance) => ({
            labels: { __name__: 'm', job: 'j', instance },
            samples: [
              [1, 1],
              [2, 2],
            ],
          })),
        ),
      );
    // Twice, so that its series are known.
    for (let i = 0; i < 2; i++) {
      const reply = await post('/api/v1/write', body(['old', 'new', 'old']));
      assert.equal(reply.status, 400);
      assert.match(reply.text, /^2 values were not written, 4 were: /);
      assert.match(reply.text, full);
    }
    assert.deepEqual(await values('j', 'old', 'm'), [1, 2]);
    const none = await post('/api/v1/write', body(['new']));
    assert.deepEqual([none.status, none.text.slice(0, 17)], [400, 'too_many_streams:']);
  });

  it('takes of an export of OpenTelemetry what is of streams that are there', async () => {
    const { values, post } = await fullWorkspace(service, 'exported', [['app', 'old']]);
    const resource = (instance: string) => ({
      resource: {
        attributes: Object.entries({ 'service.name': 'app', 'service.instance.id': instance }).map(
          ([key, stringValue]) => ({ key, value: { stringValue } }),
        ),
      },
      scopeMetrics: [
        {
          metrics: [
            { name: 'v', gauge: { dataPoints: [{ timeUnixNano: '1', asDouble: 1 }] } },
            {
              name: 'h',
              histogram: {
                dataPoints: [
                  { timeUnixNano: '1', count: '1', sum: 1, bucketCounts: ['1', '0'], explicitBounds: [2] },
                ],
              },
            },
          ],
        },
      ],
    });
    const exported = (instances: readonly string[]) =>
      post('/v1/metrics', JSON.stringify({ resourceMetrics: instances.map(resource) }), 'application/json');
    const reply = await exported(['new', 'old']);
    assert.equal(reply.status, 200);
    const { rejectedDataPoints, errorMessage } = reply.json<{
      partialSuccess: { rejectedDataPoints: string; errorMessage: string };
    }>().partialSuccess;
    assert.equal(rejectedDataPoints, '2');
    assert.match(errorMessage, full);
    assert.deepEqual(await values('app', 'old', 'v'), [1]);
    assert.equal((await exported(['new'])).status, 403);
    assert.equal(await refused('otlp'), 3);
  });

  it('takes of lines and values of collectd what is of streams that are there', async () => {
    const lines = await fullWorkspace(service, 'lines', [['db', 'old']]);
    const body = 'old v=1 1\nnew v=2 1\nold v=3 2';
    const reply = await lines.post('/api/v2/write?bucket=db', body);
    assert.equal(reply.status, 400);
    assert.match(
      reply.text,
      /partial write: unable to parse line 2 'new v=2 1'.*1 of 3 lines were not written/,
    );
    assert.match(reply.text, full);
    assert.deepEqual(await lines.values('db', 'old', 'v'), [1, 3]);
    const whole = await lines.post('/api/v3/write_lp?db=db&accept_partial=false', 'old v=4 3\nnew v=2 1');
    assert.deepEqual([whole.status, (await lines.values('db', 'old', 'v')).length], [403, 2]);
    const collected = await fullWorkspace(service, 'collected', [['collectd', 'old']]);
    const puts = 'PUTVAL new/p/gauge 1:1\nPUTVAL old/p/gauge 1:2';
    const answer = await collected.post('/collectd', puts);
    assert.equal(answer.status, 400);
    assert.match(answer.text, full);
    assert.deepEqual(await collected.values('collectd', 'old', 'p.gauge'), [2]);
    assert.equal(await refused('collectd'), 1);
  });

  it('takes of messages of MQTT what is of streams that are there', async () => {
    const { token, values } = await fullWorkspace(service, 'messages', [['telegraf', 'old']]);
    const login = { username: 'any', password: token, protocolVersion: 5, reconnectPeriod: 0 } as const;
    const client = await mqtt.connectAsync(mqttUrlOf(service), login);
    const publish = (topic: string, payload: string) => client.publishAsync(topic, payload, { qos: 1 });
    const data = (streamId: string, time: number) => ({
      streamId,
      timestamps: [time, time + 1],
      numericValues: { v: [time, time + 1] },
    });
    const mixed = JSON.stringify([data('new', 1), data('old', 3), data('other', 5)]);
    await Promise.all([
      publish('telegraf/any', 'old v=1 1\nnew v=2 1\nold v=2 2'),
      client.publishAsync('telegraf/any', 'old v=9 9', { qos: 1 }),
    ]);
    assert.equal(await refused('mqtt'), 1);
    const rules = /"topic":"telegraf\/any","reason":"the workspace 'messages' may have 1 streams;/;
    await until(() => rules.test(service.stderr()));
    await assert.rejects(publish('telegraf/any', 'new v=3 3\nother v=3 3'), { code: 0x97 });
    await assert.rejects(publish('b/new/v', '3'), { code: 0x97 });
    assert.deepEqual(await values('telegraf', 'old', 'v'), [1, 2, 9]);
    const { token: jsonToken, values: jsonValues } = await fullWorkspace(service, 'objects', [['a', 'old']]);
    const writer = await mqtt.connectAsync(mqttUrlOf(service), { ...login, password: jsonToken });
    await writer.publishAsync('a/any', mixed, { qos: 1 });
    assert.deepEqual(await jsonValues('a', 'old', 'v'), [3, 4]);
    assert.equal(await refused('mqtt'), 7);
    for (const one of [client, writer]) await one.endAsync();
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { prometheusMissing } from '../e2e/prometheus.ts';
import { adminToken, send, startService } from '../e2e/service.ts';
import { writeAll } from './real-prometheus.ts';
import { firstSecond } from './samples.ts';

interface Answer {
  readonly status: string;
  readonly data?: unknown;
  readonly errorType?: string;
  readonly error?: string;
  readonly warnings?: string[];
}

interface Found {
  readonly metric: Record<string, string>;
  readonly value: [number, string];
}

describe('the query API on streams of cars', async () => {
  const { url } = await startService();

  const get = async (
    path: string,
    parameters: readonly (readonly [string, string])[],
    token = adminToken,
  ) => {
    const form = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]));
    const reply = await send(url, `/api/v1/${path}?${form}`, { token });
    return { code: reply.status, ...reply.json<Answer>() };
  };
  const query = async (text: string) => {
    const { data, error } = await get('query', [
      ['query', text],
      ['time', '1700000010'],
    ]);
    assert.equal(error, undefined);
    return (data as { result: Found[] }).result.map(({ metric, value }) => [metric, value[1]]);
  };
  const write = async (topic: string, stream: string, body: object) => {
    const path = `/topics/${topic}/streams/${stream}/parameters/data`;
    const reply = await send(url, path, {
      body: JSON.stringify({ timestamps: ['1700000000000500000'], ...body }),
    });
    assert.equal(reply.status, 200, reply.text);
  };

  before(async () => {
    await write('F1', 'car-1', {
      numericValues: { 'Engine RPM': [12_000] },
      tagValues: { lap: ['7'], job: ['test'] },
    });
    await write('F1', 'car-2', { numericValues: { 'Engine RPM': [11_000] }, tagValues: { lap: ['8'] } });
    await write('F2', 'car-1', { numericValues: { 'Engine RPM': [9000] }, tagValues: { topic: ['own'] } });
    const body = JSON.stringify({ metadata: { Driver: 'Ada', 'Car No': '44' } });
    assert.equal((await send(url, '/topics/F1/streams/car-1', { method: 'PUT', body })).status, 200);
    await writeAll(url, { authorization: `Bearer ${adminToken}` });
  });

  it('has the topic as job, the stream as instance and tags as they are; a tag of these names is exported', async () => {
    assert.deepEqual(await query('{"Engine RPM"} > 10000'), [
      [{ __name__: 'Engine RPM', exported_job: 'test', instance: 'car-1', job: 'F1', lap: '7' }, '12000'],
      [{ __name__: 'Engine RPM', instance: 'car-2', job: 'F1', lap: '8' }, '11000'],
    ]);
    assert.deepEqual(
      await query('{"Engine RPM", exported_job="test"}'),
      await query('{"Engine RPM", instance="car-1", job="F1"}'),
    );
  });

  it('has labels topic and stream where a query names them, unless rows have tags of these names', async () => {
    assert.deepEqual(await query('{"Engine RPM", topic="F1", stream=~"car-2|car-3"}'), [
      [{ __name__: 'Engine RPM', lap: '8', stream: 'car-2', topic: 'F1' }, '11000'],
    ]);
    assert.deepEqual(await query('sum by (topic) ({"Engine RPM"})'), [
      [{ topic: 'F1' }, '23000'],
      [{ topic: 'own' }, '9000'],
    ]);
    assert.deepEqual(await query('{topic="own"}'), [
      [{ __name__: 'Engine RPM', instance: 'car-1', job: 'F2', topic: 'own' }, '9000'],
    ]);
  });

  it('has metadata of the stream where a query names it', async () => {
    assert.deepEqual(await query('max by (meta_Driver, meta_Car_No) ({"Engine RPM", meta_Driver!=""})'), [
      [{ meta_Car_No: '44', meta_Driver: 'Ada' }, '12000'],
    ]);
  });

  it('refuses two series with the same labels below an aggregation that keeps none of them', async () => {
    const both = '{__name__=~"latency_seconds_(count|sum)",instance="a:80"}';
    const at = (text: string) =>
      get('query', [
        ['query', text],
        ['time', String(firstSecond + 1800)],
      ]);
    const refused = await at(`sum(rate(${both}[5m]))`);
    assert.deepEqual([refused.code, refused.errorType], [422, 'execution']);
    assert.match(refused.error!, /same labelset/);
    const { data } = await at(`count(${both}) + count(last_over_time(${both}[5m]))`);
    assert.equal((data as { result: Found[] }).result[0]!.value[1], '4');
  });

  it('lists series, labels, values and what is said of metrics', async () => {
    const series = await get('series', [
      ['match[]', '{job=~"F.",lap!=""}'],
      ['limit', '1'],
    ]);
    assert.equal((series.data as unknown[]).length, 1);
    assert.deepEqual(series.warnings, ['results truncated due to limit']);
    const labels = await get('labels', [['match[]', 'up']]);
    assert.deepEqual(labels.data, ['__name__', 'instance', 'job']);
    const all = (await get('labels', [])).data as string[];
    for (const name of ['__name__', 'job', 'instance', 'lap', 'exported_job', 'le'])
      assert.ok(all.includes(name), name);
    for (const [label, values] of [
      ['job', ['F1', 'F2', 'api', 'fast', 'gap', 'node', 'odd']],
      ['topic', ['F1', 'F2', 'api', 'fast', 'gap', 'node', 'odd', 'own']],
      ['lap', ['7', '8']],
      ['meta_Driver', ['Ada']],
      ['U__meta__Car_20_No', ['44']],
      ['nosuch', []],
    ] as const) {
      assert.deepEqual((await get(`label/${label}/values`, [])).data, values, label);
    }
    const range = [
      ['start', String(firstSecond)],
      ['end', String(firstSecond + 60)],
    ] as const;
    assert.deepEqual((await get('label/instance/values', [['match[]', '{job="gap"}'], ...range])).data, [
      'four',
      'gone',
      'marked',
      'silent',
      'six',
    ]);
    assert.equal((await get('series', [])).errorType, 'bad_data');
    assert.equal((await get('status/buildinfo', [])).status, 'success');
    assert.equal((await get('format_query', [['query', 'sum   (up)by(job)']])).data, 'sum by (job) (up)');
  });

  it('counts a sample from its own millisecond on', async () => {
    const path = '/topics/exact/streams/one/parameters/data';
    const timestamps = ['1699999999877000000', '1700000000123000000'];
    assert.equal(
      (await send(url, path, { body: JSON.stringify({ timestamps, numericValues: { e: [1, 2] } }) })).status,
      200,
    );
    for (const [time, value] of [
      ['1700000000.122', '1'],
      ['1700000000.123', '2'],
    ] as const) {
      const { data } = await get('query', [
        ['query', 'e'],
        ['time', time],
      ]);
      assert.equal((data as { result: Found[] }).result[0]!.value[1], value, time);
    }
  });

  it('takes times of the calendar alone', async () => {
    for (const [time, seconds] of [
      ['2024-02-29T23:59:59.5+01:00', '1709247599.5'],
      ['2023-02-29T00:00:00Z', undefined],
      ['2023-06-31T00:00:00Z', undefined],
      ['2023-13-01T00:00:00Z', undefined],
    ] as const) {
      const { data, errorType } = await get('query', [
        ['query', 'time()'],
        ['time', time],
      ]);
      const told = (data as { result: [number, string] } | undefined)?.result[1];
      assert.deepEqual([told, errorType], [seconds, seconds === undefined ? 'bad_data' : undefined], time);
    }
  });

  it('is read by promtool', { skip: prometheusMissing }, () => {
    const own = url.replace('://', `://any:${adminToken}@`);
    const args = ['query', 'instant', '--time=1700000010', own, 'sum by (job) ({__name__="Engine RPM"})'];
    const asked = spawnSync('promtool', args, { encoding: 'utf8' });
    assert.deepEqual(
      [asked.status, asked.stdout, asked.stderr],
      [0, '{job="F1"} => 23000 @[1700000010]\n{job="F2"} => 9000 @[1700000010]\n', ''],
    );
  });

  it('honours the look-back of a request', async () => {
    const at = ['time', String(firstSecond + 200)] as const;
    const sparse = ['query', 'sparse{instance="four"}'] as const;
    const count = async (delta: string) =>
      ((await get('query', [sparse, at, ['lookback_delta', delta]])).data as { result: unknown[] }).result
        .length;
    assert.deepEqual([await count('3m'), await count('201'), await count('1h')], [0, 1, 1]);
  });

  it('asks for a token that may read, and says so in its form', async () => {
    const made = await send(url, '/admin/tokens', { body: '{"scopes":["write"]}' });
    const { token } = made.json<{ token: string }>();
    for (const [shown, status, errorType] of [
      [null, 401, 'unauthorized'],
      [token, 403, 'forbidden'],
    ] as const) {
      const reply = await send(url, '/api/v1/query?query=up', { token: shown });
      assert.deepEqual([reply.status, reply.json<Answer>().errorType], [status, errorType]);
    }
    const basic = `Basic ${Buffer.from(`any:${adminToken}`).toString('base64')}`;
    const reply = await send(url, '/api/v1/query?query=1', {
      token: null,
      headers: { authorization: basic },
    });
    assert.equal(reply.status, 200);
  });

  it('bounds what a query takes', async () => {
    const ask = async (text: string, more: Readonly<Record<string, string>> = {}) => {
      const body = new URLSearchParams({ query: text, time: String(firstSecond + 3000), ...more }).toString();
      const reply = await send(url, '/api/v1/query', { body });
      return [reply.status, reply.json<Answer>().errorType];
    };
    const tooMuch = [422, 'execution'];
    const bad = [400, 'bad_data'];
    assert.deepEqual(await ask('sum_over_time(vector(1)[30000d:1s])'), tooMuch);
    assert.deepEqual(await ask('sum_over_time(vector(1)[200y:1ms])'), tooMuch);
    const slow = 'quantile_over_time(0.5, quantile_over_time(0.5, up[1d:1s])[1d:1s])';
    assert.deepEqual(await ask(slow, { timeout: '100ms' }), [503, 'timeout']);
    let label = 'up';
    for (let i = 0; i < 20; i++) label = `label_replace(${label}, "x", "\${1}\${1}\${1}x", "x", "(.*)")`;
    assert.deepEqual(await ask(label), tooMuch);
    assert.deepEqual(await ask(`up{a=~"${'(((a{30}){30}){30})'}"}`), bad);
    assert.deepEqual(await ask(`up{${Array.from({ length: 1000 }, () => 'a=~"(b{50}){30}"').join()}}`), bad);
    assert.deepEqual(await ask('('.repeat(20_000)), bad);
    assert.deepEqual(await ask(`${'('.repeat(500)}1${')'.repeat(500)}`), bad);
    assert.deepEqual(await ask(`${'-'.repeat(5000)}1`), bad);
    assert.deepEqual(await ask(`up{instance=~"${'(n+)+'.repeat(30)}$"}`), [200, undefined]);
    const many = await send(url, '/api/v1/query_range', {
      body: new URLSearchParams({
        query: 'count_values("v", vector(time())) or count_values("w", vector(time()))',
        start: '0',
        end: '11000',
        step: '1',
      }).toString(),
    });
    assert.deepEqual([many.status, many.json<Answer>().errorType], tooMuch);
  });

  it('finds series by labels that Prometheus exported before they were written, beside those exported here', async () => {
    const numericValues = { exporting: [1] };
    await write('F4', 'scraped', {
      numericValues,
      tagValues: { exported_job: ['a'], exported_instance: ['i'] },
    });
    await write('F4', 'tagged', { numericValues, tagValues: { job: ['b'] } });
    await write('F4', 'both', { numericValues, tagValues: { job: ['b'], exported_job: ['a'] } });
    const base = { __name__: 'exporting', job: 'F4' };
    const scraped = { ...base, instance: 'scraped', exported_job: 'a', exported_instance: 'i' };
    const both = { ...base, instance: 'both', exported_job: 'a', exported_exported_job: 'b' };
    const found = async (matcher: string) =>
      ((await query(`exporting{${matcher}}`)) as [Record<string, string>, string][]).map(
        ([labels]) => labels,
      );
    assert.deepEqual(await found('exported_instance="i"'), [scraped]);
    assert.deepEqual(await found('exported_job="b"'), [{ ...base, instance: 'tagged', exported_job: 'b' }]);
    const byInstance = (labels: Record<string, string>[]) =>
      labels.sort((a, b) => (a['instance']! < b['instance']! ? -1 : 1));
    assert.deepEqual(byInstance(await found('exported_job="a"')), [both, scraped]);
    assert.deepEqual(await found('exported_exported_job="b"'), [both]);
    assert.deepEqual((await get('label/exported_instance/values', [])).data, ['i']);
  });

  it('has one series of rows with an empty tag and of those without it, and of two at one time the one with it', async () => {
    const path = '/topics/F5/streams/car/parameters/data';
    const body = {
      timestamps: [0, 1, 2, 2, 3].map((second) => `170000000${second}000000000`),
      numericValues: { oil: [1, 2, 9, 3, 4] },
      tagValues: { lap: [null, '', null, '', '1'], stream: ['', null, null, null, null] },
    };
    assert.equal((await send(url, path, { body: JSON.stringify(body) })).status, 200);
    const labels = { __name__: 'oil', instance: 'car', job: 'F5' };
    assert.deepEqual(await query('oil{job="F5"}'), [
      [labels, '3'],
      [{ ...labels, lap: '1' }, '4'],
    ]);
    const { __name__, ...others } = labels;
    assert.deepEqual(await query('count_over_time(oil{lap=""}[1m])'), [[others, '3']]);
    assert.deepEqual(await query('sum by (stream) (oil)'), [[{ stream: 'car' }, '7']]);
    const listed = (await get('series', [['match[]', 'oil']])).data as Record<string, string>[];
    assert.deepEqual(listed.map(({ lap }) => lap).sort(), ['1', undefined]);
  });
});

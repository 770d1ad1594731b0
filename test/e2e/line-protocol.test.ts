import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { InfluxDB, Point } from '@influxdata/influxdb-client';
import { adminToken, send, startService } from './service.ts';

/** Lines as the documentation of Telegraf shows them, for its plug-ins cpu, mem, disk and docker. */
const telegraf = `cpu,cpu=cpu-total,host=loaner usage_guest=0,usage_idle=99.26,usage_iowait=0.08,usage_user=0.33 1568760922000000000
cpu,cpu=cpu0,host=loaner usage_guest=0,usage_idle=98.5,usage_iowait=0,usage_user=0.6 1568760922000000000
mem,host=loaner active=9299595264i,available=4818583552i,used_percent=70.59 1568760922000000000
disk,device=rootfs,fstype=rootfs,mode=rw,path=/ free=17494319104i,inodes_free=1234i 1453832006274071563
docker_container_status,container_image=telegraf\\,alpine,container_name=a\\ b exitcode=0i,oomkilled=false,started_at=1545253012000000000i 1568760922000000000
`;

const coding = 'the Content-Encoding must be gzip, deflate or br, not strange';

describe('the line protocol over HTTP', async () => {
  const service = await startService({
    args: ['--line-stream-tags', 'host'],
    env: { PITWALL_TOKEN: adminToken },
  });
  const { url } = service;

  const read = async (topic: string, streamId: string, request: object) => {
    const body = JSON.stringify({ topic, streamIds: [streamId], ...request });
    return JSON.parse((await send(url, '/parameters/data?int64=string', { body })).text) as {
      timestamps: string[];
      numericValues: Record<string, (number | null)[]>;
      stringValues: Record<string, (string | null)[]>;
      tagValues: Record<string, (string | null)[]>;
    };
  };
  const numbers = (...names: string[]) => ({
    numericParameters: names.map((parameterName) => ({ parameterName })),
  });
  const post = (path: string, body: string | Buffer, headers: Record<string, string | undefined> = {}) =>
    send(url, path, { body, headers: { 'content-type': undefined, ...headers } });

  it('takes what Telegraf sends', async () => {
    const reply = await post('/api/v2/write?org=o&bucket=telegraf&precision=ns', gzipSync(telegraf), {
      'content-encoding': 'gzip',
      'content-type': 'text/plain; charset=utf-8',
    });
    assert.deepEqual([reply.status, reply.text], [204, '']);
    const cpu = await read('telegraf', 'cpu/loaner', { ...numbers('usage_idle'), groupBy: ['cpu', 'host'] });
    assert.deepEqual(cpu.timestamps, ['1568760922000000000', '1568760922000000000']);
    assert.deepEqual(cpu.numericValues, { usage_idle: [99.26, 98.5] });
    assert.deepEqual(cpu.tagValues, { cpu: ['cpu-total', 'cpu0'], host: ['loaner', 'loaner'] });
    const docker = await read('telegraf', 'docker_container_status', {
      ...numbers('oomkilled', 'started_at'),
      groupBy: ['container_image', 'container_name'],
    });
    assert.deepEqual(docker.numericValues, { oomkilled: [0], started_at: [1545253012000000000] });
    assert.deepEqual(docker.tagValues, { container_image: ['telegraf,alpine'], container_name: ['a b'] });
    const disk = await read('telegraf', 'disk', numbers('free'));
    assert.deepEqual(disk.timestamps, ['1453832006274071563']);
  });

  it('takes what the official client of version 2 sends', async () => {
    const database = new InfluxDB({ url, token: adminToken });
    const api = database.getWriteApi('org', 'official', 'ns', { maxRetries: 0 });
    api.useDefaultTags({ region: 'wést, 1' });
    for (let i = 0; i < 2500; i++) {
      const point = new Point('laps')
        .tag('lap', String(i % 3))
        .floatField('speed', i / 8)
        .intField('gear', i % 8)
        .booleanField('drs', i % 2 === 0)
        .stringField('note', `say "${i}" \\ = , ok`)
        .timestamp(`16000000000000000${String(i).padStart(2, '0')}`.slice(0, 19));
      api.writePoint(point);
    }
    await api.close();
    const found = await read('official', 'laps', {
      ...numbers('speed', 'gear', 'drs'),
      stringParameters: [{ parameterName: 'note' }],
      groupBy: ['region', 'lap'],
      limit: 2,
    });
    assert.equal(found.timestamps.length, 2);
    assert.deepEqual(found.tagValues['region'], ['wést, 1', 'wést, 1']);
    assert.match(found.stringValues['note']![0]!, /^say "\d+" \\ = , ok$/);
  });

  it('tells the official client what is wrong', async () => {
    const api = new InfluxDB({ url, token: 'wrong' }).getWriteApi('org', 'b', 'ns', { maxRetries: 0 });
    api.writeRecord('m x=1 1');
    await assert.rejects(api.close(), /401|not known/);
  });

  it('takes what the Python client of version 1 sends', async (t) => {
    const program = `
import influxdb
client = influxdb.InfluxDBClient('127.0.0.1', ${new URL(url).port}, 'any', '${adminToken}', 'python')
print(client.ping())
client.create_database('python')
client.write_points([{'measurement': 'm', 'tags': {'car': 'a b'}, 'time': 1600000000000000001, 'fields': {'v': 1.5, 'n': 3, 's': 'x', 'b': True}}])
client.write_points([{'measurement': 'm', 'time': 5, 'fields': {'v': 2.5}}], time_precision='ms')
try:
    client.write(['m v=1 1', 'bad'], {'db': 'python'}, 204, 'line')
except influxdb.exceptions.InfluxDBClientError as error:
    print(error.code, error.content)
`;
    // Debian's own Python, which has Debian's packages.
    let said = '';
    try {
      said = (await promisify(execFile)('/usr/bin/python3', ['-c', program])).stdout;
    } catch (error) {
      if (!/ENOENT|No module named/.test(String(error))) throw error;
      t.skip("python3-influxdb is not installed ('apt-get install python3-influxdb')");
      return;
    }
    assert.match(
      said,
      /^pitwall\n400 .*partial write: unable to parse line 2 'bad': missing fields dropped=1/,
    );
    const found = await read('python', 'm', { ...numbers('v', 'n', 'b'), groupBy: ['car'] });
    assert.deepEqual(found.timestamps, ['1', '5000000', '1600000000000000001']);
    assert.deepEqual(found.numericValues, { v: [1, 2.5, 1.5], n: [null, null, 3], b: [null, null, 1] });
    assert.deepEqual(found.tagValues, { car: [null, null, 'a b'] });
  });

  it('knows every way to show a token', async () => {
    const basic = Buffer.from(`user:${adminToken}`).toString('base64');
    for (const authorization of [
      `Token ${adminToken}`,
      `token user:${adminToken}`,
      `Basic ${basic}`,
      `Bearer ${adminToken}`,
    ]) {
      const reply = await post('/api/v2/write?bucket=b', 'm x=1 1', { authorization });
      assert.equal(reply.status, 204, authorization);
    }
    const inAddress = await post(`/write?db=b&u=any&p=${adminToken}`, 'm x=1 1', {
      authorization: undefined,
    });
    assert.equal(inAddress.status, 204);
    for (const path of ['/api/v2/write?bucket=b', '/write?db=b', '/write?db=b&u=any&p=wrong']) {
      const reply = await post(path, 'm x=1 1', { authorization: undefined });
      assert.equal(reply.status, 401);
      assert.match(String(reply.headers['www-authenticate']), /^Basic realm="Pitwall".*, Bearer$/);
      assert.ok(
        path.startsWith('/api')
          ? reply.json<{ code: string }>().code === 'unauthorized'
          : 'error' in reply.json<object>(),
      );
    }
  });

  it('keeps good lines and names the first bad one, in the form of each version', async () => {
    const two = await post('/api/v2/write?bucket=partial&precision=s', 'm x=1 1\nm x= 2\nm x=3 3\nbad');
    assert.equal(two.status, 400);
    assert.deepEqual(two.json(), {
      code: 'invalid',
      message:
        "partial write: unable to parse line 2 'm x= 2': the field x has no value (2 of 4 lines were not written)",
      line: 2,
    });
    assert.deepEqual((await read('partial', 'm', numbers('x'))).timestamps, ['1000000000', '3000000000']);
    const one = await post('/write?db=nothing', 'bad');
    assert.equal(one.status, 400);
    assert.deepEqual(one.json(), { error: "unable to parse line 1 'bad': missing fields dropped=1" });
    assert.equal(one.headers['x-influxdb-error'], "unable to parse line 1 'bad': missing fields dropped=1");
    const streams = await send(url, '/streams', { body: '{"topic":"nothing"}' });
    assert.deepEqual(streams.json(), []);
  });

  it('counts lines that are older than the topic keeps, which it does not write', async () => {
    await send(url, '/topics/short', { method: 'PUT', body: '{"retention":"1h"}' });
    const now = BigInt(Date.now()) * 1_000_000n;
    const lines = `m x=1 1\nm x=2 ${now}\nn x=3 2`;
    for (const path of ['/api/v2/write?bucket=short', '/write?db=short']) {
      const whole = await post(path, lines);
      assert.deepEqual([whole.status, whole.headers['pitwall-expired-rows']], [204, '2']);
      const partial = await post(path, `bad\n${lines}`);
      assert.deepEqual([partial.status, partial.headers['pitwall-expired-rows']], [400, '2']);
      const kept = await post(path, `m x=2 ${now}`);
      assert.deepEqual([kept.status, kept.headers['pitwall-expired-rows']], [204, undefined]);
    }
    assert.deepEqual((await read('short', 'm', numbers('x'))).timestamps, [String(now)]);
    assert.deepEqual((await read('short', 'n', numbers('x'))).timestamps, []);
  });

  it('counts integers that it rounds', async () => {
    const line = 'm v=9007199254740993i 1\n';
    assert.equal((await post('/api/v2/write?bucket=round', line)).status, 204);
    assert.equal((await post('/api/v3/write_lp?db=round&accept_partial=false', `${line}m v=`)).status, 400);
    const { text } = await send(url, '/metrics');
    assert.match(text, /pitwall_door_refused_total\{door="line",reason="rounded"\} 1$/m);
  });

  it('says what is wrong with the address', async () => {
    for (const [path, text] of [
      ['/api/v2/write', 'bucket'],
      ['/api/v2/write?bucket=', 'bucket'],
      ['/write', '--line-topic'],
      ['/api/v2/write?bucket=b&precision=h', 'ns, us, ms, s'],
      ['/write?db=b&precision=days', 'not days'],
      [`/write?db=${'x'.repeat(600)}`, '512'],
      ['/query?q=SELECT+1', '/parameters/data'],
    ] as const) {
      const reply = await post(path, 'm x=1 1');
      assert.equal(reply.status, 400, path);
      assert.ok(reply.text.includes(text), reply.text);
    }
    const policy = await post('/write?db=b&rp=week&precision=m', 'm x=1 1');
    assert.equal(policy.status, 204);
    assert.deepEqual((await read('b/week', 'm', numbers('x'))).timestamps, ['60000000000']);
  });

  it('takes a body of any type, also of one that is none', async () => {
    for (const type of ['text/plain; charset', 'nonsense', '']) {
      const taken = await post('/api/v2/write?bucket=any', 'm x=1 1', { 'content-type': type });
      assert.equal(taken.status, 204, type);
    }
  });

  it('refuses a body that is not what it says, or too large', async () => {
    const strange = await post('/api/v2/write?bucket=b', 'm x=1 1', { 'content-encoding': 'strange' });
    assert.deepEqual([strange.status, strange.json<{ message: string }>().message], [415, coding]);
    const strange1 = await post('/write?db=b', 'm x=1 1', { 'content-encoding': 'strange' });
    assert.deepEqual([strange1.status, strange1.json<{ error: string }>().error], [415, coding]);
    const broken = await post('/api/v2/write?bucket=b', 'no gzip', { 'content-encoding': 'gzip' });
    assert.equal(broken.status, 400);
    assert.equal(broken.json<{ code: string }>().code, 'invalid');
    const large = await post('/api/v2/write?bucket=b', gzipSync(Buffer.alloc(40 << 20, '#')), {
      'content-encoding': 'gzip',
    });
    assert.equal(large.status, 413);
    assert.equal(large.json<{ code: string }>().code, 'request too large');
  });

  it('says that it is there', async () => {
    for (const method of ['GET', 'HEAD']) {
      const ping = await send(url, '/ping', { method, token: null });
      assert.equal(ping.status, 204);
      assert.equal(ping.headers['x-influxdb-version'], 'pitwall');
    }
    const health = await send(url, '/health', { token: null });
    assert.equal(health.json<{ status: string }>().status, 'pass');
  });
});

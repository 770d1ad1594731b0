import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { InfluxDB } from '@influxdata/influxdb-client';
import { InfluxDBClient } from '@influxdata/influxdb3-client';
import { Sender } from '@questdb/nodejs-client';
import * as influx from 'influx';
import { openRawClient } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

async function read({ url }: RunningService, topic: string, streamId: string, parameterName: string) {
  const body = JSON.stringify({ topic, streamIds: [streamId], numericParameters: [{ parameterName }] });
  const { text } = await send(url, '/parameters/data?int64=string', { body });
  const { timestamps, numericValues } = JSON.parse(text) as {
    timestamps: string[];
    numericValues: Record<string, (number | null)[]>;
  };
  return timestamps.map((time, i) => [time, numericValues[parameterName]![i]]);
}

async function refusals({ url }: RunningService): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(/^pitwall_refused_requests_total\{reason="overloaded"\} (\d+)$/m.exec(text)![1]);
}

/** Runs Debian's own Python, which has Debian's packages; undefined where it lacks one. */
async function python(t: TestContext, program: string): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('/usr/bin/python3', ['-c', program])).stdout;
  } catch (error) {
    if (!/ENOENT|No module named/.test(String(error))) throw error;
    t.skip("python3-influxdb is not installed ('apt-get install python3-influxdb')");
    return undefined;
  }
}

describe('clients of the line protocol at a service that is busy', async () => {
  const service = await startService({
    args: ['--max-in-flight-bytes=2MiB', '--max-body-bytes=2MiB', '--body-grace=60s', '--min-body-rate=1B'],
  });

  /** Takes nearly all the memory that the token may have, until it is let go. */
  const makeBusy = async (): Promise<() => void> => {
    const before = await refusals(service);
    const { socket } = await openRawClient(service.url);
    socket.write(
      `POST /topics/t/streams/s/parameters/data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 1600000\r\n\r\n${' '.repeat(1_550_000)}`,
    );
    await until(async () => {
      const { text } = await send(service.url, '/metrics');
      return Number(/^pitwall_in_flight_bytes (\d+)$/m.exec(text)![1]) >= 1_550_000;
    });
    assert.equal(await refusals(service), before);
    return () => socket.destroy();
  };

  it('all come again, and all 20,000 points arrive (@influxdata/influxdb-client)', async () => {
    const writes = new InfluxDB({ url: service.url, token: adminToken }).getWriteApi('o', 'busy', 'ms', {
      batchSize: 5000,
      minRetryDelay: 200,
      maxRetries: 8,
    });
    const letGo = await makeBusy();
    for (let i = 0; i < 20_000; i++)
      writes.writeRecord(`laps,driver=Ada Speed=${i}.125 ${1_612_191_099_000 + i}`);
    // Each batch is refused, and refused again when it comes again.
    await until(async () => (await refusals(service)) >= 12);
    letGo();
    await until(async () => (await read(service, 'busy', 'laps', 'Speed')).length === 20_000);
    await writes.close();
  });

  it('are told nothing of when to come again, for they read it in units of their own', async () => {
    const letGo = await makeBusy();
    for (const path of ['/write?db=b', '/api/v2/write?bucket=b', '/api/v3/write_lp?db=b']) {
      const reply = await send(service.url, path, { body: `m v=1 1\n${'#'.repeat(400_000)}` });
      assert.equal(reply.status, 503, reply.text);
      assert.equal(reply.headers['retry-after'], undefined);
    }
    const other = await send(service.url, '/topics/t/streams/s/parameters/data', {
      body: `{"timestamps":[1]${' '.repeat(400_000)}}`,
    });
    assert.deepEqual([other.status, other.headers['retry-after']], [503, '1']);
    letGo();
  });
});

describe('clients of the line protocol, version 1', async () => {
  const service = await startService();
  const port = Number(new URL(service.url).port);

  it('begin with their questions (influx of npm)', async () => {
    const client = new influx.InfluxDB({
      host: '127.0.0.1',
      port,
      username: 'any',
      password: adminToken,
      database: 'garage',
    });
    const [host] = await client.ping(5000);
    assert.deepEqual([host!.online, host!.version], [true, 'pitwall']);
    assert.deepEqual(await client.getDatabaseNames(), []);
    await client.createDatabase('garage');
    assert.deepEqual(await client.getMeasurements(), []);
    await client.writePoints(
      [{ measurement: 'lap_times', tags: { car: '7' }, fields: { s: 92.5 }, timestamp: 5 }],
      {
        precision: 'ms',
      },
    );
    assert.deepEqual(await client.getDatabaseNames(), ['garage']);
    assert.deepEqual(await client.getMeasurements(), ['lap_times']);
    await send(service.url, '/topics/garage', { method: 'PUT', body: '{"retention":"876000h"}' });
    assert.deepEqual(
      [...(await client.showRetentionPolicies())].map((policy) => ({ ...policy })),
      [{ name: 'autogen', duration: '876000h0m0s', shardGroupDuration: '0s', replicaN: 1, default: true }],
    );
    await client.writePoints([{ measurement: 'lap_times', fields: { s: 93 }, timestamp: 6 }], {
      precision: 'ms',
      retentionPolicy: 'autogen',
    });
    assert.deepEqual(await read(service, 'garage', 'lap_times', 's'), [
      ['5000000', 92.5],
      ['6000000', 93],
    ]);
    await client.dropDatabase('nowhere');
    await assert.rejects(
      client.dropDatabase('garage'),
      /the database garage is not empty and is not dropped here/,
    );
    await assert.rejects(client.query('select * from lap_times'), /found select, .*POST \/parameters\/data/);
    await assert.rejects(
      client.getUsers(),
      /expected DATABASES, MEASUREMENTS, RETENTION POLICIES at line 1, char 6/,
    );
  });

  it('begin with their questions (influxdb of Python)', async (t) => {
    const said = await python(
      t,
      `
import influxdb
client = influxdb.InfluxDBClient('127.0.0.1', ${port}, 'any', '${adminToken}', 'pits')
print(client.ping())
client.create_database('pits')
client.write_points([{'measurement': 'stop "1"', 'time': 7, 'fields': {'s': 2.5}}])
print({'name': 'pits'} in client.get_list_database(), client.get_list_measurements())
print(client.get_list_retention_policies('pits'))
client.drop_database('nowhere')
for ask in (lambda: client.drop_measurement('stop "1"'), lambda: client.get_list_retention_policies('nowhere'),
            lambda: client.query('SELECT 1'), lambda: client.create_retention_policy('r', '3d', 1)):
    try:
        ask()
    except influxdb.exceptions.InfluxDBClientError as error:
        print(error.code, error.content)
`,
    );
    if (said === undefined) return;
    const lines = said.trim().split('\n');
    assert.deepEqual(lines.slice(0, 3), [
      'pitwall',
      `True [{'name': 'stop "1"'}]`,
      `[{'name': 'autogen', 'duration': '0s', 'shardGroupDuration': '0s', 'replicaN': 1, 'default': True}]`,
    ]);
    assert.match(lines[3]!, /^None the measurement stop "1" is not empty and is not dropped here/);
    assert.equal(lines[4], 'None database not found: nowhere');
    assert.match(lines[5]!, /^400 .*found SELECT, expected SHOW, CREATE, DROP at line 1, char 1/);
    assert.match(lines[6]!, /^400 .*found RETENTION, expected DATABASE at line 1, char 8/);
  });
});

describe('the client of InfluxDB 3', async () => {
  const service = await startService();

  it('writes at both of its addresses, and is told what is wrong', async () => {
    const client = new InfluxDBClient({ host: service.url, token: adminToken, database: 'three' });
    for (const [i, precision] of (['ns', 'us', 'ms', 's'] as const).entries()) {
      const time = 1_700_000_000n * 10n ** BigInt(9 - 3 * i);
      for (const noSync of [false, true]) {
        const line = `m,precision=${precision} v=${i},sync=${noSync} ${time + BigInt(noSync)}`;
        await client.write(line, undefined, undefined, { precision, noSync });
      }
    }
    const found = await read(service, 'three', 'm', 'v');
    assert.deepEqual(
      new Set(found.map(([time]) => time)),
      new Set(
        ['0', '1', '1000', '1000000', '1000000000'].map((more) =>
          String(1_700_000_000n * 10n ** 9n + BigInt(more)),
        ),
      ),
    );
    assert.equal(found.length, 8);
    await assert.rejects(
      client.write('m v=1 1\nbad', undefined, undefined, { noSync: true }),
      /partial write of line protocol occurred \(1 of 2 lines were not written\):\n\tline 2: missing fields \(bad\)/,
    );
    await client.close();
  });
});

describe('the client of QuestDB', async () => {
  const service = await startService({ args: ['--line-topic', 'quest'] });

  it('asks for the settings and writes to the topic of lines that name none', async () => {
    const { host } = new URL(service.url);
    const sender = await Sender.fromConfig(`http::addr=${host};token=${adminToken};`);
    await sender
      .table('laps')
      .symbol('driver', 'Ada')
      .floatColumn('Speed', 213.4)
      .intColumn('Gear', 6)
      .at(1_612_191_099_000_000n, 'us');
    await sender.flush();
    await sender.close();
    assert.deepEqual(await read(service, 'quest', 'laps', 'Speed'), [['1612191099000000000', 213.4]]);
    const named = await send(service.url, '/write?db=other', { body: 'laps Speed=1 1' });
    assert.equal(named.status, 204);
    assert.deepEqual(await read(service, 'other', 'laps', 'Speed'), [['1', 1]]);
  });

  it('shows its token as a password too, and is told where it is wrong', async () => {
    const { host } = new URL(service.url);
    const sender = await Sender.fromConfig(`http::addr=${host};username=any;password=${adminToken};`);
    await sender.table('basic').floatColumn('v', 2).at(2_000n, 'ns');
    await sender.flush();
    assert.deepEqual(await read(service, 'quest', 'basic', 'v'), [['2000', 2]]);
    const stranger = await Sender.fromConfig(`http::addr=${host};token=wrong;`);
    await stranger.table('basic').floatColumn('v', 3).at(3_000n, 'ns');
    await assert.rejects(stranger.flush(), /statusCode=401/);
    await Promise.all([sender.close(), stranger.close()]);
  });
});

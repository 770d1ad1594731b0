import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import mqtt from 'mqtt';
import { compressSync } from 'snappy';
import { until } from '../until.ts';
import { write1 } from '../wire/remote-write-messages.ts';
import { smallDisk } from './faulty-disk.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, isOnClickHouse, launchService, run, send } from './service.ts';

const point = { name: 'v', gauge: { dataPoints: [{ timeUnixNano: '1', asDouble: 1 }] } };
const bodies: readonly [door: string, path: string, body: string | Buffer][] = [
  ['prometheus', '/api/v1/write', compressSync(write1([{ labels: { __name__: 'm' }, samples: [[1, 1]] }]))],
  ['otlp', '/v1/metrics', JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [point] }] }] })],
  ['line', '/api/v2/write?bucket=db', 'a v=1 1'],
  ['collectd', '/collectd', 'PUTVAL a/b/gauge 1:1'],
  ['pushgateway', '/metrics/job/j', 'v 1\n'],
];

describe('doors of a service whose disk is full', { skip: isOnClickHouse && 'its disk is another' }, () => {
  it('ask to come again, and take what came meanwhile when there is room', async (t) => {
    const disk = smallDisk(24);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    const args = ['--head-bytes', '8MiB', '--mqtt-listen', '127.0.0.1:0'];
    const service = await launchService(join(disk.path, 'data'), { args });
    const { url } = service;
    const client = mqtt.connect(mqttUrlOf(service), { username: adminToken });
    try {
      let written = 0;
      const fill = async () => {
        const timestamps = Array.from({ length: 5000 }, (_, i) => written * 5000 + i);
        const body = JSON.stringify({ timestamps, numericValues: { a: timestamps.map(Math.random) } });
        written++;
        return (await send(url, '/topics/t/streams/s/parameters/data', { body })).status;
      };
      while ((await fill()) === 200);
      const published = client.publishAsync('m/s/v', '1', { qos: 1 });
      await until(() => service.stderr().includes('messages of MQTT wait'));
      for (const [door, path, body] of bodies) {
        // Merging may have made a little room meanwhile.
        await until(async () => {
          while ((await fill()) === 200);
          const { status } = await send(url, path, { body });
          assert.ok(status === 503 || status < 300, `${door}: ${status}`);
          return status === 503;
        });
        const { stdout } = await run(['doors', '--url', url], { PITWALL_TOKEN: adminToken });
        assert.match(stdout, new RegExp(`^${door} +disk_full +1$`, 'm'));
      }
      disk.resize(96);
      await published;
      assert.equal((await mqttRows(url, { topic: 'm', name: 'v' })).length, 1);
      // They come again as they were asked to: the service looks for room from time to time.
      for (const [, path, body] of bodies)
        await until(async () => (await send(url, path, { body })).status < 300);
    } finally {
      await client.endAsync(true);
      await service.stop('SIGKILL');
      disk.remove();
    }
  });
});

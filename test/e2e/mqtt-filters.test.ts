import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import mqtt from 'mqtt';
import { until } from '../until.ts';
import { mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, type RunningService, run, send, startService } from './service.ts';

const doorsOf = async ({ url }: RunningService) =>
  (await run(['doors', '--url', url], { PITWALL_TOKEN: adminToken })).stdout;

describe('filters of MQTT that are refused', () => {
  it('are counted by reason, and told', async () => {
    const service = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
    const scopes = JSON.stringify({ scopes: ['write'] });
    const { token } = (await send(service.url, '/admin/tokens', { body: scopes })).json<{ token: string }>();
    for (const [password, filters] of [
      [adminToken, ['live/s1/v', 'live/s1', '$share/group/live/s1/v']],
      [token, ['live/s1/v']],
    ] as const) {
      const login = { username: 'any', password, protocolVersion: 5, reconnectPeriod: 0 } as const;
      const client = await mqtt.connectAsync(mqttUrlOf(service), login);
      await assert.rejects(client.subscribeAsync([...filters]));
      await client.endAsync();
    }
    const doors = await doorsOf(service);
    assert.match(doors, /^mqtt +bad_filter +2$/m);
    assert.match(doors, /^mqtt +forbidden +1$/m);
    assert.match(service.stderr(), /"reason":"the filter \\"live\/s1\\" is refused: bad_filter"/);
    await service.stop();
  });

  it('are counted where a broker refuses them', async () => {
    const broker = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
    const address = new URL(mqttUrlOf(broker));
    [address.username, address.password] = ['any', adminToken];
    // A filter of two levels is none of a service, which is the broker here.
    const args = ['--mqtt-connect', address.href, '--mqtt-subscribe', 'a/#,live/s1'];
    const service = await startService({ args });
    await until(() => service.stderr().includes('the MQTT broker refuses a filter'));
    assert.match(await doorsOf(service), /^mqtt-broker +refused_filter +1$/m);
    for (const one of [service, broker]) await one.stop();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from './service.ts';

describe('alert rules with the client', () => {
  it('are made, tried and listed, and what they say comes live', async () => {
    const { url } = await startService();
    const client = createClient({ url, token: adminToken });
    await client.putAlertRule('cars', 'fast', {
      expression: 'Speed > 300',
      level: 'Warning',
      text: 'too fast',
    });
    assert.deepEqual(await client.alertRules('cars'), [
      { name: 'fast', expression: 'Speed > 300', level: 'Warning', text: 'too fast' },
    ]);
    const live = client.live();
    const subscribed = live.events({ topic: 'cars', id: 'alert:fast' })[Symbol.asyncIterator]();
    const first = subscribed.next();
    const time = 1612191099000000001n;
    const write = async (at: bigint, speed: number) =>
      client.writeParameterData('cars', 'lap-7', { timestamps: [at], numericValues: { Speed: [speed] } });
    // What is written before the subscription is there is not told: the rule changes until it is.
    let at = time;
    let told: Awaited<typeof first> | undefined;
    void first.then((event) => {
      told = event;
    });
    while (told === undefined) {
      await write(at++, at % 2n === 0n ? 320 : 100);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.ok(told.done !== true);
    assert.deepEqual([told.value.id, told.value.streamId], ['alert:fast', 'lap-7']);
    await live.close();
    await write(at + 1n, 100);
    await write(at + 2n, 320);
    const test = { streamIds: ['lap-7'], from: at + 1n };
    const changes = await client.testAlertRule('cars', 'fast', test);
    assert.deepEqual(changes, [
      { streamId: 'lap-7', state: 'firing', values: { Speed: 320 }, timestamp: at + 2n },
    ]);
    assert.deepEqual(await client.alerts({ names: ['fast'] }), [
      {
        topic: 'cars',
        name: 'fast',
        streamId: 'lap-7',
        state: 'firing',
        level: 'Warning',
        text: 'too fast',
        timestamp: at + 2n,
      },
    ]);
    await client.removeAlertRule('cars', 'fast');
    assert.deepEqual(await client.alerts(), []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { until } from '../until.ts';
import {
  adminToken,
  launchService,
  type RunningService,
  send,
  startService,
  temporaryFolder,
} from './service.ts';

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

/** The states that a rule has told of a stream, in order of text. */
async function statesOf(url: string, rule: string, streamId: string): Promise<string[]> {
  const body = JSON.stringify({ topic: 'cars', streamIds: [streamId], eventIds: [`alert:${rule}`] });
  const { data } = (await send(url, '/events/data', { body })).json<{
    data: Record<string, { tags: { state: string } }[]>;
  }>();
  return Object.values(data)
    .flat()
    .map(({ tags }) => tags.state)
    .sort();
}

const of2100 = BigInt(Date.parse('2100-01-01T00:00:00Z')) * 1_000_000n;

function row(time: bigint, speed: number) {
  return { timestamps: [time], numericValues: { Speed: [speed] } };
}

describe('rows of 2100', () => {
  it('are told of, and keep neither rules nor live calculated parameters from the rows that follow', async () => {
    const { url } = await startService();
    const client = createClient({ url, token: adminToken });
    await client.putAlertRule('cars', 'fast', { expression: 'Speed > 300' });
    await client.defineCalculated('cars', [{ id: 'Sum', expression: 'sum(Speed)' }]);
    const live = client.live();
    const sums = live.parameterData({ topic: 'cars', streamId: 'lap-7', id: 'Sum' });
    const told: number[] = [];
    const listening = (async () => {
      for await (const { numericValues } of sums)
        told.push(...[...numericValues['Sum']!].filter((value) => value !== null));
    })();
    const now = BigInt(Date.now()) * 1_000_000n;
    // What is written before the subscription is there is not told.
    let at = now - 3_600_000_000_000n;
    await until(async () => {
      await client.writeParameterData('cars', 'lap-7', row(at++, 1));
      return told.length > 0;
    });
    const count = () => told.at(-1)!;
    await client.writeParameterData('cars', 'lap-7', row(of2100, 320));
    const before = count();
    await client.writeParameterData('cars', 'lap-7', row(now, 310));
    await until(() => count() > before + 300);
    assert.ok(count() < before + 320, String(told));
    await live.close();
    await listening;
    assert.deepEqual(await statesOf(url, 'fast', 'lap-7'), ['ahead', 'firing']);
    const [fires, ahead] = await client.alerts({ names: ['fast'] });
    assert.deepEqual([fires?.state, fires?.timestamp, ahead?.state], ['firing', now, 'failed']);
    assert.match(ahead!.problem!, /2100-01-01T00:00:00\.000Z/);
    const metrics = (await send(url, '/metrics')).text;
    assert.match(metrics, /^pitwall_rows_ahead_total\{by="rules"\} 1$/m);
    assert.match(metrics, /^pitwall_rows_ahead_total\{by="live"\} 1$/m);
    assert.match(metrics, /^pitwall_rows_ahead_total\{by="writes"\} 1$/m);
    await client.writeParameterData('cars', 'lap-7', row(now + 1n, 1));
    assert.deepEqual(await statesOf(url, 'fast', 'lap-7'), ['ahead', 'firing', 'resolved']);
  });

  it('are judged where the setting allows them', async () => {
    const { url } = await startService({ args: ['--rows-ahead', '36500d'] });
    const client = createClient({ url, token: adminToken });
    await client.putAlertRule('cars', 'fast', { expression: 'Speed > 300' });
    await client.writeParameterData('cars', 'lap-7', row(of2100, 320));
    assert.deepEqual(await statesOf(url, 'fast', 'lap-7'), ['firing']);
  });
});

/** Longer than the rules of these tests wait for rows. */
const awayMs = 6000;
const noDataForMs = 5000;

describe('silence of streams', () => {
  const streams = ['a', 'b', 'c'];

  /** Streams that a rule waits for. */
  async function fleet(url: string) {
    const client = createClient({ url, token: adminToken });
    await client.putAlertRule('cars', 'gone', { expression: 'Speed > 300', noDataFor: `${noDataForMs}ms` });
    for (const streamId of streams) await client.writeParameterData('cars', streamId, row(1n, 100));
    return client;
  }

  /** The first stream sends rows, the others do not: they alone are missed, and not before they had time to come back. */
  async function missesOthers(url: string, since: number): Promise<void> {
    const client = createClient({ url, token: adminToken });
    let time = 2n;
    await until(async () => {
      await client.writeParameterData('cars', 'a', row(time++, 100));
      return (await client.alerts({ names: ['gone'] })).length > 0;
    }, 200);
    const passed = performance.now() - since;
    for (const streamId of ['b', 'c'])
      await until(async () => (await statesOf(url, 'gone', streamId)).join() === 'firing');
    // It cannot be too late here, only too early.
    assert.ok(passed >= noDataForMs, `${passed} ms`);
  }

  it('is not the time in which the process was stopped', async () => {
    const service = await startService();
    await fleet(service.url);
    service.child.kill('SIGSTOP');
    await sleep(awayMs);
    const since = performance.now();
    service.child.kill('SIGCONT');
    await missesOthers(service.url, since);
  });

  it('is not the time in which the service was down', async () => {
    const folder = temporaryFolder();
    let service: RunningService | undefined = await launchService(folder);
    try {
      await fleet(service.url);
      await service.stop('SIGKILL');
      await sleep(awayMs);
      const since = performance.now();
      service = undefined;
      service = await launchService(folder);
      await missesOthers(service.url, since);
    } finally {
      await service?.stop('SIGKILL');
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { liveQueue, TooSlow } from '../../src/client/live-queue.ts';
import { adminToken, startService, temporaryFolder } from '../e2e/service.ts';

const connectedOnce = (live: { onConnection(listener: (now: boolean) => void): () => void }) =>
  new Promise<void>((resolve) => {
    const off = live.onConnection((now) => {
      if (now) resolve();
      if (now) off();
    });
  });

describe('live data of the client', async () => {
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const write = (time: bigint, values: Record<string, number[]>, stream = 's') =>
    client.writeParameterData('cars', stream, { timestamps: [time], numericValues: values });

  it('iterates over what is written, each reader over what it asked for', async () => {
    const live = client.live();
    const all = live.parameterData({ topic: 'CARS' });
    const speed = live.parameterData({ topic: 'cars', streamId: 's', id: 'speed' });
    const events = live.events({ topic: 'cars' });
    await connectedOnce(live);
    const time = 1_700_000_000_000_000_001n;
    await write(time, { rpm: [1] });
    await write(time + 1n, { rpm: [2], speed: [3] });
    await write(time + 2n, { speed: [4] }, 'other');
    await client.writeEvents('cars', 's', [{ id: 'pit', timestamp: time, value: 'in', tags: { lap: '3' } }]);
    const next = async <Item>(queue: AsyncIterator<Item>) => (await queue.next()).value;
    assert.deepEqual((await next(all)).numericValues, { rpm: [1] });
    assert.deepEqual((await next(all)).numericValues, { rpm: [2], speed: [3] });
    assert.equal((await next(all)).streamId, 'other');
    const first = await next(speed);
    assert.deepEqual(
      [first.topic, first.streamId, first.timestamps, first.numericValues],
      ['cars', 's', [time + 1n], { speed: [3] }],
    );
    assert.deepEqual(await next(events), {
      topic: 'cars',
      streamId: 's',
      id: 'pit',
      timestamp: time,
      value: 'in',
      tags: { lap: '3' },
    });
    await live.close();
    assert.equal((await speed.next()).done, true);
  });

  it('gives several parameters as they were written, until nobody asks for them', async () => {
    const live = client.live();
    const several = live.parameterData({ topic: 'cars', streamId: 'm', id: ['speed', 'gear', 'none'] });
    const gear = live.parameterData({ topic: 'cars', streamId: 'm', id: 'gear' });
    const events = live.events({ topic: 'cars', id: ['pit', 'flag'] });
    await connectedOnce(live);
    const time = 1_700_000_000_000_000_001n;
    await write(time, { rpm: [1] }, 'm');
    await write(time + 1n, { rpm: [2], speed: [3], gear: [4] }, 'm');
    await write(time + 2n, { gear: [5] }, 'm');
    const values = async (queue: AsyncIterator<{ readonly numericValues: unknown }, undefined>) =>
      (await queue.next()).value?.numericValues;
    assert.deepEqual(await values(several), { speed: [3], gear: [4] });
    assert.deepEqual(await values(several), { gear: [5] });
    assert.deepEqual([await values(gear), await values(gear)], [{ gear: [4] }, { gear: [5] }]);
    for (const [id, lap] of [
      ['other', '1'],
      ['flag', '2'],
      ['pit', '3'],
    ] as const)
      await client.writeEvents('cars', 'm', [{ id, timestamp: time, value: '', tags: { lap } }]);
    assert.deepEqual([(await events.next()).value?.id, (await events.next()).value?.id], ['flag', 'pit']);
    // Who asks for one of them alone goes on.
    await several.return?.();
    await write(time + 3n, { speed: [6], gear: [7] }, 'm');
    assert.deepEqual(await values(gear), { gear: [7] });
    await live.close();
  });

  it('gives the active streams first, then their changes', async () => {
    const live = client.live();
    const streams = live.activeStreams('cars');
    const seen = new Set<string>();
    for await (const { stream, action } of streams) {
      assert.equal(action, 'AddUpdate');
      seen.add(stream.streamId);
      if (seen.size === 3) break;
    }
    assert.deepEqual([...seen].sort(), ['m', 'other', 's']);
    await live.close();
  });

  it('ends an iteration that the hub refuses, with the reason', async () => {
    const live = createClient({ url: service.url, token: adminToken }).live();
    await assert.rejects(live.parameterData({ topic: '' }).next(), /topic/);
    await live.close();
  });

  it('goes on after the service has gone and come back', async () => {
    const dataDir = temporaryFolder();
    let restarted = await startService({ dataDir });
    const port = new URL(restarted.url).port;
    const client = createClient({ url: restarted.url, token: adminToken });
    const live = client.live({ retry: { firstDelayMs: 5, longestDelayMs: 50 } });
    const states: boolean[] = [];
    live.onConnection((now) => states.push(now));
    const data = live.parameterData({ topic: 'cars' });
    await connectedOnce(live);
    const back = connectedOnce(live);
    await restarted.stop();
    restarted = await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await back;
    await client.writeParameterData('cars', 's', { timestamps: [9n], numericValues: { a: [1] } });
    assert.deepEqual((await data.next()).value?.timestamps, [9n]);
    assert.deepEqual(states, [true, false, true]);
    await live.close();
  });

  it('tells after a reconnect of the active streams that ended meanwhile', async () => {
    let restarted = await startService();
    const port = new URL(restarted.url).port;
    const client = createClient({ url: restarted.url, token: adminToken });
    const live = client.live({ retry: { firstDelayMs: 5, longestDelayMs: 50 } });
    const streams = live.activeStreams('cars');
    const next = async () => {
      const { value } = await streams.next();
      return [value?.stream.streamId, value?.action];
    };
    await connectedOnce(live);
    await client.writeParameterData('cars', 'ends', { timestamps: [1n], numericValues: { a: [1] } });
    assert.deepEqual(await next(), ['ends', 'AddUpdate']);
    await restarted.stop();
    restarted = await startService({ args: ['--listen', `127.0.0.1:${port}`] });
    assert.deepEqual(await next(), ['ends', 'Remove']);
    await client.writeParameterData('cars', 'begins', { timestamps: [1n], numericValues: { a: [1] } });
    assert.deepEqual(await next(), ['begins', 'AddUpdate']);
    await live.close();
  });
});

describe('a queue of live items', () => {
  it('takes a first answer of any length', async () => {
    const queue = liveQueue<number>(2, () => undefined);
    for (let i = 0; i < 5; i++) queue.push(i, true);
    for (let i = 0; i < 5; i++) assert.equal((await queue.next()).value, i);
  });

  it('ends with an error when its reader is too slow, behind what waits', async () => {
    let ended = 0;
    const queue = liveQueue<number>(2, () => ended++);
    queue.push(1);
    queue.push(2);
    queue.push(3);
    assert.equal(ended, 1);
    assert.deepEqual(await queue.next(), { done: false, value: 1 });
    assert.deepEqual(await queue.next(), { done: false, value: 2 });
    await assert.rejects(queue.next(), TooSlow);
    assert.equal((await queue.next()).done, true);
  });

  it('gives items to waiting readers in order, and ends them', async () => {
    const queue = liveQueue<number>(2, () => undefined);
    const reads = [queue.next(), queue.next(), queue.next()];
    queue.push(1);
    queue.push(2);
    queue.end();
    assert.deepEqual(
      (await Promise.all(reads)).map(({ value }) => value),
      [1, 2, undefined],
    );
  });
});

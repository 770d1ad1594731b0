import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeFolder } from '../../store/embedded/store-folder.ts';
import { type AlertsService, alertsService } from './alerts-service.ts';

const folder = storeFolder('alerts-silence');

let store: EmbeddedStore;
let service: AlertsService;

beforeEach(async () => {
  store = await folder.open();
  await store.append({
    workspace: 'w',
    changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: 0 } }],
  });
  service = alertsService(store, () => folder.now);
});

function write(streamId: string, time: number): Promise<unknown> {
  return service.write(streamId, { timestamps: [time], numericValues: { a: [1] } });
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    folder.now += service.silence.tickMs;
    await service.silence.tick();
  }
}

/** The service is away for so long; without a clean end it was killed. */
async function away(seconds: number, isClean = true): Promise<void> {
  if (isClean) await service.silence.end();
  store = await folder.reopen(store);
  folder.now += seconds * 1000;
  service = alertsService(store, () => folder.now);
}

const fired = () => service.events('gone', 's');

/** Batches that keep a mark. */
function marksOf(given: Store): { readonly store: Store; count(): number } {
  let count = 0;
  const append: Store['append'] = (batch) => {
    if (batch.changes.some((change) => change.type === 'keep' && change.kind === 'alertWatch')) count++;
    return given.append(batch);
  };
  return { store: { ...given, append }, count: () => count };
}

describe('silence of streams', () => {
  it('is not the time in which the service was down, for any stream', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '30s' });
    const streams = ['s', 's1', 's2'];
    for (const streamId of streams) await write(streamId, 1);
    await pass(10);
    await away(3600);
    await pass(19);
    for (const streamId of streams) assert.deepEqual(await service.events('gone', streamId), []);
    // 10 s before the stop and 20 s after it; but clients have had only 20 s to come back.
    await pass(10);
    assert.deepEqual(await fired(), []);
    await write('s1', 2);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
    assert.deepEqual(await service.events('gone', 's1'), []);
    assert.deepEqual(await service.events('gone', 's2'), ['firing 2']);
  });

  it('counts over a clean stop, though nothing else was written', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '10m' });
    await write('s', 1);
    for (let i = 0; i < 5; i++) {
      await pass(100);
      await away(86_400);
    }
    await pass(99);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
  });

  it('counts over a kill up to the last row of any stream, or the last minute', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '10m' });
    await write('s', 1);
    await pass(100);
    await write('other', 1);
    await pass(50);
    await away(86_400, false);
    await pass(499);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);

    await service.put('gone', { expression: 'a > 5', noDataFor: '20m' });
    await write('s', 10);
    await service.writer.closeStream({ workspace: 'w', topic: 't', streamId: 'other' }, Buffer.from('{}'));
    await pass(650);
    await away(86_400, false);
    await pass(549);
    assert.deepEqual(await fired(), ['firing 2', 'resolved 10']);
    await pass(60);
    assert.deepEqual(await fired(), ['firing 2', 'resolved 10', 'firing 11']);
  });

  it('counts over pauses, starts and kills, of which the last start knows', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '10m' });
    await write('s', 1);
    await pass(100);
    folder.now += 3_600_000;
    await service.silence.tick();
    for (let i = 0; i < 3; i++) {
      for (let second = 0; second < 100; second += 5) {
        // Other streams go on, so that no mark is due.
        await pass(5);
        await write('other', 1 + i * 100 + second);
      }
      await away(86_400, false);
    }
    await pass(199);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
  });

  it('is marked once a minute, while a stream is waited for and no rows come', async () => {
    const marks = marksOf(store);
    service = alertsService(marks.store, () => folder.now);
    await service.put('gone', { expression: 'a > 5', noDataFor: '10m' });
    await pass(200);
    assert.equal(marks.count(), 0);
    await write('s', 1);
    await pass(1);
    // It tells when the service began.
    assert.equal(marks.count(), 1);
    await pass(58);
    await write('s', 2);
    await pass(59);
    assert.equal(marks.count(), 1);
    await pass(1);
    assert.equal(marks.count(), 2);
    await pass(180);
    assert.equal(marks.count(), 5);
    // It has fired by then.
    await pass(3600);
    assert.equal(marks.count(), 10);
    await service.silence.end();
    assert.equal(marks.count(), 10);
    await write('s', 3);
    await service.writer.closeStream({ workspace: 'w', topic: 't', streamId: 's' }, Buffer.from('{}'));
    await pass(7200);
    const closed = marks.count();
    assert.ok(closed < 26, String(closed));
  });

  it('is not the time in which the process was paused', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '30s' });
    await write('s', 1);
    await pass(25);
    folder.now += 3_600_000;
    await service.silence.tick();
    await pass(29);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
  });

  it('is not the time in which the store took no writes', async () => {
    let writable = true;
    const health: Store['health'] = () => ({ ...store.health(), writable });
    service = alertsService({ ...store, health }, () => folder.now);
    await service.put('gone', { expression: 'a > 5', noDataFor: '30s' });
    await write('s', 1);
    await pass(25);
    writable = false;
    await pass(300);
    writable = true;
    await pass(29);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
  });

  it('is of now where the clock was ahead when the last row came', async () => {
    await service.put('gone', { expression: 'a > 5', noDataFor: '30s' });
    const now = folder.now;
    folder.now += 86_400_000 * 365;
    await write('s', 1);
    folder.now = now;
    await pass(30);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.equal((await fired()).length, 1);
  });

  it('counts from the last row of streams whose rule came later', async () => {
    await service.put('gone', { expression: 'a > 5' });
    await write('s', 1);
    await pass(100);
    folder.now += 500_000;
    await service.silence.tick();
    await pass(100);
    await service.put('gone', { expression: 'a > 5', noDataFor: '203s' });
    await pass(2);
    assert.deepEqual(await fired(), []);
    await pass(1);
    assert.deepEqual(await fired(), ['firing 2']);
  });
});

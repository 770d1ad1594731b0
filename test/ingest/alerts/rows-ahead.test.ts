import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { stateId } from '../../../src/alerts/stored-state.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { LiveContent } from '../../../src/live/broker.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { storeFolder } from '../../store/embedded/store-folder.ts';
import { until } from '../../until.ts';
import { type AlertsService, alertsService } from './alerts-service.ts';

const folder = storeFolder('alerts-ahead');
const begin = Date.parse('2026-06-01T12:00:00Z');
const of2100 = BigInt(Date.parse('2100-01-01T00:00:00Z')) * 1_000_000n;

let store: EmbeddedStore;
let service: AlertsService;

beforeEach(async () => {
  folder.now = begin;
  store = await folder.open();
  await store.append({
    workspace: 'w',
    changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: 0 } }],
  });
  service = alertsService(store, () => folder.now);
});

/** The service's clock so many seconds on, ns. */
function at(seconds = 0): bigint {
  return BigInt(folder.now) * 1_000_000n + BigInt(Math.round(seconds * 1000)) * 1_000_000n;
}

/** Rows of `a`: times and values in turn. */
function write(...cells: (bigint | number)[]): Promise<unknown> {
  const timestamps = cells.filter((_, i) => i % 2 === 0);
  return service.write('s', { timestamps, numericValues: { a: cells.filter((_, i) => i % 2 === 1) } });
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    folder.now += service.silence.tickMs;
    await service.silence.tick();
  }
}

async function states(): Promise<string[]> {
  return (await service.queries.list('w', {})).map(({ name, state }) => `${name} ${state}`);
}

/** The values of events that say that rows were left out. */
function told(): string[] {
  return service.published.flatMap(({ content }) =>
    content?.type !== 'eventData' ? [] : content.events.filter(isAhead).map(({ value }) => value),
  );
}

function isAhead({ tags }: Extract<LiveContent, { type: 'eventData' }>['events'][number]): boolean {
  return tags.pairs.some(([tag, value]) => tag === 'state' && value === 'ahead');
}

function deleteRows(from: bigint, to: bigint): Promise<number> {
  return store.deleteRows({ workspace: 'w', streamIds: ['s'], topic: 't', from, to, tagFilters: [] });
}

describe('a rule beside rows that are further ahead than the clock allows', () => {
  it('is told of a row of 2100, and goes on with the rows that follow', async () => {
    await service.put('hot', { expression: 'a > 5' });
    await write(of2100, 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at()}`]);
    await until(() => told().length > 0);
    assert.deepEqual(told(), ['{"rowTime":"2100-01-01T00:00:00.000Z","values":{"a":9}}']);
    assert.equal(service.ahead(), 1);
    const [listed, ...others] = await service.queries.list('w', {});
    assert.deepEqual(others, []);
    const { problem, ...rest } = listed!;
    assert.deepEqual(rest, { topic: 't', name: 'hot', streamId: 's', state: 'failed' });
    assert.match(
      String(problem),
      /2100-01-01T00:00:00\.000Z came at 2026-06-01T12:00:00\.000Z.*--rows-ahead/,
    );

    folder.now += 1000;
    await write(at(), 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at(-1)}`, `firing ${at()}`]);
    assert.deepEqual(await states(), ['hot firing', 'hot failed']);
    await write(at(1), 1);
    assert.equal((await service.events('hot', 's')).at(-1), `resolved ${at(1)}`);
    // It was an hour ago.
    folder.now += 3_600_000;
    assert.deepEqual(await states(), []);
  });

  it('is not moved by one among good ones of a write, whose order does not matter', async () => {
    await service.put('hot', { expression: 'a > 5', for: '2s' });
    await write(at(), 9, of2100, 1, at(2), 9, at(1), 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at()}`, `firing ${at(2)}`]);
    await write(at(3), 9, maxTimestamp, 1, at(4), 1);
    assert.equal((await service.events('hot', 's')).at(-1), `resolved ${at(4)}`);
    assert.equal(service.ahead(), 2);
  });

  it('judges what is a minute ahead, and not a nanosecond more; and the same row when its time has come', async () => {
    await service.put('hot', { expression: 'a > 5' });
    await write(at(60) + 1n, 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at()}`]);
    await write(at(60), 1);
    folder.now += 1;
    await write(at(60), 9);
    assert.equal(service.ahead(), 1);
    assert.equal((await service.events('hot', 's')).at(-1), `firing ${at(60)}`);
    const first = at(-0.001) + 60_000_000_001n;
    await write(first, 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at(-0.001)}`, `firing ${at(60)}`]);
  });

  it('does not judge rows that it left out when their time has come, unless they are written again', async () => {
    await service.put('hot', { expression: 'a > 5' });
    const time = at(90);
    await write(time, 9);
    await pass(120);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at(-120)}`]);
    await write(time, 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at(-120)}`, `firing ${time}`]);
  });

  it('tells of a logger whose clock is ahead once an hour, and hears it', async () => {
    await service.put('hot', { expression: 'a > 5', noDataFor: '10s' });
    for (let second = 0; second < 2 * 3600; second += 5) {
      await write(at(90), 9);
      await pass(5);
    }
    const first = BigInt(begin) * 1_000_000n;
    const hour = 3_600_000_000_000n;
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${first}`, `ahead ${first + hour}`]);
    assert.deepEqual(await states(), ['hot failed']);
    assert.equal(service.ahead(), 1440);
    await pass(5);
    const last = at(-10);
    assert.equal((await service.events('hot', 's')).at(-1), `firing ${last}`);
    const noData = (await service.queries.list('w', {})).map((one) => one['noData']);
    assert.deepEqual(noData, [true, undefined]);
    await write(at(90), 9);
    await pass(1);
    assert.equal((await service.events('hot', 's')).at(-1), `resolved ${at(-1)}`);
    // Silence after that is another one.
    await pass(9);
    assert.deepEqual((await service.events('hot', 's')).slice(-2), [
      `resolved ${at(-10)}`,
      `firing ${at(-10) + 1n}`,
    ]);
  });

  it('hears rows while one of 2100 stands in the stream', async () => {
    await service.put('hot', { expression: 'a > 5', noDataFor: '10s' });
    await write(of2100, 9);
    for (let i = 0; i < 5; i++) {
      await write(at(), 1);
      await pass(5);
    }
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at(-25)}`]);
  });

  it('is the same after the row was deleted, and after a restart', async () => {
    await service.put('hot', { expression: 'a > 5' });
    await write(of2100, 9);
    await deleteRows(of2100, of2100);
    store = await folder.reopen(store);
    service = alertsService(store, () => folder.now);
    await write(at(1), 9);
    await write(of2100, 1);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at()}`, `firing ${at(1)}`]);
    assert.deepEqual(await states(), ['hot firing', 'hot failed']);
    await service.put('hot', { expression: 'a > 6' });
    assert.deepEqual(await states(), ['hot firing']);
    await write(of2100, 1);
    assert.deepEqual(await states(), ['hot firing', 'hot failed']);
  });

  it('does not believe a place of 2100 that stands in its state', async () => {
    await service.write('s', { timestamps: [0], numericValues: { b: [1] } });
    for (const [name, memory] of [
      ['hot', ''],
      ['rising', ',"[\\"\\",null,\\"\\"]"'],
    ] as const) {
      const expression = name === 'hot' ? 'a > 5' : 'difference(a) > 5';
      await service.put(name, { expression, for: '1s', noDataFor: '10s' });
      const rule = store.catalog.document('w', 'alert', 't', name)!;
      const { made, revision } = JSON.parse(rule.body) as { made: number; revision: number };
      const body = `[${made},${revision},"${of2100}","${of2100}",0,null,${begin},1${memory}]`;
      const id = stateId(name, 's');
      await store.append({
        workspace: 'w',
        changes: [{ type: 'keep', kind: 'alertState', topic: 't', id, body }],
      });
    }
    await write(at(), 9, at(1), 15, at(2), 22);
    assert.deepEqual(await service.events('hot', 's'), [`firing ${at(1)}`]);
    assert.deepEqual(await service.events('rising', 's'), [`firing ${at(2)}`]);
  });

  it('fires for silence in the present, though its place is in 2100', async () => {
    await service.put('hot', { expression: 'a > 5', noDataFor: '10s' });
    await write(at(), 1);
    const item = store.catalog.document('w', 'alertState', 't', stateId('hot', 's'))!;
    const body = item.body.replace(`"${at()}"`, `"${of2100}"`);
    await store.append({ workspace: 'w', changes: [{ ...item, type: 'keep', body }] });
    await pass(10);
    assert.deepEqual(await service.events('hot', 's'), [`firing ${at(-10)}`]);
    await write(at(), 1);
    assert.deepEqual(await service.events('hot', 's'), [`firing ${at(-10)}`, `resolved ${at()}`]);
  });

  it('begins anew where the clock was set back by more than it allows', async () => {
    await service.put('hot', { expression: 'a > 5' });
    await write(at(), 1);
    folder.now -= 600_000;
    await write(at(), 9);
    assert.deepEqual(await service.events('hot', 's'), [`firing ${at()}`]);
  });

  it('sees along rows, and in a run of true ones, only those that it judges', async () => {
    await service.put('rising', { expression: 'difference(a) > 5' });
    await service.put('long', { expression: 'a > 0', for: '2s' });
    await write(at(), 1);
    await write(of2100, 100);
    await write(at(1), 4);
    await write(of2100, -100, at(2), 10);
    assert.deepEqual((await service.events('rising', 's')).slice(1), [`firing ${at(2)}`]);
    assert.deepEqual((await service.events('long', 's')).slice(1), [`firing ${at(2)}`]);
  });

  it('leaves them out of its test', async () => {
    await service.put('hot', { expression: 'a > 5' });
    await write(of2100, 9, at(), 1, at(1), 9);
    const tested = async (from?: bigint) => {
      const asked = { streamIds: ['s'], ...(from !== undefined && { from }) };
      const { signal } = new AbortController();
      const found = await service.queries.test('w', 't', 'hot', asked, signal, () => undefined);
      return found.map(({ state, timestamp }) => `${state} ${timestamp}`);
    };
    assert.deepEqual(await tested(), [`firing ${at(1)}`]);
    assert.deepEqual(await tested(of2100), []);
  });

  it('is not told of rows of other parameters, nor by webhooks', async () => {
    service = alertsService(store, () => folder.now, 'hooks.example.com');
    await service.put('hot', { expression: 'a > 5', webhook: { url: 'http://hooks.example.com/' } });
    await service.write('s', { timestamps: [of2100], numericValues: { b: [1] } });
    assert.deepEqual([await service.events('hot', 's'), service.ahead()], [[], 0]);
    await write(of2100, 9);
    assert.deepEqual(await service.events('hot', 's'), [`ahead ${at()}`]);
    assert.equal(store.catalog.documentCount('w', 'webhookMessage'), 0);
  });

  it('goes on beside rows of 1970 and of the first time there is, and judges recordings of years ago', async () => {
    await service.put('hot', { expression: 'a > 5' });
    const recorded = BigInt(Date.parse('2012-01-01T00:00:00Z')) * 1_000_000n;
    await write(recorded, 1, recorded + 1n, 9, recorded + 2n, 1);
    assert.deepEqual(await service.events('hot', 's'), [
      `firing ${recorded + 1n}`,
      `resolved ${recorded + 2n}`,
    ]);
    await write(at(), 1, 0n, 9, minTimestamp, 9);
    await write(at(1), 9, 5n, 1);
    assert.deepEqual((await service.events('hot', 's')).slice(2), [`firing ${at(1)}`]);
  });
});

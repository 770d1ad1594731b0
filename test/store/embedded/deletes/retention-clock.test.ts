import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { PitwallError } from '../../../../src/errors.ts';
import { openRetentionClock } from '../../../../src/store/embedded/deletes/retention-clock.ts';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { restoreBackup } from '../../../../src/store/embedded/restore.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { listed } from '../listed.ts';
import { memoryManifest } from '../memory-manifest.ts';
import { readRows } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const secondMs = 1000;
const hourMs = 3600 * secondMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
/** A day, when it is. */
const today = 60 * yearMs;

const folder = storeFolder('clock');
let awake = 0;
let said: string[] = [];
const log = {
  info: (_fields: object, message: string) => void said.push(`info: ${message}`),
  warn: (_fields: object, message: string) => void said.push(`warn: ${message}`),
  error: (_fields: object, message: string) => void said.push(`error: ${message}`),
};

const open = () => folder.open({ monotonicMs: () => awake, log });

async function reopen(store: EmbeddedStore): Promise<EmbeddedStore> {
  await folder.close(store);
  return open();
}

function pass(ms: number): void {
  folder.now += ms;
  awake += ms;
}

/** A new store that keeps 30 days of a topic, with rows of such ages in days; it is `today` then. */
async function storeWith(ages: readonly number[]): Promise<EmbeddedStore> {
  folder.now = today;
  said = [];
  const store = await open();
  const retention: Change = { type: 'topic', topic: 'cars', retention: 30n * BigInt(dayMs) * 1_000_000n };
  await store.append({ workspace: 'default', changes: [retention] });
  await write(store, ages);
  return store;
}

async function write(store: EmbeddedStore, ages: readonly number[]): Promise<void> {
  const rows = ages.map((age) => ({
    time: BigInt(today - age * dayMs) * 1_000_000n,
    cells: { speed: age },
  }));
  const change: Change = { type: 'rows', topic: 'cars', streamId: 'a', rows: [rowsOf(rows)] };
  await store.append({ workspace: 'default', changes: [change] });
}

async function agesOf(store: EmbeddedStore): Promise<number[]> {
  const rows = await readRows(store, {
    workspace: 'default',
    streamIds: undefined,
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    tagFilters: [],
    parameters: [{ kind: Kind.Numeric, name: 'speed' }],
    order: 'Desc',
    limit: undefined,
    after: undefined,
  });
  return rows.map(({ timestamp }) => (today - Number(timestamp / 1_000_000n)) / dayMs);
}

/** Rows on the disk, expired or not: those that a store gives which never heard of a retention. */
async function agesOnDisk(store: EmbeddedStore): Promise<number[]> {
  await store.append({
    workspace: 'default',
    changes: [{ type: 'topic', topic: 'cars', retention: undefined }],
  });
  return agesOf(store);
}

const extentOf = (store: EmbeddedStore) => {
  const { dataStart } = listed(store.catalog.streams('default', { streamIds: ['a'] }, folder.now))[0]!;
  return dataStart === undefined ? undefined : (today - Number(dataStart / 1_000_000n)) / dayMs;
};

const partFiles = () => readdirSync(join(folder.directory, 'parts')).join();

const retainedFrom = (store: EmbeddedStore) =>
  Number(store.catalog.retainedFrom('default', 'cars')! / 1_000_000n);

describe('a clock that jumps two years ahead', () => {
  it('hides and removes nothing, in parts and in the log, across restarts too', async () => {
    let store = await storeWith([1, 10, 29]);
    store = await reopen(store);
    await until(() => store.health().parts > 0);
    await write(store, [2, 28]);
    folder.now += 2 * yearMs;
    for (let restart = 0; restart < 3; restart++) {
      pass(77 * secondMs);
      assert.deepEqual(await agesOf(store), [1, 2, 10, 28, 29]);
      assert.equal(extentOf(store), 29);
      assert.ok(retainedFrom(store) <= today - 29 * dayMs);
      store = await reopen(store);
      await until(() => store.health().parts > 0);
    }
    pass(dayMs - hourMs);
    assert.deepEqual(await agesOf(store), [1, 2, 10, 28, 29]);
    assert.deepEqual(await agesOnDisk(store), [1, 2, 10, 28, 29]);
  });

  it('keeps rows that are written meanwhile with times of the days before', async () => {
    const store = await storeWith([1]);
    folder.now += 2 * yearMs;
    assert.equal(retainedFrom(store), today - 30 * dayMs);
  });

  it('removes what is expired by it when it has stood for a day', async () => {
    const store = await storeWith([1, 10, 29]);
    folder.now += 2 * yearMs;
    assert.equal(store.clock!.read().believedInMs, dayMs);
    pass(dayMs - 1);
    assert.equal(store.clock!.read().believedInMs, 1);
    assert.deepEqual(await agesOf(store), [1, 10, 29]);
    pass(1);
    assert.deepEqual(store.clock!.read(), { time: folder.now, believed: folder.now, heldBackMs: 0 });
    assert.deepEqual(await agesOf(store), []);
    await until(() => extentOf(store) === undefined);
  });

  it('removes it at once when it is confirmed, from the disk too, and stays confirmed', async () => {
    let store = await storeWith([1, 10, 29]);
    store = await reopen(store);
    await until(() => store.health().parts > 0);
    folder.now += 2 * yearMs;
    assert.equal((await store.clock!.confirm()).heldBackMs, 0);
    assert.deepEqual(await agesOf(store), []);
    await until(() => store.health().parts === 0);
    store = await reopen(store);
    assert.deepEqual(store.health().problems, []);
    assert.equal(store.clock!.read().believed, folder.now);
  });

  it('is told: in the log once, again at each start, and for as long as it lasts as a problem', async () => {
    let store = await storeWith([1]);
    folder.now += 2 * yearMs;
    const line =
      /^the clock of this machine jumped ahead to 2031-12-17T00:00:00.000Z: rows expire as if it were 2029-12-17T00:00:00.000Z, until/;
    for (let look = 0; look < 3; look++) {
      const { writable, problems } = store.health();
      assert.deepEqual([writable, problems.length], [true, 1]);
      assert.match(problems[0]!, line);
    }
    assert.equal(store.clock!.read().heldBackMs, 2 * yearMs);
    const warned = () => said.filter((text) => /^warn: the clock .* jumped ahead/.test(text)).length;
    assert.equal(warned(), 1);
    store = await reopen(store);
    assert.equal(warned(), 2);
    folder.now -= 2 * yearMs;
    assert.deepEqual(store.health().problems, []);
    assert.equal(said.at(-1), 'info: the clock of this machine is right again');
  });

  it('holds nothing else back: rows that were deleted leave the disk', async () => {
    const ages = Array.from({ length: 20 }, (_, age) => age);
    let store = await storeWith(ages);
    store = await reopen(store);
    await until(() => store.health().parts > 0);
    folder.now += 2 * yearMs;
    // One row of twenty is too little to be cleaned away before an hour has passed.
    const file = partFiles();
    const time = BigInt(today - 19 * dayMs) * 1_000_000n;
    const selection = {
      workspace: 'default',
      streamIds: ['a'],
      topic: undefined,
      from: time,
      to: time,
      tagFilters: [],
    };
    assert.equal(await store.deleteRows(selection), 1);
    pass(2 * hourMs);
    assert.equal(store.health().problems.length, 1);
    store = await reopen(store);
    await until(() => partFiles() !== file);
    assert.deepEqual(await agesOnDisk(store), ages.slice(0, 19));
  });
});

describe('a clock that goes back', () => {
  it('takes nothing away, neither what was there nor what is written then', async () => {
    let store = await storeWith([1, 29]);
    folder.now -= 10 * yearMs;
    for (let restart = 0; restart < 2; restart++) {
      await write(store, [2]);
      assert.deepEqual(await agesOf(store), [1, 2, 29]);
      assert.deepEqual(store.health().problems, []);
      assert.ok(said.some((text) => /^warn: the clock of this machine went back/.test(text)));
      store = await reopen(store);
    }
    folder.now += 10 * yearMs;
    assert.deepEqual(await agesOf(store), [1, 2, 29]);
    assert.deepEqual(store.health().problems, []);
  });
});

describe('a long stop', () => {
  it('lets retention wait for a day of running, and is told', async () => {
    let store = await storeWith([1, 29]);
    await folder.close(store);
    folder.now += 20 * dayMs;
    store = await open();
    assert.deepEqual(await agesOf(store), [1, 29]);
    assert.equal(store.health().problems.length, 1);
    pass(12 * hourMs);
    store = await reopen(store);
    assert.deepEqual(await agesOf(store), [1, 29]);
    pass(12 * hourMs);
    assert.deepEqual(store.health().problems, []);
    assert.deepEqual(await agesOf(store), [1]);
  });

  it('of some hours is none', async () => {
    let store = await storeWith([1, 29]);
    await folder.close(store);
    folder.now += 23 * hourMs;
    store = await open();
    assert.deepEqual(store.health().problems, []);
    assert.equal(retainedFrom(store), folder.now - 30 * dayMs);
  });
});

describe('a restored folder', () => {
  it('has the time of its backup: rows that expired since wait until the clock is confirmed', async () => {
    const store = await storeWith([1, 29]);
    const restored = join(folder.root, 'restored');
    const { chunks } = await store.backup(new AbortController().signal);
    await restoreBackup(chunks, restored);
    folder.now += 20 * dayMs;
    const again = await folder.open({ dataDir: restored, monotonicMs: () => awake, log });
    assert.deepEqual(await agesOf(again), [1, 29]);
    assert.equal(again.clock!.read().heldBackMs, 20 * dayMs);
    await again.clock!.confirm();
    assert.deepEqual(await agesOf(again), [1]);
  });
});

describe('a folder that no time was kept with', () => {
  const forget = async () => {
    const manifest = await openManifest(`${folder.directory}/catalog`);
    await manifest.commit([{ table: 'meta', key: 'clock', value: undefined }]);
    await manifest.close();
  };

  it('goes on from its last write: a clock that is far ahead of it is not believed', async () => {
    let store = await storeWith([1, 29]);
    await folder.close(store);
    await forget();
    folder.now += 2 * yearMs;
    store = await open();
    assert.deepEqual(await agesOf(store), [1, 29]);
    assert.equal(store.clock!.read().believed, today);
  });

  it('believes the clock where it was just written to, and where there are no streams', async () => {
    folder.now = today;
    let store = await open();
    await folder.close(store);
    await forget();
    folder.now += 2 * yearMs;
    store = await open();
    assert.deepEqual(store.health().problems, []);
    await write(store, [1]);
    await folder.close(store);
    await forget();
    folder.now += hourMs;
    store = await open();
    assert.equal(store.clock!.read().believed, folder.now);
  });
});

describe('what is kept of the time', () => {
  it('is written every ten minutes and at the end, so that a stop of any kind forgets little', async () => {
    const manifest = memoryManifest();
    const clocks = { wall: () => folder.now, monotonic: () => awake };
    folder.now = today;
    const clock = openRetentionClock({ manifest, clocks, lastWrite: () => undefined, log, report() {} });
    clock.start(() => undefined);
    const kept = () => manifest.tables.get('meta')!.get('clock') as { proven: number };
    const first = kept();
    pass(9 * 60 * secondMs);
    clock.read();
    assert.equal(kept(), first);
    pass(60 * secondMs);
    clock.read();
    assert.equal(kept().proven, folder.now);
    pass(1);
    await clock.close();
    assert.equal(kept().proven, folder.now);
  });

  it('may be damaged, which is told and stops nothing', async () => {
    const manifest = memoryManifest();
    const damaged = {
      ...manifest,
      read(): unknown {
        throw new Error("the catalogue's entry meta/clock is damaged");
      },
    };
    const told: string[] = [];
    folder.now = today + yearMs;
    const clock = openRetentionClock({
      manifest: damaged,
      clocks: { wall: () => folder.now, monotonic: () => awake },
      lastWrite: () => today,
      log,
      report: (problem) => told.push(problem),
    });
    assert.equal(clock.now(), today);
    assert.deepEqual(told, ["the catalogue's entry meta/clock is damaged"]);
  });

  it('that cannot be kept is no confirmation', async () => {
    for (const [code, answer] of [
      ['ENOSPC', 'disk_full'],
      ['EIO', 'storage_failed'],
    ] as const) {
      const failing = {
        ...memoryManifest(),
        commit: () => Promise.reject(Object.assign(new Error('no'), { code })),
      };
      folder.now = today;
      const clock = openRetentionClock({
        manifest: failing,
        clocks: { wall: () => folder.now, monotonic: () => awake },
        lastWrite: () => undefined,
        log,
        report() {},
      });
      folder.now += yearMs;
      await assert.rejects(
        clock.confirm(),
        (error) => error instanceof PitwallError && error.code === answer,
      );
      assert.equal(clock.read().heldBackMs, yearMs);
    }
  });
});

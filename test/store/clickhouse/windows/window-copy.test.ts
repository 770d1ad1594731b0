import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, Kind } from '../../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import { rowTaker } from '../../../../src/store/clickhouse/deletes/take-rows.ts';
import type { ClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import {
  applyToldDeletes,
  copySamples,
  type WindowCopyOptions,
} from '../../../../src/store/clickhouse/windows/window-copy.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { createRandom } from '../../../fuzz/random.ts';
import { until } from '../../../until.ts';
import { engineDatabases, everything } from '../engine-databases.ts';
import { ask, keptLog, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';
import { randomRows } from '../random-rows.ts';
import { valuesOfSamples, valuesOfWindows } from './window-values.ts';

const second = 1_000_000_000n;
const month = 2_592_000n * second;
describe('the copy of samples into windows', { skip: engineMissing || notAsked }, () => {
  const { fresh } = engineDatabases('copy');

  const run = (url: string, text: string) =>
    withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));

  /** Values that were written to `samples` an hour ago, as far as their versions say. */
  async function oldValues(url: string, fill: (store: Store) => Promise<void>): Promise<void> {
    const clock = () => Date.now() - 3_600_000;
    const store = await openStore(url, { clock });
    await fill(store);
    await store.close();
  }

  const optionsOn = (clickhouse: ClickHouse): WindowCopyOptions => ({
    clickhouse,
    topology: {},
    clock: { reading: () => BigInt(Date.now()) * 1_000_000n },
    takeFrom: rowTaker({ clickhouse, topology: {} }),
    finishRemovals: async () => undefined,
    log: keptLog().log,
    readMs: 0,
  });

  async function copy(url: string, options: Partial<WindowCopyOptions> = {}): Promise<number> {
    const { values } = await withClickHouse(url, (clickhouse) =>
      copySamples({ ...optionsOn(clickhouse), ...options }, new AbortController().signal),
    );
    return values;
  }

  it('gives the same values, leaves events, and finds nothing to copy behind', async () => {
    const url = fresh();
    const random = createRandom(5);
    await oldValues(url, async (store) => {
      for (let i = 0; i < 30; i++) {
        const rows = randomRows(random);
        const base = rows.base + month * BigInt(random.below(3) - 1);
        await store.append(rowsOf(random.pick(['r', 's', 't']), { ...rows, base }));
      }
      const columns: Column[] = [
        {
          kind: Kind.String,
          name: 'x',
          bytes: Buffer.from('höher'),
          ends: Uint32Array.of(6, 6),
          present: undefined,
        },
        {
          kind: Kind.Binary,
          name: 'x',
          bytes: Buffer.of(0, 255),
          ends: Uint32Array.of(1, 2),
          present: undefined,
        },
        {
          kind: Kind.Event,
          name: 'e',
          bytes: Buffer.from('{}'),
          ends: Uint32Array.of(2, 2),
          present: undefined,
        },
      ];
      await store.append(rowsOf('s', { ...numbers(0n, [0, 0]), tagSets: [tagSet([['a', 'b']])], columns }));
      await store.append({
        workspace: 'w',
        changes: [{ type: 'topic', topic: 'Topic', retention: 200n * 365n * 86_400n * second }],
      });
    });
    const before = await valuesOfSamples(url);
    // Slices of a few values, so that streams are cut in time.
    await copy(url, { sliceValues: 300 });
    const isEvent = (row: unknown[]) => row[2] === 'event';
    assert.deepEqual(await valuesOfSamples(url), before.filter(isEvent));
    const wanted = before.filter((row) => !isEvent(row));
    assert.ok(wanted.length > 200);
    assert.deepEqual(await valuesOfWindows(url), wanted);
    await run(url, 'OPTIMIZE TABLE windows FINAL');
    assert.deepEqual(await valuesOfWindows(url), wanted);
    assert.deepEqual(
      await ask(
        url,
        'SELECT count(), sum(count) = sum(length(times)), sum(bytes) > 8 * sum(count) FROM windows WHERE count != length(times) OR deleted > 0',
      ),
      [['0', 1, 0]],
    );
    assert.equal(await copy(url), 0);
  });

  it('leaves what is young', async () => {
    const url = fresh();
    const store = await openStore(url);
    await store.append(rowsOf('s', numbers(0n, [1, 2])));
    await store.close();
    assert.equal(await copy(url), 0);
    assert.equal((await valuesOfSamples(url)).length, 2);
  });

  it('may be repeated, and stopped in the middle', async () => {
    const url = fresh();
    await oldValues(url, async (store) => {
      for (const stream of ['a', 'b', 'c']) await store.append(rowsOf(stream, numbers(0n, [1, 2, 3])));
    });
    const before = await valuesOfSamples(url);
    const stops = async () => {
      throw new Error('stopped');
    };
    await assert.rejects(copy(url, { finishRemovals: stops }), /stopped/);
    assert.deepEqual(await valuesOfSamples(url), before);
    assert.deepEqual(await valuesOfWindows(url), before);
    assert.equal(await copy(url), 9);
    assert.deepEqual(await valuesOfSamples(url), []);
    assert.deepEqual(await valuesOfWindows(url), before);
  });

  it('goes on while nodes write and delete', async () => {
    const url = fresh();
    const random = createRandom(11);
    await oldValues(url, async (store) => {
      for (let i = 0; i < 8; i++) {
        const values = Array.from({ length: 2000 }, (_, row) => 1000 * i + row);
        await store.append(rowsOf(`s${i % 4}`, numbers(BigInt(i) * 1500n, values)));
      }
    });
    /** What there should be: by stream and time. */
    const model = new Map((await valuesOfSamples(url)).map((row) => [`${row[0]} ${row[3]}`, row.at(-1)]));
    const writers = await Promise.all([openStore(url), openStore(url, { writesWindows: true })]);
    let isCopying = true;
    const copied = copy(url, { sliceValues: 700 }).finally(() => {
      isCopying = false;
    });
    let deletes = 0;
    for (let step = 0; isCopying || step < 20; step++) {
      const store = writers[step % 2]!;
      const stream = `s${random.below(4)}`;
      const from = random.below(13_000);
      if (random.once(2)) {
        const values = Array.from({ length: 1 + random.below(50) }, () => -1 - random.below(1e6));
        await store.append(rowsOf(stream, numbers(BigInt(from), values)));
        for (const [i, value] of values.entries()) model.set(`${stream} ${from + i}`, String(value));
      } else {
        const to = from + random.below(300);
        const selection = { ...everything, streamIds: [stream], from: BigInt(from), to: BigInt(to) };
        let there = 0;
        for (let time = from; time <= to; time++) if (model.delete(`${stream} ${time}`)) there++;
        assert.equal(await store.deleteRows(selection), there);
        deletes++;
      }
    }
    assert.ok((await copied) > 10_000);
    assert.ok(deletes > 5);
    for (const store of writers) await store.close();
    const found = new Map(
      (await valuesOfWindows(url, true)).map((row) => [`${row[0]} ${row[3]}`, row.at(-1)]),
    );
    const byKey = (all: Map<string, unknown>) => [...all].sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(byKey(found), byKey(model));
    assert.deepEqual(await ask(url, 'SELECT count() FROM samples WHERE number >= 0'), [['0']]);
  });

  it('applies what was deleted while a statement copied it', async () => {
    const url = fresh();
    await oldValues(url, (store) => store.append(rowsOf('s', numbers(0n, [1, 2, 3, 4]))));
    const store = await openStore(url);
    // The copy of a statement that began before the delete and ends behind it.
    await run(url, 'CREATE TABLE late AS samples ENGINE = MergeTree ORDER BY ()');
    await run(url, 'INSERT INTO late SELECT * FROM samples');
    const began = BigInt(Date.now()) * 1_000_000n;
    assert.equal(await store.deleteRows({ ...everything, from: 1n, to: 2n }), 2);
    await run(url, 'INSERT INTO samples SELECT * FROM late WHERE timestamp BETWEEN 1 AND 2');
    await copy(url, { clock: { reading: () => began } });
    assert.deepEqual(
      (await valuesOfWindows(url, true)).map((row) => row.at(-1)),
      ['1', '4'],
    );
    await store.close();
  });

  it('applies at the next start what was deleted while a node copied it that was killed then', async () => {
    const url = fresh();
    await oldValues(url, (store) => store.append(rowsOf('s', numbers(0n, [1, 2, 3, 4]))));
    const store = await openStore(url);
    /** A node that is killed when its statement has copied: it does not come to look for deletes. */
    const killed = withClickHouse(url, (clickhouse) =>
      copySamples(
        {
          ...optionsOn(clickhouse),
          clickhouse: {
            ...clickhouse,
            async command(statement, options) {
              // The statement has read its values, and writes them behind the delete.
              await run(url, 'CREATE TABLE late AS samples ENGINE = MergeTree ORDER BY ()');
              await run(url, 'INSERT INTO late SELECT * FROM samples');
              assert.equal(await store.deleteRows(everything), 4);
              await run(url, 'INSERT INTO samples SELECT * FROM late');
              await clickhouse.command(statement, options);
              await run(url, 'ALTER TABLE samples DELETE WHERE true SETTINGS mutations_sync = 1');
              throw new Error('killed');
            },
          },
        },
        new AbortController().signal,
      ),
    );
    await assert.rejects(killed, /killed/);
    assert.equal((await valuesOfWindows(url, true)).length, 4);
    const next = await openStore(url, { writesWindows: true, copiesSamples: true });
    await until(async () => (await valuesOfWindows(url, true)).length === 0);
    await next.close();
    await store.close();
  });

  it('is held up by no delete that ClickHouse refuses, which is told', async () => {
    const url = fresh();
    const rows = { ...numbers(0n, [1, 2, 3, 4]), tagSets: [tagSet([['lap', '1']])] };
    await oldValues(url, (store) => store.append(rowsOf('s', rows)));
    const now = BigInt(Date.now()) * 1_000_000n;
    const selection = { ...everything, from: 1n, to: 2n };
    const refused = { ...selection, tagFilters: [{ tag: 'lap', operator: 'Like', values: ['('] }] };
    const bodies = [{ selection: refused, hidden: [] }, 'no delete', { selection, hidden: [] }];
    for (const [i, body] of bodies.entries()) {
      const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
      await run(url, `INSERT INTO range_deletes VALUES ('w', ${now + BigInt(i)}, '${text}', 0)`);
    }
    const { lines, log } = keptLog();
    const copyWith = () =>
      withClickHouse(url, (clickhouse) =>
        copySamples({ ...optionsOn(clickhouse), log }, new AbortController().signal),
      );
    assert.deepEqual(await copyWith(), { values: 4, isApplied: false });
    assert.deepEqual(
      (await valuesOfWindows(url, true)).map((row) => row.at(-1)),
      ['1', '4'],
    );
    assert.equal(lines.filter((line) => line.startsWith('a delete of rows could not be applied')).length, 2);
    // It goes on: what it could not apply is tried again before the next copy.
    const again = keptLog();
    const isApplied = await withClickHouse(url, (clickhouse) =>
      applyToldDeletes({ ...optionsOn(clickhouse), log: again.log }, new AbortController().signal),
    );
    assert.equal(isApplied, false);
    // Values that the last one has taken are not looked at by the first any more.
    assert.equal(again.lines.length, 1);
  });
});

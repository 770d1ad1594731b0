import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowTaker } from '../../../../src/store/clickhouse/deletes/take-rows.ts';
import { tidyWindows, type WindowTidyOptions } from '../../../../src/store/clickhouse/windows/window-tidy.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { createRandom } from '../../../fuzz/random.ts';
import { until } from '../../../until.ts';
import { engineDatabases, everything } from '../engine-databases.ts';
import { ask, keptLog, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';
import { randomRows } from '../random-rows.ts';
import { valuesOfWindows } from './window-values.ts';

describe('tidying of windows', { skip: engineMissing || notAsked }, () => {
  const { fresh, withStore } = engineDatabases('tidy');

  /**
   * @param settledMs below zero: all that was deleted until now is settled
   * @param merged called when a partition is merged and not yet written again
   */
  function tidy(
    url: string,
    settledMs = -1000,
    given: Partial<WindowTidyOptions> = {},
    merged = async () => {},
  ): Promise<string[]> {
    return withClickHouse(url, (clickhouse) =>
      tidyWindows(
        {
          clickhouse: {
            ...clickhouse,
            async command(statement, options) {
              await clickhouse.command(statement, options);
              if (statement.text.startsWith('OPTIMIZE')) await merged();
            },
          },
          topology: {},
          clock: { reading: () => BigInt(Date.now()) * 1_000_000n },
          takeFrom: rowTaker({ clickhouse, topology: {} }),
          isHeld: () => false,
          log: keptLog().log,
          settledMs,
          ...given,
        },
        new AbortController().signal,
      ),
    );
  }

  const run = (url: string, text: string) =>
    withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));

  const sums = (url: string) =>
    ask(
      url,
      `SELECT sum(count), sum(length(times)), sum(arraySum(piece -> piece.count, pieces)), sum(bytes), max(deleted) FROM windows`,
    );

  it('leaves the values that count, once each, and nothing else', () =>
    withStore(async (store, url) => {
      const random = createRandom(23);
      for (let i = 0; i < 30; i++) {
        await store.append(rowsOf(random.pick(['r', 's']), randomRows(random)));
        if (!random.once(4)) continue;
        const from = BigInt(random.below(3)) * 1_000_000_000n;
        await store.deleteRows({ ...everything, from, to: from + BigInt(random.below(1_000_000_000)) });
      }
      const wanted = await valuesOfWindows(url);
      assert.ok(wanted.length > 100);
      assert.equal((await tidy(url)).length, 1);
      assert.deepEqual(await valuesOfWindows(url), wanted);
      // What a window of another level replaces stays.
      const identities = `SELECT stream, parameter, level, arrayJoin(arrayZip(times,
        arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.tags), pieces)))) AS identity FROM windows`;
      const [[distinct]] = (await ask(
        url,
        `SELECT count() FROM (SELECT DISTINCT * FROM (${identities}))`,
      )) as [[string]];
      assert.deepEqual(await sums(url), [[distinct, distinct, distinct, String(8 * Number(distinct)), '0']]);
      assert.deepEqual(
        await ask(url, 'SELECT * FROM windows WHERE first != arrayMin(times) OR last != arrayMax(times)'),
        [],
      );
      // Bounds come from the projection.
      assert.deepEqual(
        await ask(
          url,
          'SELECT stream, min(first), max(last), sum(count) FROM windows GROUP BY stream ORDER BY stream',
        ),
        await ask(
          url,
          'SELECT stream, min(arrayJoin(times) AS time), max(time), count() FROM windows GROUP BY stream ORDER BY stream',
        ),
      );
      assert.deepEqual(await tidy(url), []);
    }));

  it('bounds a value that is replaced again and again', () =>
    withStore(async (store, url) => {
      for (let i = 0; i < 20; i++) await store.append(rowsOf('s', numbers(0n, [i])));
      await tidy(url);
      assert.deepEqual(await ask(url, 'SELECT scaled, length(pieces) FROM windows'), [[['19'], '1']]);
    }));

  it('makes one sum of those of many small requests', () =>
    withStore(async (store, url) => {
      for (let i = 0; i < 20; i++) await store.append(rowsOf('s', numbers(BigInt(i), [i + 0.1])));
      const wanted = await valuesOfWindows(url);
      const added = 'SELECT sum(reals), round(sumKahanArray(sums), 9), max(length(sums)) FROM windows';
      assert.equal((await tidy(url)).length, 1);
      assert.deepEqual(await valuesOfWindows(url), wanted);
      assert.deepEqual(await ask(url, added), [['20', 192, '2']]);
      assert.deepEqual(await tidy(url), []);
    }));

  it('leaves no row of what is deleted altogether', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
      await store.append(rowsOf('r', numbers(0n, [4])));
      await store.deleteRows({ ...everything, streamIds: ['s'] });
      await tidy(url);
      assert.deepEqual(await ask(url, 'SELECT stream, scaled FROM windows'), [['r', ['4']]]);
    }));

  it('leaves deletes for which older values may still come', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
      await store.deleteRows({ ...everything, to: 1n });
      assert.deepEqual(await tidy(url, 600_000), []);
      assert.deepEqual((await sums(url))[0]!.slice(0, 2), ['3', '3']);
    }));

  it('leaves an old delete that comes between its steps', async () => {
    const url = fresh();
    const hourAgo = () => Date.now() - 3_600_000;
    const old = await openStore(url, { clock: hourAgo });
    await old.append(rowsOf('s', numbers(0n, [1, 2])));
    const [[removed]] = (await ask(url, 'SELECT max(version) + 1 FROM windows')) as [[string]];
    await old.append(rowsOf('s', numbers(1n, [22])));
    await old.close();
    // A removal that was interrupted is finished by the start of a node.
    await tidy(url, 600_000, {}, async () => {
      await run(
        url,
        `INSERT INTO streams (workspace, topic, stream, removed) VALUES ('w', 'topic', 's', ${removed})`,
      );
      const next = await openStore(url);
      await until(async () => (await valuesOfWindows(url)).length === 1);
      await next.close();
    });
    assert.deepEqual(
      (await valuesOfWindows(url)).map((row) => row.at(-1)),
      ['22'],
    );
  });

  it('may stop before it takes emptied rows: they say nothing of what comes later', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(100n, [1, 2, 3])));
      await store.append(rowsOf('r', numbers(100n, [1])));
      await store.deleteRows({ ...everything });
      const stopped = async () => {
        throw new Error('stopped');
      };
      await assert.rejects(tidy(url, -1000, { takeFrom: stopped }), /stopped/);
      const bounds = async () =>
        (await store.catalog.streams('w', {}, Date.now()))
          .map(({ streamId, dataStart, dataEnd }) => [streamId, dataStart, dataEnd])
          .sort();
      assert.deepEqual(await bounds(), [
        ['r', undefined, undefined],
        ['s', undefined, undefined],
      ]);
      await store.append(rowsOf('s', numbers(500n, [4, 5])));
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await bounds(), [
        ['r', undefined, undefined],
        ['s', 500n, 501n],
      ]);
      await tidy(url);
      assert.deepEqual(await ask(url, 'SELECT stream, scaled FROM windows'), [['s', ['4', '5']]]);
    }));

  it('goes on where deletes have taken all of a part', () =>
    withStore(async (store, url) => {
      await run(url, 'SYSTEM STOP MERGES windows');
      for (const stream of ['r', 'gone', 's', 's']) await store.append(rowsOf(stream, numbers(0n, [1, 2])));
      await run(url, 'SYSTEM START MERGES windows');
      await store.changeStreams({
        workspace: 'w',
        action: 'hardDelete',
        filter: { streamIds: ['gone'] },
        now: Date.now(),
      });
      const wanted = await valuesOfWindows(url);
      assert.equal(wanted.length, 4);
      assert.equal((await tidy(url)).length, 1);
      assert.deepEqual(await valuesOfWindows(url), wanted);
      assert.deepEqual(await ask(url, 'SELECT stream, count FROM windows ORDER BY stream'), [
        ['r', '2'],
        ['s', '2'],
      ]);
    }));

  it('waits while ClickHouse may not expire rows by its clock: to write them again makes it do so', async () => {
    const url = fresh();
    // To this node the rows are young, to ClickHouse they are years old.
    const clock = () => 1_700_000_000_000;
    const store = await openStore(url, { clock });
    const retention = 3_600_000_000_000n;
    await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'Topic', retention }] });
    const base = BigInt(clock()) * 1_000_000n - 1_000_000_000n;
    for (const value of [1, 2]) await store.append(rowsOf('s', numbers(base, [value, value])));
    const wanted = await valuesOfWindows(url);
    assert.equal(wanted.length, 2);
    assert.deepEqual(await tidy(url, -1000, { isHeld: () => true }), []);
    // It may become so when a partition is merged.
    let isHeld = false;
    const held = { isHeld: () => isHeld };
    const merged = async () => {
      isHeld = true;
    };
    assert.deepEqual(await tidy(url, -1000, held, merged), []);
    assert.ok(isHeld);
    assert.deepEqual(await valuesOfWindows(url), wanted);
    await store.close();
  });

  it('does nothing where little is replaced', () =>
    withStore(async (store, url) => {
      await store.append(
        rowsOf(
          's',
          numbers(
            0n,
            Array.from({ length: 100 }, (_, i) => i),
          ),
        ),
      );
      await store.append(rowsOf('r', numbers(0n, [1])));
      await store.append(rowsOf('r', numbers(0n, [2])));
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await tidy(url), []);
      assert.deepEqual(await ask(url, 'SELECT sum(count) FROM windows'), [['102']]);
    }));
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { type AggregatePlan, planQuery } from '../../../../src/query/plan.ts';
import { CannotOpen } from '../../../../src/store/cannot-open.ts';
import { migrate, migrations, setDurability } from '../../../../src/store/clickhouse/server/migrate.ts';
import type { Migration } from '../../../../src/store/clickhouse/server/schema.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { ask, keptLog, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

const never = new AbortController().signal;

describe('migrations', { skip: engineMissing }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());

  async function database(name: string): Promise<string> {
    await ask(engine.urlOf('default'), `CREATE DATABASE ${name}`);
    return engine.urlOf(name);
  }

  it('are run by three nodes at once', async () => {
    const url = engine.urlOf('new at once'.replaceAll(' ', '_'));
    const stores = await Promise.all([openStore(url), openStore(url), openStore(url)]);
    const tables = await ask(url, 'SELECT name FROM system.tables WHERE database = currentDatabase()');
    assert.deepEqual(tables.flat().sort(), [
      'arrivals',
      'definitions',
      'kept',
      'range_deletes',
      'readings',
      'samples',
      'schema_migrations',
      'stream_touches',
      'streams',
      'tokens',
      'topics',
      'window_touches',
      'windows',
      'workspaces',
    ]);
    assert.deepEqual(await ask(url, 'SELECT DISTINCT number FROM schema_migrations ORDER BY number'), [
      ...migrations.map(({ number }) => [number]),
    ]);
    for (const store of stores) await store.close();
  });

  it('go on where another run stopped, and are not run again', async () => {
    const url = await database('stopped');
    const ran: string[] = [];
    const next = (number: number, ...statements: string[]): Migration => ({
      number,
      name: `m${number}`,
      statements: () => {
        ran.push(`m${number}`);
        return statements;
      },
    });
    const table = 'CREATE TABLE IF NOT EXISTS a (x Int8) ENGINE = MergeTree ORDER BY x';
    const broken = next(1, table, 'CREATE NONSENSE');
    const whole = next(1, table, table.replace(' a ', ' b '));
    await withClickHouse(url, async (clickhouse) => {
      const { log } = keptLog();
      await assert.rejects(migrate(clickhouse, {}, log, [broken]));
      await migrate(clickhouse, {}, log, [whole]);
      await migrate(clickhouse, {}, log, [whole, next(2, table.replace(' a ', ' c '))]);
    });
    assert.deepEqual(ran, ['m1', 'm1', 'm2']);
    assert.deepEqual(await ask(url, 'SELECT number, name FROM schema_migrations ORDER BY number'), [
      [1, 'm1'],
      [2, 'm2'],
    ]);
  });

  it('refuse a schema of a newer program, in one line', async () => {
    const url = await database('newer');
    const newer = { number: 99, name: 'of later', statements: () => [] };
    await withClickHouse(url, (clickhouse) => migrate(clickhouse, {}, keptLog().log, [newer]));
    await assert.rejects(
      openStore(url),
      (error: unknown) =>
        error instanceof CannotOpen &&
        /^the database newer has schema 99, and this program knows schemas up to \d+: .*$/.test(
          error.message,
        ),
    );
  });

  it('take what nodes of the release before wrote, and write beside', async () => {
    const url = await database('before');
    const hour = 3_600_000_000_000n;
    const now = BigInt(Date.now()) * 1_000_000n;
    const [first] = migrations;
    await withClickHouse(url, (clickhouse) => migrate(clickhouse, {}, keptLog().log, [first!]));
    const written = (stream: string, version: bigint) =>
      withClickHouse(url, (clickhouse) =>
        clickhouse.command({
          text: `INSERT INTO samples (workspace, topic, stream, parameter, kind, timestamp, number, version)
VALUES ('w', 'topic', '${stream}', 'p', 'numeric', 0, 1, ${version})`,
          params: {},
        }),
      );
    await written('ahead', now + hour);
    await written('right', now);
    const store = await openStore(url);
    try {
      await written('beside', now + 1n);
      for (const streamId of ['ahead', 'right']) await store.append(rowsOf(streamId, numbers(0n, [2])));
      assert.deepEqual(await ask(url, 'SELECT stream, number FROM samples FINAL ORDER BY stream'), [
        ['ahead', 2],
        ['beside', 1],
        ['right', 2],
      ]);
      const found = await store.catalog.streams('w', {}, Date.now());
      const createdAt = new Map(found.map((one) => [one.streamId, one.createdAt]));
      assert.deepEqual(
        ['ahead', 'right', 'beside'].map((id) => createdAt.get(id)),
        [now + hour, now, now + 1n].map((ns) => Number(ns / 1_000_000n)),
      );
      for (const { lastUpdate } of found) assert.ok(lastUpdate <= Date.now() + 1000);
    } finally {
      await store.close();
    }
  });

  it('give windows of an earlier form the columns that they lack, and answer from both forms', async () => {
    const url = await database('earlier');
    const run = (text: string) =>
      withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));
    const earlier = migrations.filter(({ number }) => number <= 7);
    await withClickHouse(url, (clickhouse) => migrate(clickhouse, {}, keptLog().log, earlier));
    await run('ALTER TABLE windows DROP COLUMN scaled');
    await run(`INSERT INTO windows (workspace, topic, stream, parameter, kind, level, window, first, last, count, bytes, version, pieces, times, numbers)
VALUES ('w', 'topic', 's', 'p', 'numeric', 10, 0, 1, 3, 2, 16, 1, [('[]', 1, 3, 1, 2)], [1, 3], [10, 20])`);
    const store = await openStore(url, { writesWindows: true, fewValues: 0 });
    try {
      await store.append(rowsOf('s', numbers(5n, [30, 40])));
      const sums = async () => {
        const query = { parameters: [{ kind: Kind.Numeric, name: 'p', aggregation: 'Sum' as const }] };
        const rows: unknown[] = [];
        for await (const { columns } of store.aggregate(planQuery('w', query) as AggregatePlan, never)) {
          const [column] = columns;
          if (column?.kind === Kind.Numeric) rows.push(...column.values);
        }
        return rows;
      };
      assert.deepEqual(await sums(), [100]);
      await run('OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await sums(), [100]);
    } finally {
      await store.close();
    }
  });

  it('make anew what they replace, once', async () => {
    const url = await database('replaced');
    const of = (number: number, ...statements: string[]): Migration => ({
      number,
      name: `m${number}`,
      statements: () => statements,
    });
    const first = of(1, 'CREATE VIEW IF NOT EXISTS v AS SELECT 1');
    const second = of(2, 'CREATE OR REPLACE VIEW v AS SELECT 2');
    await withClickHouse(url, async (clickhouse) => {
      const { log } = keptLog();
      await migrate(clickhouse, {}, log, [first]);
      await migrate(clickhouse, {}, log, [first, second]);
      assert.deepEqual(await ask(url, 'SELECT * FROM v'), [[2]]);
      await migrate(clickhouse, {}, log, [first, of(2, 'CREATE OR REPLACE VIEW v AS SELECT 3')]);
      assert.deepEqual(await ask(url, 'SELECT * FROM v'), [[2]]);
    });
  });

  it('make a database with any name', async () => {
    const name = 'a`b \\ "c\' é';
    const url = engine.urlOf(encodeURIComponent(name));
    const store = await openStore(url);
    assert.deepEqual(await ask(url, 'SELECT currentDatabase()'), [[name]]);
    await store.close();
  });

  it('make tables sync as the setting says', async () => {
    const url = engine.urlOf('durable');
    const store = await openStore(url, { durability: 'synced' });
    const unsynced = `SELECT name FROM system.tables WHERE database = currentDatabase()
      AND engine LIKE '%MergeTree' AND NOT (engine_full LIKE '%fsync_after_insert = 1%'
      AND engine_full LIKE '%fsync_part_directory = 1%')`;
    assert.deepEqual(await ask(url, unsynced), []);
    const { lines, log } = keptLog();
    await withClickHouse(url, (clickhouse) => setDurability(clickhouse, {}, 'synced', log));
    assert.deepEqual(lines, []);
    await withClickHouse(url, (clickhouse) => setDurability(clickhouse, {}, 'cached', log));
    assert.equal((await ask(url, unsynced)).length, 11);
    await store.close();
  });

  it('say when the server refuses the user', async () => {
    const stranger = engine.url.replace(/\/\/.*@/, '//stranger:wrong@');
    await assert.rejects(openStore(stranger), (error: unknown) => {
      return error instanceof CannotOpen && error.message.startsWith('ClickHouse refuses its user');
    });
  });
});

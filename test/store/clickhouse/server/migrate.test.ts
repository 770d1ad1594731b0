import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CannotOpen } from '../../../../src/store/cannot-open.ts';
import { migrate, migrations, setDurability } from '../../../../src/store/clickhouse/server/migrate.ts';
import type { Migration } from '../../../../src/store/clickhouse/server/schema.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { ask, keptLog, openStore, withClickHouse } from '../open-store.ts';

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
      'readings',
      'schema_migrations',
      'stream_touches',
      'streams',
      'tokens',
      'topics',
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

  it('refuse a schema of another version, in one line', async () => {
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
    assert.equal((await ask(url, unsynced)).length, 9);
    await store.close();
  });

  it('say when the server refuses the user', async () => {
    const stranger = engine.url.replace(/\/\/.*@/, '//stranger:wrong@');
    await assert.rejects(openStore(stranger), (error: unknown) => {
      return error instanceof CannotOpen && error.message.startsWith('ClickHouse refuses its user');
    });
  });
});

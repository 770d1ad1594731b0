import { CannotOpen } from '../../cannot-open.ts';
import { type ClickHouse, connectClickHouse } from './client.ts';
import { codeOf } from './client-errors.ts';
import { ddlSettings } from './cluster-ddl.ts';
import { onCluster, type Topology } from './schema.ts';
import type { Servers } from './servers.ts';
import { name, print, sql } from './sql.ts';

const unknownDatabase = 81;

/** Makes the database if it is not there. */
export async function openDatabase(clickhouse: Servers, topology: Topology): Promise<void> {
  try {
    await clickhouse.command({ text: 'SELECT 1', params: {} });
  } catch (error) {
    if (codeOf(error) !== unknownDatabase) throw error;
    const server = connectClickHouse({ url: clickhouse.url, database: 'default' });
    try {
      await makeDatabase(server, clickhouse.database, topology);
    } finally {
      await server.close();
    }
  }
}

/** Makes the database on every server that has none. */
export async function makeDatabase(
  clickhouse: Pick<ClickHouse, 'command'>,
  database: string,
  topology: Topology,
): Promise<void> {
  const text = `CREATE DATABASE IF NOT EXISTS ${name(database).texts[0]}${onCluster(topology)}`;
  await clickhouse.command({ text, params: {} }, { settings: ddlSettings(topology) });
}

/** Throws CannotOpen where the server is too old: it lacks a setting without which statements may see values twice (`oneSnapshot`). */
export async function checkVersion(clickhouse: Pick<ClickHouse, 'rows'>): Promise<void> {
  const [row] = await clickhouse.rows<[version: string, count: string]>(
    print(
      sql`SELECT version(), count() FROM system.settings WHERE name = 'enable_shared_storage_snapshot_in_query'`,
    ),
  );
  const [version, count] = row!;
  if (count === '0') throw new CannotOpen(`ClickHouse must be 25.12 or newer, and this server is ${version}`);
}

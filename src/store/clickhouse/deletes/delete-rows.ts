import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan.ts';
import { noFirst } from '../catalog/arrivals.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import type { KeptTimes } from '../catalog/registry.ts';
import { hiddenStreams, isSoftDeleted, isThere, keptFromOf } from '../catalog/visibility.ts';
import type { TableWriter } from '../insert/table-writer.ts';
import { streamsInScope } from '../read/selection-sql.ts';
import { deleteSettings } from '../server/delete-settings.ts';
import { insertFound } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';
import { every, param, print, type Sql, sql } from '../server/sql.ts';
import { leadOf, type VersionClock } from '../server/version-clock.ts';
import { hideValues, type MeantValues, meantValues } from './hide-values.ts';
import { rowTaker } from './take-rows.ts';
import { meantBy, type ToldDelete, toldRow } from './told-deletes.ts';

export interface RowDeleterOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly writer: Pick<TableWriter, 'insertRows'>;
  readonly clock: Pick<VersionClock, 'stamp' | 'reading'>;
  /** Lets the clock see the newest versions of values in scope. */
  readonly look: (scope: readonly Sql[]) => Promise<void>;
  readonly keptTimes: (workspace: string) => KeptTimes | undefined;
}

/** So many tag sets are named by themselves; of more, the filters select them again where rows are deleted. */
const maxTagSets = 1000;

/**
 * Takes values of selected rows away for good and counts the rows that lose one. What was written after the call
 * stays: its version is larger. Bounds of streams come from the rows that are left.
 */
export function rowDeleter(
  options: RowDeleterOptions,
): (selection: Selection, parameters?: readonly ParameterKey[]) => Promise<number> {
  const { clickhouse, topology, writer, clock } = options;
  const takeFrom = rowTaker({ clickhouse, topology });
  const insert = (statement: Sql) => insertFound(options, statement);

  return async (selection, parameters) => {
    const { workspace, from, to, tagFilters } = selection;
    const inScope = streamsInScope(selection);
    await options.look(inScope);
    const stamp = clock.stamp();
    const version = param(stamp.version, 'UInt64');
    const hidden = await clickhouse.rows<[topic: string, stream: string]>(
      print(hiddenStreams(workspace, selection)),
    );
    const told: ToldDelete = { selection, parameters, hidden, version: stamp.version };
    const meant = meantBy(told);
    const { series } = meant;
    const conditions = [
      ...series,
      sql`timestamp BETWEEN ${param(from, 'Int64')} AND ${param(to, 'Int64')}`,
      sql`version <= ${version}`,
    ];
    if (tagFilters.length > 0) conditions.push(await withTags(conditions, meant.tags));
    const deleted = await countRows(conditions, meant, options.keptTimes(workspace));
    if (deleted > 0) {
      await writer.insertRows([toldRow(told, 0n)]);
      await insert(hideValues(meant, clock.reading()));
      await takeFrom('samples', every(conditions));
      await writer.insertRows([toldRow(told, clock.stamp().version)]);
    }
    // Streams stay as they are, but for when they were changed last.
    const changed = every([...inScope, isThere, sql`NOT ${isSoftDeleted}`]);
    if (leadOf(stamp.version, stamp.at) > 0n) {
      await insert(sql`INSERT INTO arrivals (workspace, topic, stream, first_at, change_at)
SELECT workspace, topic, stream, ${noFirst}, (${version}, ${param(stamp.at, 'UInt64')}) FROM streams FINAL WHERE ${changed}`);
    }
    await insert(sql`INSERT INTO streams (workspace, topic, stream, changed)
SELECT workspace, topic, stream, ${version} FROM streams FINAL WHERE ${changed}`);
    return deleted;
  };

  /**
   * The condition that rows have one of the selected tag sets. ClickHouse deletes in the background, with settings of
   * its own: what is decided by regular expressions and by reading numbers is decided here, once for all replicas.
   */
  async function withTags(conditions: readonly Sql[], filters: readonly Sql[]): Promise<Sql> {
    const found = await clickhouse.rows<[tags: string]>(
      print(sql`SELECT DISTINCT tags FROM samples WHERE ${every([...conditions, ...filters])}
LIMIT ${param(maxTagSets + 1, 'UInt64')}`),
      { settings: deleteSettings },
    );
    if (found.length > maxTagSets) return every(filters);
    const tags = found.map(([text]) => text);
    return sql`tags IN ${param(tags, 'Array(String)')}`;
  }

  async function countRows(
    conditions: readonly Sql[],
    meant: MeantValues,
    kept: KeptTimes | undefined,
  ): Promise<number> {
    const isKept = kept === undefined ? sql`true` : sql`timestamp >= ${keptFromOf(sql`topic`, kept)}`;
    const [row] = await clickhouse.rows<[count: string]>(
      print(sql`SELECT count() FROM (
  SELECT 1 FROM (
    SELECT topic, stream, timestamp, tags FROM samples WHERE ${every(conditions)}
    UNION ALL ${meantValues(meant)}
  ) WHERE ${isKept} GROUP BY topic, stream, timestamp, tags)`),
      { settings: deleteSettings },
    );
    return Number(row?.[0] ?? 0);
  }
}

import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { noFirst } from '../catalog/arrivals.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import type { RetainedTimes } from '../catalog/registry.ts';
import { namedStreams } from '../catalog/stream-scope.ts';
import { hiddenStreams, isSoftDeleted, isThere, retainedFromOf } from '../catalog/visibility.ts';
import { ofParameters, streamsInScope } from '../read/selection-sql.ts';
import { tagConditions } from '../read/tag-sql.ts';
import { deleteSettings } from '../server/delete-settings.ts';
import { insertFound } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';
import { every, param, print, type Sql, sql } from '../server/sql.ts';
import { leadOf, type VersionClock } from '../server/version-clock.ts';
import { hideValues, type MeantValues, meantValues } from './hide-values.ts';

export interface RowDeleterOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly clock: Pick<VersionClock, 'stamp' | 'reading'>;
  /** Lets the clock see the newest versions of values in scope. */
  readonly look: (scope: readonly Sql[]) => Promise<void>;
  readonly retainedTimes: (workspace: string) => RetainedTimes | undefined;
}

/**
 * Takes values of selected rows away for good and counts the rows that lose one. What was written after the call
 * stays: its version is larger. Bounds of streams come from the rows that are left.
 */
export function rowDeleter(
  options: RowDeleterOptions,
): (selection: Selection, parameters?: readonly ParameterKey[]) => Promise<number> {
  const { clickhouse, clock } = options;
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
    const meant: MeantValues = {
      series: [
        ...inScope,
        parameters === undefined ? sql`kind != 'event'` : ofParameters(parameters),
        // What was soft-deleted is left alone.
        ...(hidden.length > 0
          ? [sql`NOT ${namedStreams(hidden.map(([topic, stream]) => ({ topic, stream })))}`]
          : []),
      ],
      from,
      to,
      version: stamp.version,
      tags: tagConditions(tagFilters),
    };
    const deleted = await countRows(meant, options.retainedTimes(workspace));
    if (deleted > 0) await insert(hideValues(meant, clock.reading()));
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

  async function countRows(meant: MeantValues, kept: RetainedTimes | undefined): Promise<number> {
    const isKept = kept === undefined ? sql`true` : sql`timestamp >= ${retainedFromOf(sql`topic`, kept)}`;
    const [row] = await clickhouse.rows<[count: string]>(
      print(sql`SELECT count() FROM (
  SELECT 1 FROM (${meantValues(meant)}) WHERE ${isKept} GROUP BY topic, stream, timestamp, tags)`),
      { settings: deleteSettings },
    );
    return Number(row?.[0] ?? 0);
  }
}

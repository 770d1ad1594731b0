import { namedWorkspaces } from '../catalog/stream-scope.ts';
import type { ClickHouse } from '../client.ts';
import type { Topology } from '../schema.ts';
import { every, param, print, type Sql, sql } from '../sql.ts';
import { deleteFrom, deleteSettings, ownTable } from './delete-settings.ts';

/**
 * Removals for good. What says so is a mark, written first: a row of `streams` with `removed`, or of `workspaces`.
 * From then on nothing shows that is not newer, and here it is taken out of the tables. A removal that was interrupted
 * behind its mark is finished by the next start of any node; to be run again harms nothing.
 */
export interface Removals {
  /** Takes what the streams that were marked with this version had until then. */
  removeStreams(workspace: string, version: bigint): Promise<void>;
  /** Takes all that a workspace had up to a version. */
  removeWorkspace(workspace: string, version: bigint): Promise<void>;
  /** Finishes what was interrupted. */
  finish(): Promise<void>;
}

export function createRemovals(clickhouse: ClickHouse, topology: Topology): Removals {
  const run = (statement: Sql) => clickhouse.command(print(statement), { settings: deleteSettings });

  async function removeStreams(workspace: string, version: bigint): Promise<void> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
    const until = param(version, 'UInt64');
    const marked = sql`(topic, stream) IN (
  SELECT topic, stream FROM ${ownTable(topology, 'streams')} WHERE ${inWorkspace} AND removed = ${until})`;
    const older = every([inWorkspace, marked, sql`version <= ${until}`]);
    await run(deleteFrom(topology, 'samples', older));
    await run(deleteFrom(topology, 'definitions', older));
    // The mark itself stays for a day. A row that a later write was merged into stays too.
    const isOld = sql`${newestOfStream} <= ${until} AND (touched > 0 OR removed < ${until})`;
    await run(deleteFrom(topology, 'streams', every([inWorkspace, marked, isOld])));
  }

  async function removeWorkspace(workspace: string, version: bigint): Promise<void> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
    const until = param(version, 'UInt64');
    const older = every([inWorkspace, sql`version <= ${until}`]);
    await run(deleteFrom(topology, 'samples', older));
    await run(deleteFrom(topology, 'definitions', older));
    await run(
      deleteFrom(
        topology,
        'streams',
        every([inWorkspace, sql`greatest(${newestOfStream}, removed) <= ${until}`]),
      ),
    );
    await run(deleteFrom(topology, 'tokens', older));
    const isOldTopic = sql`tupleElement(name, 'version') <= ${until}`;
    await run(deleteFrom(topology, 'topics', every([inWorkspace, isOldTopic])));
  }

  async function finish(): Promise<void> {
    // What was there before the mark is still there.
    const marked = await clickhouse.rows<[workspace: string, version: string]>(
      print(
        sql`SELECT DISTINCT workspace, removed FROM streams FINAL WHERE removed > 0 AND created <= removed`,
      ),
    );
    for (const [workspace, version] of marked) await removeStreams(workspace, BigInt(version));
    const removed = await clickhouse.rows<[name: string, version: string]>(
      print(sql`SELECT name, version FROM workspaces FINAL WHERE removed = 1`),
    );
    if (removed.length === 0) return;
    const names = namedWorkspaces(removed.map(([name]) => name));
    const left = await clickhouse.rows<[workspace: string]>(
      print(sql`SELECT DISTINCT workspace FROM streams WHERE ${names}
UNION DISTINCT SELECT DISTINCT workspace FROM topics WHERE ${names}
UNION DISTINCT SELECT DISTINCT workspace FROM tokens WHERE ${names}`),
    );
    for (const [name, version] of removed) {
      if (left.some(([workspace]) => workspace === name)) await removeWorkspace(name, BigInt(version));
    }
  }

  return { removeStreams, removeWorkspace, finish };
}

/** The newest version of what a row of `streams` says, its removal left aside. */
const newestOfStream = sql`greatest(touched, changed, tupleElement(closed, 'version'), tupleElement(hidden, 'version'), tupleElement(properties, 'version'))`;

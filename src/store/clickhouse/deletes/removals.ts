import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { workspaceRow } from '../catalog/change-rows.ts';
import { newestOfStream } from '../catalog/newest-versions.ts';
import type { Registry } from '../catalog/registry.ts';
import { type StreamRow, streamRow } from '../catalog/table-rows.ts';
import type { TableWriter } from '../insert/table-writer.ts';
import { changesLastNs, ownTable } from '../server/delete-settings.ts';
import { insertFound } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';
import { every, param, print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { hideValues } from './hide-values.ts';
import type { Rechecks } from './rechecks.ts';
import { alertsForgetter } from './removed-alerts.ts';
import { hasRows, rowTaker } from './take-rows.ts';

/**
 * Removals for good. What says so is a mark, written first: a row of `streams` with `removed`, or of `workspaces`.
 * From then on nothing shows that is not newer, and here it is taken out of the tables. What nodes wrote to a workspace
 * before they knew that it is removed is taken by rechecks. A removal that was interrupted after its mark was written is
 * finished by the next start of any node; to be run again harms nothing.
 */
export interface Removals {
  /** Takes what the streams that were marked with this version had until then. */
  removeStreams(workspace: string, version: bigint): Promise<void>;
  /** Marks a workspace as removed, also for this node, and takes all that it has. */
  removeWorkspace(name: string): Promise<void>;
  /** Finishes what was interrupted; forgets old marks. */
  finish(): Promise<void>;
  /** Of that, what alert rules know of streams: one that is written to again must begin anew. */
  forgetAlerts(): Promise<void>;
}

export interface RemovalsOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly writer: Pick<TableWriter, 'insertRows'>;
  readonly registry: Registry;
  readonly clock: Pick<VersionClock, 'next' | 'stamp'>;
  /** Lets the clock see the newest versions of all that there is. */
  readonly refresh: () => Promise<void>;
  readonly rechecks: Pick<Rechecks, 'plan'>;
}

export function createRemovals(options: RemovalsOptions): Removals {
  return new StreamRemovals(options);
}

class StreamRemovals implements Removals {
  readonly #options: RemovalsOptions;
  /** Takes rows out of a table. */
  readonly #takeFrom;
  readonly #forgetAlertsOf;

  constructor(options: RemovalsOptions) {
    this.#options = options;
    this.#takeFrom = rowTaker({ clickhouse: options.clickhouse, topology: options.topology });
    this.#forgetAlertsOf = alertsForgetter(options);
  }

  readonly removeWorkspace = async (workspace: string): Promise<void> => {
    await this.#options.refresh();
    const { version, at } = this.#options.clock.stamp();
    const made = { name: workspace, createdAt: Number(at / 1_000_000n) };
    await this.#options.writer.insertRows([
      workspaceRow(this.#options.registry.workspace(workspace) ?? made, version, true),
    ]);
    this.#options.registry.putWorkspace({ name: workspace, version, workspace: undefined });
    this.#options.rechecks.plan('removed workspaces', this.#clearRemoved);
    await this.#clear(workspace, this.#options.clock.next());
  };

  /** Takes what workspaces that are removed have all the same: it was on its way, or came from nodes that did not know. */
  readonly #clearRemoved = async (): Promise<void> => {
    // One that is being made again, which is not seen here yet, may already have newer rows.
    const settled = this.#options.clock.next() - insertsLastNs;
    const removed = await this.#options.clickhouse.rows<[name: string, version: string]>(
      print(sql`SELECT name, version FROM workspaces FINAL WHERE removed = 1`),
    );
    if (removed.length === 0) return;
    const versions = new Map(removed.map(([name, version]) => [name, BigInt(version)]));
    const isRemoved = sql`workspace IN ${param([...versions.keys()], 'Array(String)')}`;
    const left = await this.#options.clickhouse.rows<[workspace: string]>(
      print(
        sql`SELECT DISTINCT workspace FROM streams WHERE ${isRemoved}
UNION DISTINCT SELECT DISTINCT workspace FROM topics WHERE ${isRemoved}
UNION DISTINCT SELECT DISTINCT workspace FROM tokens WHERE ${isRemoved}
UNION DISTINCT SELECT DISTINCT workspace FROM kept WHERE ${isRemoved}`,
      ),
    );
    for (const [workspace] of left) {
      const mark = versions.get(workspace)!;
      await this.#clear(workspace, mark > settled ? mark : settled);
    }
  };

  async removeStreams(workspace: string, version: bigint): Promise<void> {
    this.#options.rechecks.plan(JSON.stringify(['streams', workspace]), () => this.#finishStreams(workspace));
    await this.#options.refresh();
    await this.#forgetAlertsOf(workspace);
    await this.#takeStreams(workspace, version);
  }

  async finish(): Promise<void> {
    this.#options.rechecks.plan('removed streams', () => this.#finishStreams());
    this.#options.rechecks.plan('removed workspaces', this.#clearRemoved);
    await this.#finishStreams();
    // Marks are needed while rows that are not newer may be on their way, or a removal is to be finished. One that was
    // merged with what was said of the stream later, but not with the write that brought it back, stays.
    const isBare = sql`removed > 0 AND touched = 0 AND ${newestOfStream} <= removed`;
    const isOld = sql`removed < ${param(this.#options.clock.next() - changesLastNs, 'UInt64')}`;
    await this.#takeFrom('streams', every([isBare, isOld]));
    await this.#clearRemoved();
  }

  async forgetAlerts(): Promise<void> {
    for (const { name } of this.#options.registry.workspaces()) await this.#forgetAlertsOf(name);
  }

  async #takeStreams(workspace: string, version: bigint): Promise<void> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
    const until = param(version, 'UInt64');
    const isMarked = sql`${inWorkspace} AND removed = ${until}`;
    const marked = sql`(topic, stream) IN (
  SELECT topic, stream FROM ${ownTable(this.#options.topology, 'streams')} WHERE ${isMarked})`;
    await this.#takeOlder([inWorkspace, marked], version);
    // A row that a later write was merged into stays.
    const isOld = sql`${newestOfStream} <= ${until} AND (touched > 0 OR removed < ${until})`;
    const old = every([inWorkspace, marked, isOld]);
    if (!(await hasRows(this.#options.clickhouse, 'streams', old))) return;
    const names = await this.#options.clickhouse.rows<[topic: string, stream: string]>(
      print(sql`SELECT DISTINCT topic, stream FROM streams WHERE ${isMarked}`),
    );
    await this.#takeFrom('streams', old);
    // A mark that was merged into what is old went with it, and is needed for what may still be on its way.
    await markStreams(this.#options.writer, workspace, names, { removed: version });
  }

  /** Takes what some streams had up to a version, but for the rows of `streams`. */
  async #takeOlder(ofStreams: readonly Sql[], version: bigint): Promise<void> {
    const until = param(version, 'UInt64');
    const older = every([...ofStreams, sql`version <= ${until}`]);
    await this.#takeFrom('windows', every([older, sql`deleted <= ${until}`]));
    // A window that a later write was merged into stays: of it the older values are hidden.
    if (await hasRows(this.#options.clickhouse, 'windows', every(ofStreams))) {
      const all = { series: ofStreams, from: minTimestamp, to: maxTimestamp, version, tags: [] };
      await insertFound(this.#options, hideValues(all, this.#options.clock.next()));
    }
    await this.#takeFrom('definitions', older);
    const newest = sql`greatest(tupleElement(last_at, 'version'), tupleElement(change_at, 'version'), tupleElement(removal_at, 'version'))`;
    await this.#takeFrom('arrivals', every([...ofStreams, sql`${newest} <= ${until}`]));
  }

  /** Takes what a removed workspace had up to a version. */
  async #clear(workspace: string, version: bigint): Promise<void> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
    const until = param(version, 'UInt64');
    const older = every([inWorkspace, sql`version <= ${until}`]);
    const isOldStream = sql`greatest(${newestOfStream}, removed) <= ${until}`;
    const isOldTopic = sql`greatest(tupleElement(name, 'version'), tupleElement(retention, 'version')) <= ${until}`;
    await this.#takeOlder([inWorkspace], version);
    await this.#takeFrom('streams', every([inWorkspace, isOldStream]));
    await this.#takeFrom('tokens', older);
    await this.#takeFrom('kept', older);
    await this.#takeFrom('topics', every([inWorkspace, isOldTopic]));
  }

  /** Takes what was there before its mark and is still there, or has come since; of one workspace or of all. */
  async #finishStreams(workspace?: string): Promise<void> {
    if (workspace === undefined) await this.forgetAlerts();
    else await this.#forgetAlertsOf(workspace);
    const conditions = [sql`removed > 0 AND created <= removed`];
    if (workspace !== undefined) conditions.push(sql`workspace = ${param(workspace, 'String')}`);
    const marked = await this.#options.clickhouse.rows<[workspace: string, version: string]>(
      print(sql`SELECT DISTINCT workspace, removed FROM streams FINAL WHERE ${every(conditions)}`),
    );
    for (const [name, version] of marked) await this.#takeStreams(name, BigInt(version));
  }
}

/** The most streams that one block marks: all of them or none. */
const maxAtOnce = 50_000;

/** Writes a row of `streams` for each of some streams. Of more than are marked at once a failure may leave some. */
export async function markStreams(
  writer: Pick<TableWriter, 'insertRows'>,
  workspace: string,
  streams: readonly (readonly [topic: string, stream: string, ...unknown[]])[],
  said: Pick<StreamRow, 'removed' | 'hidden'>,
): Promise<void> {
  for (let from = 0; from < streams.length; from += maxAtOnce) {
    const some = streams.slice(from, from + maxAtOnce);
    await writer.insertRows(some.map(([topic, stream]) => streamRow({ workspace, topic, stream, ...said })));
  }
}

/** An insert is tried for a minute, and its last attempt has its own time. */
const insertsLastNs = 100_000_000_000n;

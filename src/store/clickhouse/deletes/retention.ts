import { minTimestamp } from '../../../domain/timestamp.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { keptFromOf } from '../catalog/kept-times.ts';
import type { Registry } from '../catalog/registry.ts';
import { foldTopic } from '../catalog/stream-scope.ts';
import { mutableTable, type Topology } from '../schema.ts';
import { every, param, print, type Sql, sql } from '../sql.ts';
import { deleteFrom, deleteSettings, trusted } from './delete-settings.ts';

export interface RetentionOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly registry: Registry;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** Told of a second look that failed. */
  readonly onFailure?: (error: unknown) => void;
}

/** By then every node knows a new retention, and what it wrote with the old one has arrived. */
const knownByAllMs = 10_000;

/**
 * Makes the retention of a topic, or of all topics of a workspace, hold for the rows that are there. Reads leave
 * expired rows out by themselves; so that the bounds of streams are right as well, those that are expired now are
 * deleted before this resolves. Later ones go by the tables' TTL, for which each row says its own retention: rows that
 * are there are told the new one by a mutation, which ClickHouse runs in its own time. A second look a little later
 * takes those that other nodes wrote before they knew it.
 */
export type RetentionChange = (workspace: string, topic: string | undefined) => Promise<void>;

export function retentionChanger(options: RetentionOptions): RetentionChange {
  const { clickhouse, topology, registry, clock } = options;
  const run = (statement: Sql) => clickhouse.command(print(statement), { settings: deleteSettings });

  async function apply(workspace: string, topic: string | undefined): Promise<void> {
    const inScope = [sql`workspace = ${param(workspace, 'String')}`];
    if (topic !== undefined) inScope.push(sql`topic = ${param(foldTopic(topic), 'String')}`);
    const topics = await clickhouse.rows<[topic: string, retention: string]>(
      print(sql`SELECT DISTINCT topic, retention FROM samples WHERE ${every(inScope)}`),
    );
    const changed = topics.filter(
      ([name, before]) => (registry.retention(workspace, name) ?? 0n) !== BigInt(before),
    );
    if (changed.length === 0) return;
    const names = [...new Set(changed.map(([name]) => name))];
    const affected = every([...inScope, sql`topic IN ${param(names, 'Array(String)')}`]);
    const kept = registry.keptTimes(workspace, clock());
    if (kept !== undefined) {
      const oldest = keptFromOf(sql`topic`, kept);
      await run(deleteFrom(topology, 'samples', every([affected, sql`timestamp < ${oldest}`])));
    }
    const retentions = names.map((name) => registry.retention(workspace, name) ?? 0n);
    const retention = keptFromOf(sql`topic`, {
      topics: new Map(names.map((name, i) => [name, retentions[i]!])),
      others: minTimestamp,
    });
    await clickhouse.command(
      print(sql`ALTER TABLE ${trusted(mutableTable(topology, 'samples'))}
UPDATE retention = ${retention} WHERE ${affected} AND retention != ${retention}`),
      { settings: { ...deleteSettings, mutations_sync: '0' } },
    );
  }

  return async (workspace, topic) => {
    await apply(workspace, topic);
    setTimeout(() => {
      apply(workspace, topic).catch((error: unknown) => options.onFailure?.(error));
    }, knownByAllMs).unref();
  };
}

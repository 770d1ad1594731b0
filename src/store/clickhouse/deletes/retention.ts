import { minTimestamp } from '../../../domain/timestamp.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import type { Registry } from '../catalog/registry.ts';
import { keptFromOf } from '../catalog/visibility.ts';
import { ddlSettings } from '../cluster-ddl.ts';
import { mutableTable, type Topology } from '../schema.ts';
import { every, param, print, sql } from '../sql.ts';
import { changesLastNs, deleteSettings, trusted } from './delete-settings.ts';
import type { ExpiryClock } from './expiry-clock.ts';
import type { Rechecks } from './rechecks.ts';
import { rowTaker } from './take-rows.ts';

export interface RetentionOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly registry: Registry;
  readonly clock: Pick<ExpiryClock, 'nowMs' | 'isHeld'>;
  readonly rechecks: Pick<Rechecks, 'plan'>;
}

/**
 * Makes the retention of a topic, or of all topics of a workspace, hold for the rows that are there. Reads leave
 * expired rows out by themselves; so that the bounds of streams are right as well, those that are expired now are
 * deleted before this resolves. Later ones go by the tables' TTL, for which each row says its own retention: rows that
 * are there are told the new one by a mutation, which ClickHouse runs in its own time. Rechecks take those that
 * other nodes wrote before they knew it.
 */
export interface Retentions {
  /** A retention is another one now. */
  changed(workspace: string, topic: string | undefined): Promise<void>;
  /** Looks after the changes of a day, for nodes that made them and stopped. */
  finish(): Promise<void>;
  /** Makes all retentions hold, however old they are. */
  all(): Promise<void>;
}

export function createRetentions(options: RetentionOptions): Retentions {
  const { clickhouse, topology, registry, clock, rechecks } = options;
  const takeFrom = rowTaker({ clickhouse, topology });

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
    const kept = registry.keptTimes(workspace, clock.nowMs());
    if (kept !== undefined) {
      const oldest = keptFromOf(sql`topic`, kept);
      await takeFrom('samples', every([affected, sql`timestamp < ${oldest}`]));
    }
    // To be told of a retention makes ClickHouse look which rows are expired, by its own clock.
    if (clock.isHeld()) return;
    const retentions = names.map((name) => registry.retention(workspace, name) ?? 0n);
    const retention = keptFromOf(sql`topic`, {
      topics: new Map(names.map((name, i) => [name, retentions[i]!])),
      others: minTimestamp,
    });
    await clickhouse.command(
      print(sql`ALTER TABLE ${trusted(mutableTable(topology, 'samples'))}
UPDATE retention = ${retention} WHERE ${affected} AND retention != ${retention}`),
      { settings: { ...deleteSettings, ...ddlSettings(topology), mutations_sync: '0' } },
    );
  }

  /** The same for all that was changed since a time (ns). */
  async function applyChanges(from: bigint): Promise<void> {
    const since = param(from, 'UInt64');
    const changed = await clickhouse.rows<[workspace: string, topic: string | null]>(
      print(sql`SELECT workspace, toNullable(topic) FROM topics FINAL WHERE tupleElement(retention, 'version') > ${since}
UNION ALL SELECT name, NULL FROM workspaces FINAL WHERE removed = 0 AND version > ${since}`),
    );
    for (const [workspace, topic] of changed) await apply(workspace, topic ?? undefined);
  }

  const before = (lastNs: bigint) => BigInt(Math.floor(clock.nowMs())) * 1_000_000n - lastNs;

  return {
    async changed(workspace, topic) {
      rechecks.plan(JSON.stringify(['retention', workspace, topic]), () => apply(workspace, topic));
      await apply(workspace, topic);
    },
    async finish() {
      rechecks.plan('retentions', () => applyChanges(before(recentNs)));
      await applyChanges(before(changesLastNs));
    },
    all: () => applyChanges(0n),
  };
}

/** Of changes that are older at a start, all had come before it. */
const recentNs = 600_000_000_000n;

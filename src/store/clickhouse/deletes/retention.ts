import { minTimestamp } from '../../../domain/timestamp.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import type { Registry, RetainedTimes } from '../catalog/registry.ts';
import { retainedFromOf } from '../catalog/visibility.ts';
import { windowsForEver } from '../insert/window-block.ts';
import { ddlSettings } from '../server/cluster-ddl.ts';
import { changesLastNs, deleteSettings, trusted } from '../server/delete-settings.ts';
import { insertFound } from '../server/insert-settings.ts';
import { mutableTable, type Topology } from '../server/schema.ts';
import { every, param, print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import type { ExpiryClock } from './expiry-clock.ts';
import { hideValues } from './hide-values.ts';
import type { Rechecks } from './rechecks.ts';
import { rowTaker } from './take-rows.ts';

export interface RetentionOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly registry: Registry;
  readonly clock: Pick<ExpiryClock, 'nowMs' | 'isHeld'>;
  readonly versions: Pick<VersionClock, 'next'>;
  readonly rechecks: Pick<Rechecks, 'plan'>;
}

/**
 * Makes the retention of a topic, or of all topics of a workspace, hold for the rows that are there. Reads leave
 * expired rows out by themselves; so that the bounds of streams are right as well, those that are expired now are
 * deleted before this resolves. Later ones go by the table's TTL, for which each row says its own retention: rows that
 * are there are told the new one by a mutation, which ClickHouse runs in its own time. Rechecks take those that
 * other nodes wrote before they knew it.
 */
export interface Retentions {
  /**
   * A retention is about to be `age`. What is expired until then is deleted where that is longer: of a value that was replaced
   * ClickHouse may have taken the newer row and not the older one, which would show again.
   */
  changing(workspace: string, topic: string | undefined, age: bigint | undefined): Promise<void>;
  /** A retention is another one now. */
  changed(workspace: string, topic: string | undefined): Promise<void>;
  /** Looks after the changes of a day, for nodes that made them and stopped. */
  finish(): Promise<void>;
  /** Makes all retentions hold, however old they are. */
  all(): Promise<void>;
}

export function createRetentions(options: RetentionOptions): Retentions {
  const { clickhouse, topology, registry, clock, versions, rechecks } = options;
  const takeFrom = rowTaker({ clickhouse, topology });

  async function apply(workspace: string, topic: string | undefined): Promise<void> {
    const retentionOf = (name: string) => registry.retention(workspace, name) ?? windowsForEver;
    const inScope = scopeOf(workspace, topic);
    const topics = await clickhouse.rows<[topic: string, retention: string]>(
      print(sql`SELECT DISTINCT topic, retention FROM windows WHERE ${every(inScope)}`),
    );
    const changed = topics.filter(([topicName, before]) => retentionOf(topicName) !== BigInt(before));
    if (changed.length === 0) return;
    const names = [...new Set(changed.map(([topicName]) => topicName))];
    const affected = every([...inScope, sql`topic IN ${param(names, 'Array(String)')}`]);
    await takeExpired(workspace, inScope, names);
    // To be told of a retention makes ClickHouse look which rows are expired, by its own clock.
    if (clock.isHeld()) return;
    const retention = retainedFromOf(sql`topic`, {
      topics: new Map(names.map((topicName) => [topicName, retentionOf(topicName)])),
      others: minTimestamp,
    });
    await clickhouse.command(
      print(sql`ALTER TABLE ${trusted(mutableTable(topology, 'windows'))}
UPDATE retention = ${retention} WHERE ${affected} AND retention != ${retention}`),
      { settings: { ...deleteSettings, ...ddlSettings(topology), mutations_sync: '0' } },
    );
  }

  /** Takes what is expired of these topics. */
  async function takeExpired(
    workspace: string,
    inScope: readonly Sql[],
    topics: readonly string[],
  ): Promise<void> {
    const kept = registry.retainedTimes(workspace, clock.nowMs());
    if (kept === undefined) return;
    const isOf = sql`topic IN ${param(topics, 'Array(String)')}`;
    await takeFrom('windows', every([...inScope, isOf, sql`last < ${retainedFromOf(sql`topic`, kept)}`]));
    await hideExpired(inScope, topics, kept);
  }

  /** Of windows that are expired in part the expired values are hidden, so that their bounds are right. */
  async function hideExpired(
    inScope: readonly Sql[],
    topics: readonly string[],
    { topics: times, others }: RetainedTimes,
  ): Promise<void> {
    for (const topicName of topics) {
      const oldest = times.get(topicName) ?? others;
      if (oldest === minTimestamp) continue;
      const series = [...inScope, sql`topic = ${param(topicName, 'String')}`];
      const meant = { series, from: minTimestamp, to: oldest - 1n, version: versions.next(), tags: [] };
      await insertFound(options, hideValues(meant, meant.version));
    }
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
    async changing(workspace, topic, age) {
      const before =
        topic === undefined ? registry.workspace(workspace)?.retention : registry.retention(workspace, topic);
      if (before === undefined || (age !== undefined && age <= before)) return;
      const inScope = scopeOf(workspace, topic);
      const topics = await clickhouse.rows<[topic: string]>(
        print(sql`SELECT DISTINCT topic FROM windows WHERE ${every(inScope)}`),
      );
      const names = topics.map(([topicName]) => topicName);
      if (names.length > 0) await takeExpired(workspace, inScope, names);
    },
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

function scopeOf(workspace: string, topic: string | undefined): Sql[] {
  const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
  return topic === undefined
    ? [inWorkspace]
    : [inWorkspace, sql`topic = ${param(foldTopic(topic), 'String')}`];
}

/** Of changes that are older at a start, all had come before it. */
const recentNs = 600_000_000_000n;

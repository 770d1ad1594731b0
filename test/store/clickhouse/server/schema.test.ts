import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrations } from '../../../../src/store/clickhouse/server/migrate.ts';
import { checkCluster, engine, mutableTable } from '../../../../src/store/clickhouse/server/schema.ts';

const cluster = { cluster: 'tele-1' };

/** Statements by the table that they make, or by themselves. */
function printed(topology: { cluster?: string }): Map<string, string> {
  const statements = migrations.flatMap((migration) => migration.statements(topology));
  return new Map(statements.map((text) => [/^CREATE .*IF NOT EXISTS (\w+)/.exec(text)?.[1] ?? text, text]));
}

describe('the schema', () => {
  it('consists of statements that change nothing when they are run again', () => {
    for (const topology of [{}, cluster]) {
      for (const text of printed(topology).values()) {
        assert.match(text, /^CREATE (TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS\s/);
      }
    }
  });

  it('has plain tables on one server', () => {
    const tables = printed({});
    assert.match(tables.get('windows')!, /^ENGINE = AggregatingMergeTree\(\)$/m);
    assert.match(tables.get('streams')!, /^ENGINE = AggregatingMergeTree\(\)$/m);
    for (const text of tables.values()) assert.doesNotMatch(text, /ON CLUSTER|Replicated|Distributed|_local/);
    assert.equal(mutableTable({}, 'windows'), 'windows');
  });

  // The engine of the tests runs none of them as one of several servers: they are checked as text.
  it('has replicated tables under Distributed ones on a cluster, spread by stream', () => {
    const tables = printed(cluster);
    for (const text of tables.values()) assert.match(text, / ON CLUSTER `tele-1`/);
    assert.match(
      tables.get('windows_local')!,
      /^ENGINE = ReplicatedAggregatingMergeTree\('\/clickhouse\/tables\/\{shard\}\/\{database\}\/\{table\}', '\{replica\}'\)$/m,
    );
    assert.match(
      tables.get('windows')!,
      /AS windows_local\nENGINE = Distributed\('tele-1', currentDatabase\(\), windows_local, cityHash64\(workspace, topic, stream\)\)$/,
    );
    assert.match(tables.get('streams_local')!, /ReplicatedAggregatingMergeTree\(/);
    assert.match(tables.get('definitions')!, /Distributed/);
    assert.match(tables.get('stream_touches')!, /TO streams_local\n[\s\S]*FROM windows_local /);
    assert.equal(mutableTable(cluster, 'windows'), 'windows_local ON CLUSTER `tele-1`');
  });

  it('has what every node needs whole on every shard', () => {
    assert.equal(
      engine(cluster, 'tokens', 'Replacing', 'version'),
      "ReplicatedReplacingMergeTree('/clickhouse/tables/whole/{database}/{table}', '{shard}-{replica}', version)",
    );
    assert.doesNotMatch(printed(cluster).get('tokens')!, /Distributed/);
    assert.equal(mutableTable(cluster, 'tokens'), 'tokens');
  });

  it('takes no name of a cluster that would have to be quoted', () => {
    for (const name of ['', 'a`b', "a'b", 'a b', 'é', '1a', '{cluster}']) {
      assert.throws(() => checkCluster(name), TypeError);
    }
  });
});

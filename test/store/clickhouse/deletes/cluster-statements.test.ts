import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Asking } from '../../../../src/store/clickhouse/catalog/catalog-settings.ts';
import { createRegistry } from '../../../../src/store/clickhouse/catalog/registry.ts';
import { rowDeleter } from '../../../../src/store/clickhouse/deletes/delete-rows.ts';
import { createRemovals } from '../../../../src/store/clickhouse/deletes/removals.ts';
import { createRetentions } from '../../../../src/store/clickhouse/deletes/retention.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';

const topology = { cluster: 'many' };

/** The engine of the tests cannot run these statements, so they are looked at as text. */
function recorded() {
  const texts: string[] = [];
  /** Tables whose rows are gone: the next look finds none, one after that finds others. */
  const emptied = new Set<string>();
  const asking: Asking = {
    async command({ text }) {
      texts.push(text);
      const table = /^DELETE FROM (\w+?)(?:_local)? /.exec(text)?.[1];
      if (table !== undefined) emptied.add(table);
    },
    async rows<Row extends readonly unknown[]>({ text }: { readonly text: string }) {
      const looked = /^SELECT 1 FROM `(\w+)` WHERE/.exec(text)?.[1];
      if (looked !== undefined && emptied.delete(looked)) return [];
      const row = /DISTINCT topic, retention/.test(text) ? ['cars', '5'] : ['1'];
      return (/^SELECT count\(\)|SELECT 1 FROM|DISTINCT topic, retention/.test(text)
        ? [row]
        : []) as unknown as Row[];
    },
  };
  return { texts, asking };
}

describe('deletes on a cluster', () => {
  it('take rows where they are, on every shard', async () => {
    const { texts, asking } = recorded();
    const registry = createRegistry();
    const clock = versionClock({ nowMs: () => 7, isShared: true });
    const nothing = async () => undefined;
    const writer = { insertRows: nothing };
    const rechecks = { plan: () => undefined };
    const removals = createRemovals({
      clickhouse: asking,
      topology,
      writer,
      registry,
      clock,
      refresh: nothing,
      rechecks,
    });
    await removals.removeStreams('w', clock.next());
    await removals.removeWorkspace('w');
    const deleteRows = rowDeleter({
      clickhouse: asking,
      topology,
      clock,
      look: nothing,
      retainedTimes: () => undefined,
    });
    const selection = { workspace: 'w', streamIds: undefined, topic: 't', from: 0n, to: 1n, tagFilters: [] };
    assert.equal(await deleteRows(selection), 1);
    const retentions = createRetentions({
      clickhouse: asking,
      topology,
      registry,
      clock: { nowMs: () => 1, isHeld: () => false },
      versions: clock,
      rechecks,
    });
    await retentions.changed('w', 'Cars');
    const heads = texts.map((text) => /^[^\n(]*?(?= WHERE| \(|\n)/.exec(text)?.[0]);
    assert.deepEqual(heads, [
      'DELETE FROM windows_local ON CLUSTER `many`',
      'INSERT INTO windows',
      'DELETE FROM definitions_local ON CLUSTER `many`',
      'DELETE FROM arrivals_local ON CLUSTER `many`',
      'DELETE FROM streams_local ON CLUSTER `many`',
      'DELETE FROM windows_local ON CLUSTER `many`',
      'INSERT INTO windows',
      'DELETE FROM definitions_local ON CLUSTER `many`',
      'DELETE FROM arrivals_local ON CLUSTER `many`',
      'DELETE FROM streams_local ON CLUSTER `many`',
      'DELETE FROM tokens',
      'DELETE FROM kept',
      'DELETE FROM topics',
      'INSERT INTO windows',
      'INSERT INTO streams',
      'ALTER TABLE windows_local ON CLUSTER `many`',
    ]);
    assert.match(texts[0]!, /IN \(\s*SELECT topic, stream FROM streams_local WHERE/);
  });
});

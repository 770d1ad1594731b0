import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change } from '../../../../src/store/store.ts';
import { engineMissing } from '../../../clickhouse/engine.ts';
import { rowsOf } from '../../embedded/rows.ts';
import type { CatalogNode } from '../catalog/catalog-node.ts';
import { scratchDatabase } from '../catalog/scratch-database.ts';

const write = (node: CatalogNode, ...changes: Change[]) => node.append({ workspace: 'w', changes });
const rows = (streamId: string, time: bigint): Change => ({
  type: 'rows',
  topic: 'Cars',
  streamId,
  rows: [rowsOf([{ time, cells: { Speed: 1 } }])],
});

describe('removals in ClickHouse', { skip: engineMissing }, () => {
  const scratch = scratchDatabase();

  const countOf = async (node: CatalogNode, table: string) =>
    (await node.clickhouse.rows<[string]>({ text: `SELECT count() FROM ${table}`, params: {} }))[0]![0];

  it('take all that a stream had, and nothing that is written behind', async () => {
    const node = await scratch.node(await scratch.fresh());
    const definitions = [{ id: 'Speed', unit: 'km/h' }];
    await write(node, rows('gone', 1n), rows('stays', 1n));
    await write(
      node,
      { type: 'stream', topic: 'cars', streamId: 'gone', properties: { name: 'Old' } },
      { type: 'parameterDefinitions', topic: 'cars', streamId: 'gone', definitions },
    );
    scratch.now++;
    const filter = { streamIds: ['gone'] };
    await node.changeStreams({ workspace: 'w', action: 'hardDelete', filter, now: scratch.now });
    assert.equal(await countOf(node, 'samples'), '1');
    assert.equal(await countOf(node, 'definitions'), '0');
    assert.deepEqual(
      (await node.catalog.streams('w', {}, scratch.now)).map(({ streamId }) => streamId),
      ['stays'],
    );
    scratch.now++;
    const born = scratch.now;
    await write(node, rows('gone', 9n));
    const [again] = await node.catalog.streams('w', filter, scratch.now);
    assert.equal(again?.createdAt, born);
    assert.equal(again?.name, 'gone');
    assert.equal(again?.dataStart, 9n);
  });

  it('hold from their mark on, and are finished by the next start', async () => {
    const url = await scratch.fresh();
    const node = await scratch.node(url);
    await write(node, rows('gone', 1n), {
      type: 'stream',
      topic: 'cars',
      streamId: 'gone',
      properties: { name: 'Old', location: '/old' },
    });
    // A node that stops behind its mark.
    const removed = String(BigInt(scratch.now + 1) * 1_000_000n);
    await node.clickhouse.command({
      text: `INSERT INTO streams (workspace, topic, stream, removed) VALUES ('w', 'cars', 'gone', ${removed})`,
      params: {},
    });
    scratch.now += 2;
    assert.deepEqual(await node.catalog.streams('w', {}, scratch.now), []);
    assert.equal(await node.catalog.hasStream('w', 'cars', 'gone'), false);
    await write(node, { type: 'stream', topic: 'cars', streamId: 'gone' });
    const [again] = await node.catalog.streams('w', {}, scratch.now);
    assert.deepEqual([again?.name, again?.location, again?.createdAt], ['gone', '/', scratch.now - 1]);
    await node.finishRemovals();
    assert.equal(await countOf(node, 'samples'), '0');
    assert.equal((await node.catalog.streams('w', {}, scratch.now)).length, 1);
  });

  it('forget their marks after a day', async () => {
    const node = await scratch.node(await scratch.fresh());
    await write(node, { type: 'stream', topic: 'cars', streamId: 'gone' });
    await node.changeStreams({ workspace: 'w', action: 'hardDelete', filter: {}, now: scratch.now });
    assert.equal(await countOf(node, 'streams'), '1');
    scratch.now += 86_500_000;
    await node.finishRemovals();
    assert.equal(await countOf(node, 'streams'), '0');
  });

  it('of a workspace are finished by the next start', async () => {
    const node = await scratch.node(await scratch.fresh());
    await write(node, rows('s', 1n));
    await node.clickhouse.command({
      text: `INSERT INTO workspaces (name, created, removed, version) VALUES ('w', 1, 1, ${BigInt(scratch.now + 1) * 1_000_000n})`,
      params: {},
    });
    await node.catalog.refresh();
    assert.equal(node.catalog.workspace('w'), undefined);
    scratch.now += 2;
    await node.finishRemovals();
    for (const table of ['samples', 'streams', 'topics'])
      assert.equal(await countOf(node, table), '0', table);
  });

  it('tell the rows that are there of a new retention', async () => {
    const node = await scratch.node(await scratch.fresh());
    const hour = 3_600_000_000_000n;
    const now = BigInt(scratch.now) * 1_000_000n;
    await write(node, rows('s', now - 2n * hour), rows('s', now - 5n));
    scratch.now++;
    await write(node, { type: 'topic', topic: 'CARS', retention: hour });
    const [stream] = await node.catalog.streams('w', {}, scratch.now);
    assert.deepEqual([stream?.dataStart, stream?.dataEnd], [now - 5n, now - 5n]);
    await node.clickhouse.command({ text: 'OPTIMIZE TABLE samples FINAL', params: {} });
    const retentions = await node.clickhouse.rows({ text: 'SELECT retention FROM samples', params: {} });
    assert.deepEqual(retentions, [[String(hour)]]);
  });
});

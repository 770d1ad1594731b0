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
    assert.equal(await countOf(node, 'windows'), '1');
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
    await node.finish();
    assert.equal(await countOf(node, 'windows'), '0');
    assert.equal((await node.catalog.streams('w', {}, scratch.now)).length, 1);
  });

  it('hold for rows that another node had begun to write and that come behind', async () => {
    const [a, b] = await staleNodes();
    const began = scratch.now;
    scratch.now += 5;
    const removed = String(BigInt(scratch.now) * 1_000_000n);
    await a.clickhouse.command({
      text: `INSERT INTO streams (workspace, topic, stream, removed) VALUES ('w', 'cars', 's', ${removed})`,
      params: {},
    });
    // ClickHouse may merge the mark into what was there before that is taken out.
    await a.clickhouse.command({ text: 'OPTIMIZE TABLE streams FINAL', params: {} });
    scratch.now++;
    await a.finish();
    assert.equal(await countOf(a, 'windows'), '0');

    const version = BigInt(began) * 1_000_000n;
    const text = `INSERT INTO windows (workspace, topic, stream, parameter, kind, level, window, first, last, count, bytes, version, pieces, times, numbers)
VALUES ('w', 'cars', 's', 'Speed', 'numeric', 10, 0, 2, 2, 1, 8, ${version}, [('[]', 2, 2, ${version}, 1)], [2], [1])`;
    await b.clickhouse.command({ text, params: {} });
    scratch.now++;
    assert.deepEqual(await a.catalog.streams('w', {}, scratch.now), []);
    await write(b, rows('s', 9n));
    await a.recheck();
    const [again] = await a.catalog.streams('w', {}, scratch.now);
    assert.deepEqual([again?.dataStart, again?.dataEnd], [9n, 9n]);
    assert.equal(await countOf(a, 'windows'), '1');
  });

  it('forget their marks after a day', async () => {
    const node = await scratch.node(await scratch.fresh());
    await write(node, { type: 'stream', topic: 'cars', streamId: 'gone' });
    await node.changeStreams({ workspace: 'w', action: 'hardDelete', filter: {}, now: scratch.now });
    assert.equal(await countOf(node, 'streams FINAL'), '1');
    scratch.now += 86_500_000;
    await node.finish();
    assert.equal(await countOf(node, 'streams'), '0');
  });

  it('leave what was said of a stream later, also where ClickHouse has merged it into a mark', async () => {
    const node = await scratch.node(await scratch.fresh());
    await write(node, rows('again', 1n));
    const filter = { streamIds: ['again'] };
    const [removed, hidden] = [scratch.now - 2, scratch.now + 1].map((ms) => String(BigInt(ms) * 1_000_000n));
    await node.clickhouse.command({
      text: `INSERT INTO streams (workspace, topic, stream, removed, hidden) VALUES ('w', 'cars', 'again', ${removed}, (${hidden}, 1))`,
      params: {},
    });
    scratch.now += 86_400_000 + 10;
    assert.deepEqual(await node.catalog.streams('w', filter, scratch.now), []);
    await node.finish();
    assert.deepEqual(await node.catalog.streams('w', filter, scratch.now), []);
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
    await node.finish();
    for (const table of ['windows', 'streams', 'topics'])
      assert.equal(await countOf(node, table), '0', table);
  });

  /** The node that knows is one; the other does not look in the meantime. */
  async function staleNodes(): Promise<readonly [CatalogNode, CatalogNode, string]> {
    const url = await scratch.fresh();
    const [a, b] = [await scratch.node(url), await scratch.node(url)];
    await write(a, rows('s', 1n));
    await b.catalog.refresh();
    scratch.now++;
    return [a, b, url];
  }
  const late = 181_000;
  const kept = ['windows', 'streams', 'topics'];

  it('of a workspace take later what was written by a node that did not know', async () => {
    const [a, b] = await staleNodes();
    await write(a, { type: 'removeWorkspace', name: 'w' });
    scratch.now += 900;
    await write(b, rows('late', 1n));
    assert.equal(await countOf(a, 'windows'), '1');
    scratch.now += late;
    await a.recheck();
    for (const table of kept) assert.equal(await countOf(a, table), '0', table);
  });

  it('of a workspace do so at the next start where the node has stopped', async () => {
    const [a, b, url] = await staleNodes();
    await write(a, { type: 'removeWorkspace', name: 'w' });
    scratch.now += 900;
    await write(b, rows('late', 1n));
    const next = await scratch.node(url);
    await next.finish();
    // It may be too early, so a start checks as well.
    scratch.now += late;
    await next.recheck();
    for (const table of kept) assert.equal(await countOf(a, table), '0', table);
  });

  it('of a workspace leave alone what one of the same name has', async () => {
    const [a, b] = await staleNodes();
    await write(a, { type: 'removeWorkspace', name: 'w' });
    scratch.now++;
    await write(b, { type: 'workspace', workspace: { name: 'w', createdAt: scratch.now } });
    await write(b, rows('new', 1n));
    scratch.now += late;
    await a.recheck();
    await a.finish();
    assert.equal(await countOf(a, 'windows'), '1');
    await a.catalog.refresh();
    const found = await a.catalog.streams('w', {}, scratch.now);
    assert.deepEqual(
      found.map(({ streamId }) => streamId),
      ['new'],
    );
  });

  const hour = 3_600_000_000_000n;
  const retentionsOf = async (node: CatalogNode) => {
    // Mutations are through when the table is merged.
    await node.clickhouse.command({ text: 'OPTIMIZE TABLE windows FINAL', params: {} });
    return await node.clickhouse.rows({ text: 'SELECT DISTINCT retention FROM windows', params: {} });
  };

  it('tell the rows that are there of a new retention', async () => {
    const node = await scratch.node(await scratch.fresh());
    const now = BigInt(scratch.now) * 1_000_000n;
    await write(node, rows('s', now - 2n * hour), rows('s', now - 5n));
    scratch.now++;
    await write(node, { type: 'topic', topic: 'CARS', retention: hour });
    const [stream] = await node.catalog.streams('w', {}, scratch.now);
    assert.deepEqual([stream?.dataStart, stream?.dataEnd], [now - 5n, now - 5n]);
    assert.deepEqual(await retentionsOf(node), [[String(hour)]]);
  });

  for (const by of ['the node that knew it', 'the next start, where that one has stopped'] as const) {
    it(`tell rows of a node that did not know a retention, by ${by}`, async () => {
      const [a, b, url] = await staleNodes();
      const now = BigInt(scratch.now) * 1_000_000n;
      await write(a, { type: 'topic', topic: 'cars', retention: hour });
      await write(b, rows('s', now));
      await write(b, { type: 'topic', topic: 'ships', retention: 2n * hour });
      assert.deepEqual(
        await a.clickhouse.rows({ text: 'SELECT DISTINCT retention FROM windows', params: {} }),
        [[String(2n ** 63n - 1n)]],
      );
      if (by === 'the node that knew it') await a.recheck();
      else await (await scratch.node(url)).finish();
      assert.deepEqual(await retentionsOf(a), [[String(hour)]]);
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenRecord } from '../../../../src/domain/principal.ts';
import type { Change } from '../../../../src/store/store.ts';
import { engineMissing } from '../../../clickhouse/engine.ts';
import { rowsOf } from '../../embedded/rows.ts';
import type { CatalogNode } from './catalog-node.ts';
import { scratchDatabase } from './scratch-database.ts';

const write = (node: CatalogNode, ...changes: Change[]) => node.append({ workspace: 'w', changes });
const rows = (topic: string, streamId: string, time: bigint, speed = 1): Change => ({
  type: 'rows',
  topic,
  streamId,
  rows: [rowsOf([{ time, cells: { Speed: speed } }])],
});

describe('two nodes on one ClickHouse', { skip: engineMissing }, () => {
  const scratch = scratchDatabase();

  async function twoNodes() {
    const url = await scratch.fresh();
    return [await scratch.node(url), await scratch.node(url)] as const;
  }

  it('list what the other has acknowledged, and changed', async () => {
    const [a, b] = await twoNodes();
    await write(a, rows('Cars', 's', 5n));
    scratch.now++;
    await write(b, rows('CARS', 's', 9n), { type: 'stream', topic: 'cars', streamId: 't' });
    for (const { catalog } of [a, b]) {
      const found = await catalog.streams('w', {}, scratch.now);
      assert.deepEqual(
        found.map(({ topic, streamId, dataStart, dataEnd }) => [topic, streamId, dataStart, dataEnd]),
        [
          ['Cars', 's', 5n, 9n],
          ['Cars', 't', undefined, undefined],
        ],
      );
    }
    scratch.now++;
    const deleted = await b.changeStreams({
      workspace: 'w',
      action: 'softDelete',
      filter: {},
      now: scratch.now,
    });
    assert.equal(deleted.count, 2);
    assert.equal(await a.catalog.hasStream('w', 'cars', 's'), false);
    scratch.now++;
    await write(a, rows('cars', 's', 7n));
    assert.equal(await b.catalog.hasStream('w', 'cars', 's'), true);
    assert.equal(await b.catalog.hasStream('w', 'cars', 't'), false);
  });

  it('know tokens, workspaces and topics of the other after a look', async () => {
    const [a, b] = await twoNodes();
    const token: TokenRecord = {
      id: `i'd`,
      hash: 'h',
      workspace: 'w',
      scopes: ['read', 'write'],
      name: '{p0:String}',
      createdAt: 1,
      expires: 2,
    };
    const workspace = { name: 'w', createdAt: 7, retention: 3_600_000_000_000n, maxStreams: 5, maxBytes: 6 };
    await write(a, { type: 'token', token }, { type: 'workspace', workspace });
    await write(a, { type: 'topic', topic: `Ca'rs`, retention: 60_000_000_000n });
    assert.deepEqual(a.catalog.tokenByHash('h'), token, 'its own at once');
    await b.catalog.refresh();
    assert.deepEqual(b.catalog.tokenByHash('h'), token);
    assert.deepEqual(b.catalog.workspace('w'), workspace);
    assert.equal(b.catalog.topicName('w', `CA'RS`), `Ca'rs`);
    assert.equal(b.catalog.retainedFrom('w', `ca'rs`), BigInt(scratch.now) * 1_000_000n - 60_000_000_000n);
    scratch.now++;
    await write(b, { type: 'revokeToken', id: `i'd` });
    await a.catalog.refresh();
    assert.deepEqual(a.catalog.tokens(), []);
  });

  it('share a look that begins behind the call', async () => {
    const [a, b] = await twoNodes();
    const looks = [b.catalog.refresh(), b.catalog.refresh(), b.catalog.refresh()];
    const token: TokenRecord = { id: 'x', hash: 'x', workspace: 'w', scopes: ['read'], createdAt: 1 };
    await write(a, { type: 'token', token });
    await b.catalog.refresh();
    assert.deepEqual(b.catalog.tokenByHash('x'), token);
    assert.equal(looks[1], looks[2], 'those that wait for the next look share it');
    await Promise.all(looks);
  });

  it('forget a removed workspace, whatever it had, and find nothing of it in a new one', async () => {
    const [a, b] = await twoNodes();
    await write(a, rows('Cars', 's', 5n), { type: 'stream', topic: 'cars', streamId: 'new', properties: {} });
    await write(a, {
      type: 'parameterDefinitions',
      topic: 'cars',
      streamId: 's',
      definitions: [{ id: 'Speed', unit: 'km/h' }],
    });
    await b.catalog.refresh();
    assert.equal(b.catalog.topicName('w', 'cars'), 'Cars');
    scratch.now++;
    await write(a, { type: 'removeWorkspace', name: 'w' });
    assert.equal(a.catalog.workspace('w'), undefined);
    scratch.now++;
    await write(a, { type: 'workspace', workspace: { name: 'w', createdAt: scratch.now } });
    await b.catalog.refresh();
    assert.equal(b.catalog.topicName('w', 'cars'), undefined);
    assert.deepEqual(await b.catalog.streams('w', {}, scratch.now), []);
    assert.deepEqual(await b.catalog.topics('w'), []);
    scratch.now++;
    await write(b, { type: 'stream', topic: 'CARS', streamId: 's' });
    assert.deepEqual(await a.catalog.parameters('w', {}), []);
    assert.equal((await a.catalog.streams('w', {}, scratch.now))[0]?.topic, 'CARS');
  });
});

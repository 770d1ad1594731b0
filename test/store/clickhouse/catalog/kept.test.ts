import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookForDocuments } from '../../../../src/store/clickhouse/catalog/document-rows.ts';
import { worthDeleting } from '../../../../src/store/clickhouse/deletes/forgotten-documents.ts';
import { engineMissing } from '../../../clickhouse/engine.ts';
import { keptModel } from '../../document-model.ts';
import { forSeeds } from '../../embedded/random.ts';
import { scratchDatabase } from './scratch-database.ts';

describe('kept documents on ClickHouse', { skip: engineMissing }, () => {
  const scratch = scratchDatabase();

  it('are as in a plain model, on the node that wrote and on others after a look', async () => {
    await forSeeds(1, 1, async (random) => {
      const url = await scratch.fresh();
      const nodes = [await scratch.node(url), await scratch.node(url)];
      const model = keptModel();
      for (let step = 0; step < 25; step++) {
        scratch.now++;
        const [writer, other] = random.chance(0.5) ? nodes : [...nodes].reverse();
        await writer!.append(random.chance(0.1) ? model.remove('other') : model.some(random));
        await writer!.catalog.refresh();
        model.compare(writer!.catalog);
        if (random.chance(0.3)) {
          await other!.catalog.refresh();
          model.compare(other!.catalog);
        }
      }
      assert.ok(model.count > 0);
      const late = await scratch.node(url);
      await late.finish();
      model.compare(late.catalog);
    });
  });

  it('have the time at which they came on every node, and make their workspace', async () => {
    const url = await scratch.fresh();
    const [a, b] = [await scratch.node(url), await scratch.node(url)];
    scratch.now += 5000;
    const came = scratch.now;
    const change = { type: 'keep', kind: 'view', topic: undefined, id: 'i', body: '"b"' } as const;
    await a.append({ workspace: 'w', changes: [change] });
    scratch.now += 5000;
    await b.catalog.refresh();
    const expected = { kind: 'view', topic: undefined, id: 'i', body: '"b"', updatedAt: came };
    for (const { catalog } of [a, b]) {
      assert.deepEqual(catalog.document('w', 'view', undefined, 'i'), expected);
      assert.equal(catalog.workspace('w')?.createdAt, came);
    }
  });

  it('come to a node that has none, more than are read at once', async () => {
    const url = await scratch.fresh();
    const a = await scratch.node(url);
    const changes = Array.from({ length: 450 }, (_, i) => {
      return { type: 'keep', kind: 'view', topic: undefined, id: String(i), body: String(i) } as const;
    });
    await a.append({ workspace: 'w', changes });
    const b = await scratch.node(url);
    assert.deepEqual(b.catalog.documents('w', 'view'), a.catalog.documents('w', 'view'));
    assert.equal(b.catalog.documents('w', 'view').length, 450);
  });

  it('are gone from the tables with their workspace, those of a node that did not know of it too', async () => {
    const url = await scratch.fresh();
    const [a, b] = [await scratch.node(url), await scratch.node(url)];
    const change = { type: 'keep', kind: 'view', topic: undefined, id: 'i', body: '{}' } as const;
    await a.append({ workspace: 'w', changes: [change] });
    await b.catalog.refresh();
    scratch.now++;
    await a.append({ workspace: 'w', changes: [{ type: 'removeWorkspace', name: 'w' }] });
    assert.deepEqual(a.catalog.documents('w', 'view'), []);
    const count = async () =>
      (await a.clickhouse.rows<[string]>({ text: 'SELECT count() FROM kept', params: {} }))[0]?.[0];
    assert.equal(Number(await count()), 0);
    await b.catalog.refresh();
    assert.deepEqual(b.catalog.documents('w', 'view'), []);
    scratch.now++;
    await a.append({
      workspace: 'w',
      changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: scratch.now } }],
    });
    await b.catalog.refresh();
    assert.deepEqual(b.catalog.documents('w', 'view'), []);
  });

  it('leave no row and no memory a day after they were forgotten, and do not come back', async () => {
    const url = await scratch.fresh();
    const [a, away] = [await scratch.node(url), await scratch.node(url)];
    const name = (i: number) =>
      ({ kind: 'webhookMessage', topic: 'Cars', id: String(i).padStart(4, '0') }) as const;
    const ids = Array.from({ length: worthDeleting + 200 }, (_, i) => i);
    const keep = (i: number, body: string) => ({ type: 'keep', ...name(i), body }) as const;
    const forget = (i: number) => ({ type: 'forget', ...name(i) }) as const;
    await a.append({ workspace: 'w', changes: ids.map((i) => keep(i, '"first"')) });
    await away.catalog.refresh();
    scratch.now++;
    await a.append({ workspace: 'w', changes: ids.map(forget) });
    scratch.now++;
    // One comes back at once, one later, and one is young when the others are old.
    await a.append({ workspace: 'w', changes: [keep(0, '"again"')] });
    scratch.now += 86_400_000 - 5;
    await a.append({ workspace: 'w', changes: [keep(2, '"young"')] });
    scratch.now++;
    await a.append({ workspace: 'w', changes: [forget(2)] });
    const rows = async () => {
      const text = 'SELECT id, removed FROM kept FINAL ORDER BY id, removed';
      return (await a.clickhouse.rows<[string, number]>({ text, params: {} })).map((row) => row.join(' '));
    };
    await a.finish();
    assert.equal((await rows()).length, ids.length);
    scratch.now += 1000;
    await a.append({ workspace: 'w', changes: [keep(1, '"late"')] });
    await a.finish();
    const left = ['0000 0', '0001 0', '0002 1'];
    assert.deepEqual(await rows(), left);
    const late = await scratch.node(url);
    for (const { catalog } of [a, late]) {
      const bodies = catalog.documents('w', 'webhookMessage').map(({ id, body }) => `${id} ${body}`);
      assert.deepEqual(bodies, ['0000 "again"', '0001 "late"']);
    }
    // A node that could not look meanwhile has them all until it looks at all that there is.
    assert.equal(away.catalog.documentCount('w', 'webhookMessage'), ids.length);
    await lookForDocuments(away.clickhouse, away.registry, 0n, {});
    await away.catalog.refresh();
    await lookForDocuments(away.clickhouse, away.registry, 0n, {});
    assert.deepEqual(
      away.catalog.documents('w', 'webhookMessage'),
      late.catalog.documents('w', 'webhookMessage'),
    );
  });
});

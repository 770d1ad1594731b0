import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { RowBlock } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { rowsOfBlock } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('slow-reads');
const slabBytes = 64 * 1024;

const plan = {
  workspace: 'default',
  streamIds: ['a'],
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  parameters: [{ kind: Kind.Numeric, name: 'p' }],
  tagFilters: [],
  order: 'Asc',
  limit: undefined,
  after: undefined,
} as const;

/** The windows of parts, so that each row comes in a block of its own. */
const windowNs = 2n ** 50n;

/** One row a window, in windows that have no row yet. */
async function write(store: EmbeddedStore, rows: number): Promise<void> {
  for (let i = 0; i < rows; i++) {
    written++;
    const row = { time: BigInt(written) * windowNs, cells: { p: written } };
    await store.append({
      workspace: 'default',
      changes: [{ type: 'rows', topic: 't', streamId: 'a', rows: [rowsOf([row])] }],
    });
  }
}
let written = 0;

/** Makes parts of all that is written, by so many bytes of another stream. */
async function fillSlab(store: EmbeddedStore): Promise<void> {
  const { parts } = store.health();
  const rows = Array.from({ length: 400 }, (_, i) => ({
    time: BigInt(i),
    cells: { q: Math.sin(written + i) },
  }));
  for (let i = 0; i < 10; i++)
    await store.append({
      workspace: 'default',
      changes: [{ type: 'rows', topic: 't', streamId: 'filler', rows: [rowsOf(rows)] }],
    });
  await until(() => store.health().parts !== parts && store.health().headBytes <= slabBytes);
}

function begin(store: EmbeddedStore): AsyncGenerator<RowBlock> {
  return store.run(plan, new AbortController().signal) as AsyncGenerator<RowBlock>;
}

async function nextValues(read: AsyncGenerator<RowBlock>): Promise<unknown[]> {
  const next = await read.next();
  return next.done === true ? [] : rowsOfBlock(next.value).map(({ cells }) => cells[0]);
}

async function rest(read: AsyncGenerator<RowBlock>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const block of read) values.push(...rowsOfBlock(block).map(({ cells }) => cells[0]));
  return values;
}

describe('a read whose client is slow', () => {
  it('goes on from where it was while there is memory, and gives it back at its end', async () => {
    const store = await folder.open({ snapshotBytes: 16 * slabBytes });
    written = 0;
    await write(store, 5);
    const read = begin(store);
    assert.deepEqual(await nextValues(read), [1]);
    assert.equal(store.memory!().snapshots.bytes, 0);
    await fillSlab(store);
    assert.ok(store.memory!().snapshots.bytes >= slabBytes);
    await write(store, 5);
    assert.deepEqual(await rest(read), [2, 3, 4, 5]);
    assert.equal(store.memory!().snapshots.bytes, 0);
    assert.equal(store.memory!().endedReads, 0);
  });

  it('ends where rows in memory for slow reads are too many: first the one that has waited for longest', async () => {
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => warnings.push(message), error() {} };
    const store = await folder.open({ snapshotBytes: 2 * slabBytes, log });
    written = 0;
    await write(store, 3);
    const slow = begin(store);
    assert.deepEqual(await nextValues(slow), [1]);
    const quicker = begin(store);
    assert.deepEqual(await nextValues(quicker), [1]);
    await fillSlab(store);
    await write(store, 3);
    const late = begin(store);
    assert.deepEqual(await nextValues(late), [1]);
    assert.deepEqual(await nextValues(quicker), [2]);
    for (let i = 0; i < 8 && store.memory!().endedReads === 0; i++) {
      await fillSlab(store);
      const another = begin(store);
      await nextValues(another);
    }
    assert.ok(store.memory!().endedReads > 0);
    assert.ok(store.memory!().snapshots.bytes <= 2 * slabBytes);
    await assert.rejects(slow.next(), { code: 'overloaded', message: /taken too slowly/ });
    assert.equal((await slow.next()).done, true);
    assert.equal(
      warnings.filter((message) => /a read ended/.test(message)).length,
      store.memory!().endedReads,
    );
  });

  it('does not end for its slowness alone', async () => {
    const store = await folder.open({ snapshotBytes: slabBytes });
    written = 0;
    await write(store, 3);
    await fillSlab(store);
    // All is in parts: whoever begins now holds no more than the slab that is being written.
    const read = begin(store);
    assert.deepEqual(await nextValues(read), [1]);
    for (let i = 0; i < 4; i++) await fillSlab(store);
    assert.deepEqual(await rest(read), [2, 3]);
    assert.equal(store.memory!().endedReads, 0);
  });

  it('that nobody goes on with lets go of its slabs when it ends', async () => {
    const store = await folder.open({ snapshotBytes: 0 });
    written = 0;
    await write(store, 3);
    const read = begin(store);
    assert.deepEqual(await nextValues(read), [1]);
    await fillSlab(store);
    assert.equal(store.memory!().snapshots.bytes, 0);
    assert.equal(store.memory!().endedReads, 1);
    await read.return(undefined);
  });
});

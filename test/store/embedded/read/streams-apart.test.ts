import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { everything } from '../everything.ts';
import { cellsOfRows, readApart, readRows } from '../read-rows.ts';
import { rowsOf, type TestRow } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('streams-apart');
const rowsOfPart = 300;
const second = 1_000_000_000n;

function planOf(given: Partial<ReadPlan> = {}): ReadPlan {
  return {
    ...everything,
    parameters: ['a', 'b'].map((name) => ({ kind: Kind.Numeric, name })),
    order: 'Asc',
    limit: undefined,
    after: undefined,
    ...given,
  };
}

/** What a stream has in the parts, one after the other. */
type RowAt = (row: number, part: number) => Omit<TestRow, 'time'> & { readonly shiftNs?: bigint };

const streams: Readonly<Record<string, RowAt>> = {
  plain: (row) => ({ cells: { a: row % 7, b: row } }),
  same: (row) => ({ cells: { a: row * 1000, b: row / 8 } }),
  ofAnotherClock: (row) => ({ cells: { a: row, b: -row }, shiftNs: 500_000_000n }),
  ofNoClock: (row) => ({ cells: { a: row, b: 1 }, shiftNs: BigInt((row * 7919) % 999) }),
  withHoles: (row, part) => ({ cells: { a: part === 1 && row % 3 === 0 ? null : row, b: row } }),
  withoutOne: (row, part) => ({ cells: part === 1 ? { a: row } : { a: row, b: row } }),
  byTurns: (row, part) => ({ cells: part === 1 ? { b: row } : { a: row } }),
  inTwoWindows: (row, part) => ({ cells: { a: row, b: row }, shiftNs: part === 2 ? 1n << 50n : 0n }),
  tagged: (row) => ({ cells: { a: row, b: row }, tags: [['lap', '1']] }),
  ofOtherTags: (row, part) => ({ cells: { a: row, b: row }, tags: [['lap', String(part)]] }),
  ofTwoTags: (row, part) => ({
    cells: { a: row, b: row },
    tags: part === 2 ? [['lap', String(row & 1)]] : [],
  }),
};

/** Three parts, each of the rows of 300 seconds. */
async function open(): Promise<EmbeddedStore> {
  let store = await folder.open({ slabBytes: 1 << 20, headBytes: 8 << 20 });
  for (let part = 0; part < 3; part++) {
    const changes = Object.entries(streams).map(([streamId, rowAt]) => {
      const rows = Array.from({ length: rowsOfPart }, (_, i) => {
        const row = part * rowsOfPart + i;
        const { shiftNs = 0n, ...rest } = rowAt(row, part);
        return { time: BigInt(row) * second + shiftNs, ...rest };
      });
      return { type: 'rows', topic: 't', streamId, rows: [rowsOf(rows)] } as const;
    });
    await store.append({ workspace: 'default', changes });
    store = await folder.reopenInParts(store, part + 1);
  }
  return store;
}

async function assertSame(store: EmbeddedStore, plan: ReadPlan): Promise<void> {
  const expected = cellsOfRows(await readRows(store, plan));
  assert.ok(expected.size > 0);
  assert.deepEqual(await readApart(store, plan), expected);
}

describe('streams one after the other', () => {
  it('have the rows that they have together', async () => {
    const store = await open();
    await assertSame(store, planOf());
    // Within a part, from one to the next, across all, and nothing but the last row of one.
    for (const [from, to] of [
      [310n, 320n],
      [150n, 450n],
      [299n, 600n],
      [1n, 898n],
      [599n, 599n],
    ] as const)
      await assertSame(store, planOf({ from: from * second, to: to * second }));
    await assertSame(store, planOf({ tagFilters: [{ tag: 'lap', operator: 'Equal', values: ['1'] }] }));
    for (const [from, to, parameters] of [
      [290n, 295n, undefined],
      [400n, 410n, [{ kind: Kind.Numeric, name: 'a' } as const]],
      [600n, 900n, undefined],
    ] as const) {
      const range = { from: from * second, to: to * second };
      const { workspace, streamIds, topic, tagFilters } = planOf();
      await store.deleteRows({ workspace, streamIds, topic, tagFilters, ...range }, parameters);
      await assertSame(store, planOf());
      await assertSame(store, planOf({ from: 200n * second, to: 650n * second }));
    }
  });

  it('come in one block each, whose times are one array where they have the same clock', async () => {
    const store = await open();
    const plan = planOf({ streamIds: ['plain', 'same', 'tagged', 'ofAnotherClock'], streamsApart: true });
    const blocks = new Map<string, { count: number; offsets: Float64Array }>();
    for await (const { streams, count, offsets } of store.run(plan, new AbortController().signal)) {
      assert.ok(!blocks.has(streams[0]!.streamId));
      blocks.set(streams[0]!.streamId, { count, offsets });
    }
    const { plain, same, tagged, ofAnotherClock } = Object.fromEntries(blocks);
    assert.equal(plain!.count, 3 * rowsOfPart);
    assert.equal(same!.offsets, plain!.offsets);
    assert.equal(tagged!.offsets, plain!.offsets);
    assert.notEqual(ofAnotherClock!.offsets, plain!.offsets);
  });
});

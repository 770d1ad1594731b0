import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { compareStreamKeys } from '../../../../src/domain/stream.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { isAggregate, planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { seededRandom } from '../random.ts';
import { type ReadRow, readRows } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('many-streams');
const speed = { kind: Kind.Numeric, name: 'speed' } as const;

interface Written {
  readonly topic: string;
  readonly streamId: string;
  readonly timestamp: bigint;
  readonly value: number;
}

/** So many streams of two rows, with many times in common, in no order of their ids. */
async function write(store: EmbeddedStore, seed: number, count: number): Promise<Written[]> {
  const random = seededRandom(seed);
  const all: Written[] = [];
  for (let from = 0; from < count; from += 100) {
    const changes = Array.from({ length: Math.min(100, count - from) }, (_, i) => {
      const streamId = `s${((from + i) * 7919) % count}`;
      const topic = random.pick(['t', 'u']);
      const first = random.int(0, 5);
      const times = [first, first + random.int(1, 5)].map((time) => BigInt(time) * (1n << 49n));
      const cells = times.map((time) => ({ time, cells: { speed: random.int(0, 1000) } }));
      for (const { time, cells: cell } of cells)
        all.push({ topic, streamId, timestamp: time, value: cell.speed });
      return { type: 'rows', topic, streamId, rows: [rowsOf(cells)] } as const;
    });
    await store.append({ workspace: 'default', changes });
  }
  return all.sort((a, b) => Number(a.timestamp - b.timestamp) || compareStreamKeys(a, b));
}

function planOf(from: Partial<ReadPlan>): ReadPlan {
  return {
    workspace: 'default',
    streamIds: undefined,
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    tagFilters: [],
    parameters: [speed],
    order: 'Asc',
    limit: undefined,
    after: undefined,
    ...from,
  };
}

const shown = (rows: readonly ReadRow[]) =>
  rows.map(({ topic, streamId, timestamp, cells }) => ({ topic, streamId, timestamp, value: cells[0] }));

describe('raw rows of many streams', () => {
  it('come in order, in pages of any size, both ways', async () => {
    const store = await folder.open({ slabBytes: 1 << 20, headBytes: 8 << 20 });
    const all = await write(store, 1, 700);
    for (const order of ['Asc', 'Desc'] as const) {
      const expected = order === 'Asc' ? all : all.toReversed();
      assert.deepEqual(shown(await readRows(store, planOf({ order }))), expected);
      for (const limit of [1, 10, 190]) {
        let after: ReadRow | undefined;
        for (let page = 0; page < 8; page++) {
          const rows = await readRows(store, planOf({ order, limit, after }));
          assert.deepEqual(shown(rows), expected.slice(page * limit, (page + 1) * limit));
          after = rows.at(-1);
          if (after === undefined) break;
        }
      }
    }
    const range = { from: 2n << 49n, to: 4n << 49n };
    const inside = all.filter(({ timestamp }) => timestamp >= range.from && timestamp <= range.to);
    assert.deepEqual(shown(await readRows(store, planOf({ ...range, limit: 20 }))), inside.slice(0, 20));
    const last = inside.toReversed().slice(0, 20);
    assert.deepEqual(shown(await readRows(store, planOf({ ...range, limit: 20, order: 'Desc' }))), last);
  });

  it('come stream by stream where nobody needs them merged', async () => {
    let store = await folder.open({ slabBytes: 1 << 20, headBytes: 8 << 20 });
    const all = await write(store, 4, 100);
    for (let round = 0; round < 2; round++) {
      for (const [from, to] of [
        [minTimestamp, maxTimestamp],
        [2n << 49n, 4n << 49n],
        [3n << 49n, 3n << 49n],
        [20n << 49n, 30n << 49n],
      ] as const) {
        const inside = all.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
        const read = shown(await readRows(store, planOf({ from, to, streamsApart: true })));
        assert.deepEqual(
          read.toSorted((a, b) => Number(a.timestamp - b.timestamp) || compareStreamKeys(a, b)),
          inside,
        );
        const turns = read.filter((row, i) => i === 0 || compareStreamKeys(read[i - 1]!, row) !== 0);
        assert.equal(turns.length, new Set(inside.map(({ topic, streamId }) => `${topic}/${streamId}`)).size);
        assert.ok(
          read.every(
            (row, i) =>
              i === 0 || compareStreamKeys(read[i - 1]!, row) !== 0 || row.timestamp > read[i - 1]!.timestamp,
          ),
        );
      }
      store = await folder.reopenInParts(store, 1);
    }
  });
});

describe('an aggregation of many streams', () => {
  it('is the same in the log and in parts, where it is read in spans', async () => {
    let store = await folder.open({ slabBytes: 4 << 20, headBytes: 32 << 20 });
    const all = await write(store, 2, 1500);
    const ofAnyOrder = ['Count', 'Sum', 'Min', 'Max', 'Mean'] as const;
    const aggregations = [...ofAnyOrder, 'First', 'Last'] as const;
    const values = all.map(({ value }) => value);
    const sum = values.reduce((total, value) => total + value, 0);
    const expected = [
      values.length,
      sum,
      Math.min(...values),
      Math.max(...values),
      sum / values.length,
      values[0],
      values.at(-1),
    ];
    for (let round = 0; round < 2; round++) {
      for (const asked of [aggregations.length, ofAnyOrder.length]) {
        const parameters = aggregations.slice(0, asked).map((aggregation) => ({ ...speed, aggregation }));
        const plan = planQuery('default', { parameters });
        assert.ok(isAggregate(plan));
        const found: number[] = [];
        for await (const block of store.aggregate(plan, new AbortController().signal))
          for (const column of block.columns)
            if (column?.kind === Kind.Numeric) found.push(column.values[0]!);
        assert.deepEqual(found, expected.slice(0, asked));
      }
      store = await folder.reopenInParts(store, 1);
    }
  });
});

describe('a delete of rows of many streams', () => {
  it('takes what is in its range, and leaves extents that are right', async () => {
    let store = await folder.open({ slabBytes: 1 << 20, headBytes: 8 << 20 });
    const all = await write(store, 3, 600);
    const [from, to] = [1n << 49n, 6n << 49n];
    const left = all.filter(({ timestamp }) => timestamp < from || timestamp > to);
    const selection = { ...planOf({}), from, to };
    assert.equal(await store.deleteRows(selection), all.length - left.length);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(shown(await readRows(store, planOf({}))), left);
      for (const { streamId, topic, dataStart, dataEnd } of await store.catalog.streams('default', {}, 1)) {
        const times = left
          .filter((row) => row.streamId === streamId && row.topic === topic)
          .map(({ timestamp }) => timestamp);
        assert.deepEqual([dataStart, dataEnd], [times[0], times.at(-1)]);
      }
      store = await folder.reopenInParts(store, 1);
    }
  });
});

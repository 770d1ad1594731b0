import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { ResultBlock } from '../../../src/domain/result.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import { PitwallError } from '../../../src/errors.ts';
import { createByteBudget } from '../../../src/ingest/byte-budget.ts';
import { decodeCursor } from '../../../src/query/plan/cursor.ts';
import { planRead, type ReadPlan } from '../../../src/query/plan/plan.ts';
import { collectRows } from '../../../src/store/answers/collect-rows.ts';
import type { RowBlock } from '../../../src/store/store.ts';

/** A store of `total` rows at 0, 1, 2, ... ns. */
function storeOf(total: number, blockRows: number) {
  const asked: ReadPlan[] = [];
  async function* run(plan: ReadPlan): AsyncGenerator<RowBlock> {
    asked.push(plan);
    const end = Math.min(total, plan.limit ?? total);
    for (let from = 0; from < end; from += blockRows) {
      const count = Math.min(blockRows, end - from);
      const offsets = new Float64Array(count);
      const values = new Float64Array(count);
      const text = new Uint8Array(count);
      const ends = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        offsets[i] = i;
        values[i] = from + i;
        text[i] = 97 + ((from + i) % 26);
        ends[i] = i + 1;
      }
      yield {
        count,
        base: BigInt(from),
        offsets,
        streamIndex: undefined,
        streams: [{ topic: 't', streamId: 's' }],
        tagIndex: undefined,
        tagSets: [tagSet([['lap', '1']])],
        columns: [
          { kind: Kind.Numeric, name: 'a', values, present: undefined },
          { kind: Kind.String, name: 'b', bytes: text, ends, present: undefined },
          undefined,
        ],
      };
    }
  }
  return { run, asked };
}

const parameters = [{ kind: Kind.Numeric, name: 'a', aggregation: 'None' as const }];

function collect(store: ReturnType<typeof storeOf>, limit?: number, maxBytes = 1e9, budget = 1e9) {
  const plan = planRead('w', { parameters, ...(limit === undefined ? {} : { limit }) });
  const reservation = createByteBudget(budget).open();
  return collectRows(store as unknown as Parameters<typeof collectRows>[0], plan, [], maxBytes, (bytes) =>
    reservation.take(bytes),
  );
}

function valuesOf(blocks: readonly ResultBlock[]): number[] {
  return blocks.flatMap(({ columns, count }) => {
    const column = columns[0]!;
    return column.kind === Kind.Numeric ? [...column.values.subarray(0, count)] : [];
  });
}

describe('collecting rows', () => {
  it('keeps the rows of all blocks', async () => {
    const { blocks, rows, nextCursor } = await collect(storeOf(25, 10));
    assert.deepEqual(
      valuesOf(blocks),
      Array.from({ length: 25 }, (_, i) => i),
    );
    const texts = blocks.map(({ columns }) => {
      const column = columns[1]!;
      return column.kind === Kind.Numeric ? '' : Buffer.from(column.bytes).toString();
    });
    assert.equal(texts.join(''), 'abcdefghijklmnopqrstuvwxy');
    assert.deepEqual([rows, nextCursor], [25, undefined]);
  });

  for (const [limit, what] of [
    [7, 'inside a block'],
    [10, 'between blocks'],
    [13, 'inside a later block'],
    [24, 'one row before the end'],
  ] as const) {
    it(`stops at a limit ${what} and says where the next page begins`, async () => {
      const store = storeOf(25, 10);
      const { blocks, rows, nextCursor } = await collect(store, limit);
      assert.equal(store.asked[0]!.limit, limit + 1);
      assert.deepEqual(
        valuesOf(blocks),
        Array.from({ length: limit }, (_, i) => i),
      );
      assert.equal(rows, limit);
      const position = decodeCursor(nextCursor!);
      assert.deepEqual(position, {
        timestamp: BigInt(limit - 1),
        topic: 't',
        streamId: 's',
        tags: '[["lap","1"]]',
      });
    });
  }

  it('gives no cursor when the limit is met exactly or not at all', async () => {
    assert.equal((await collect(storeOf(25, 10), 25)).nextCursor, undefined);
    assert.equal((await collect(storeOf(25, 10), 30)).nextCursor, undefined);
    assert.equal((await collect(storeOf(0, 10), 1)).nextCursor, undefined);
  });

  it('refuses an answer beyond its own limit with 400, and beyond the memory of all with 503', async () => {
    const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;
    await assert.rejects(collect(storeOf(1000, 10), undefined, 5000), isCode('result_too_large'));
    await assert.rejects(collect(storeOf(1000, 10), undefined, 1e9, 5000), isCode('overloaded'));
  });
});

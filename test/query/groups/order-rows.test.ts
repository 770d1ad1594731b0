import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCountable, orderByCounting } from '../../../src/query/groups/order-rows.ts';

const rowsOf = (values: readonly number[]) => ({
  of: (row: number) => values[row]!,
  end: Math.max(0, ...values) + 1,
});
const noPause = () => undefined;

describe('the order by counting', () => {
  it('is that of a stable sort by one key after another', async () => {
    const rows = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 40 })), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(rows, async (pairs) => {
        const expected = pairs.map((_, row) => row);
        expected.sort((a, b) => pairs[a]![0] - pairs[b]![0] || pairs[a]![1] - pairs[b]![1]);
        const keys = [rowsOf(pairs.map(([first]) => first)), rowsOf(pairs.map(([, second]) => second))];
        assert.deepEqual([...(await orderByCounting(pairs.length, keys, noPause))], expected);
      }),
    );
  });

  it('gives up the thread on the way through many rows', async () => {
    let pauses = 0;
    const count = 200_000;
    const keys = [{ of: (row: number) => count - 1 - row, end: count }];
    const order = await orderByCounting(count, keys, () => {
      pauses++;
      return Promise.resolve();
    });
    assert.ok(pauses > 10);
    assert.ok(order.every((row, i) => row === count - 1 - i));
  });

  it('is for keys that lie close together', () => {
    const keys = (end: number) => [{ of: () => 0, end }];
    assert.ok(isCountable(1000, keys(2000)));
    assert.ok(!isCountable(1000, keys(2001)));
    assert.ok(!isCountable(3, keys(3)));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addPartitions } from '../../../../src/store/clickhouse/insert/partitions.ts';
import { numbers } from '../open-store.ts';

const span = 2_592_000_000_000_000n;

describe('the partitions of rows', () => {
  it('are those that ClickHouse divides their times into', () => {
    const nearEdge = fc.tuple(fc.integer({ min: -3558, max: 3557 }), fc.integer({ min: -2, max: 2 }));
    const base = nearEdge.map(([n, more]) => BigInt(n) * span + BigInt(more));
    const offset = fc.oneof(
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc
        .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }))
        .map(([n, more]) => n * Number(span) + more),
    );
    fc.assert(
      fc.property(base, fc.array(offset, { maxLength: 20 }), (from, more) => {
        const offsets = Float64Array.of(0, ...more);
        const found = new Set<number>();
        addPartitions(found, { ...numbers(from, []), count: offsets.length, offsets });
        const wanted = new Set([...offsets].map((each) => Number((from + BigInt(each)) / span)));
        assert.deepEqual([...found].sort(), [...wanted].sort());
      }),
    );
  });

  it('are none of no rows', () => {
    const found = new Set<number>();
    addPartitions(found, numbers(0n, []));
    assert.equal(found.size, 0);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import {
  addTotals,
  type ColumnTotals,
  decodeTotalsList,
  encodeTotals,
  totalsOfList,
} from '../../../../src/store/embedded/codecs/column-totals.ts';

const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });
const anyTotals: fc.Arbitrary<ColumnTotals | undefined> = fc.option(
  fc.record(
    {
      count: fc.nat({ max: 2 ** 31 - 1 }),
      first: anyNumber,
      last: anyNumber,
      min: anyNumber,
      max: anyNumber,
      sum: anyNumber,
      isExact: fc.boolean(),
    },
    { noNullPrototype: true },
  ),
  { nil: undefined },
);

/** Totals as the plainest loop has them; of whole thousandths, so that their sums can be exact. */
function totalsOf(thousandths: readonly number[]): ColumnTotals {
  const values = thousandths.map((value) => value / 1000);
  return {
    count: values.length,
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    min: values.length === 0 ? 0 : Math.min(...values),
    max: values.length === 0 ? 0 : Math.max(...values),
    sum: thousandths.reduce((a, b) => a + b, 0) / 1000,
    isExact: true,
  };
}

describe('totals of columns', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(anyTotals, { maxLength: 300 }), (list) => {
        const out = new ByteWriter();
        encodeTotals(out, list);
        const reader = new ByteReader(out.written());
        assert.deepEqual(totalsOfList(decodeTotalsList(reader, list.length)), list);
        assert.equal(reader.position, reader.end);
      }),
    );
  });

  it('of several stretches are those of all their values, with an exact sum', () => {
    const anyValues = fc.array(fc.integer({ min: -1e9, max: 1e9 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(anyValues, { maxLength: 10 }), (stretches) => {
        assert.deepEqual(addTotals(stretches.map(totalsOf)), totalsOf(stretches.flat()));
      }),
    );
  });

  it('are not known where those of one stretch are not', () => {
    assert.equal(addTotals([totalsOf([1]), undefined]), undefined);
  });

  it('say when their sum is not exact', () => {
    const third = { ...totalsOf([1]), sum: 1 / 3 };
    assert.equal(addTotals([third, third])!.isExact, false);
    const huge = { ...totalsOf([1]), sum: 2 ** 52 - 1 };
    assert.equal(addTotals([huge, huge])!.isExact, false);
  });
});

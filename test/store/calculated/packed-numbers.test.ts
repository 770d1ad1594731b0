import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packedNumbers, packNumbers } from '../../../src/store/calculated/packed-numbers.ts';

const anyNumber = () =>
  fc.oneof(
    fc.double(),
    fc.nat(255),
    fc.nat(70_000),
    fc.integer(),
    fc.constantFrom(-0, 2 ** 32 - 1, 2 ** 32, 2 ** 53),
  );

describe('packed numbers', () => {
  it('come back as they were, bit for bit', () => {
    fc.assert(
      fc.property(fc.array(anyNumber()), (numbers) => {
        const bytes = packNumbers(numbers, 9 * numbers.length);
        assert.ok(bytes !== undefined);
        const packed = packedNumbers(bytes);
        assert.deepEqual(
          numbers.map(() => packed.next()),
          numbers,
        );
        assert.ok(packed.isAtEnd());
      }),
    );
  });

  it('take few bytes, and no more than there are', () => {
    const numbers = [0, 249, 250, 65_535, 65_536, 0.5];
    assert.equal(packNumbers(numbers, 22)!.length, 22);
    assert.equal(packNumbers(numbers, 21), undefined);
  });

  it('are refused where they are cut, or no numbers', () => {
    for (const bytes of [[], [250, 1], [251, 1, 2, 3], [252, 1], [253]])
      assert.throws(() => packedNumbers(Buffer.from(bytes)).next(), RangeError);
    for (const numbers of [[3, 1, 1], [1.5, 1, 1], [-1], [Number.NaN], [2 ** 32]]) {
      const { list, next } = packedNumbers(packNumbers(numbers, 100)!);
      assert.throws(() => list(next), RangeError);
    }
  });
});

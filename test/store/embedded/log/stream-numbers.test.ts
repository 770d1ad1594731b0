import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import {
  formOfNumbers,
  readNumbers,
  writeNumbers,
} from '../../../../src/store/embedded/log/stream-numbers.ts';

/** The numbers as they come back from memory that held something else before, and their form. */
function through(given: readonly number[]) {
  const numbers = Uint32Array.from(given);
  const form = formOfNumbers(numbers);
  const slab = makeSlab(1, new SharedArrayBuffer(Math.ceil((form.bytes + 32) / 8) * 8));
  slab.bytes.fill(0xff);
  writeNumbers(slab, 16, numbers, form);
  assert.ok(
    slab.bytes.subarray(16 + form.bytes).every((byte) => byte === 0xff),
    'nothing after them',
  );
  return { form, found: [...readNumbers(slab, 16, form)] };
}

describe('the numbers of streams in a record', () => {
  it('come back as they were', () => {
    const ascending = fc
      .uniqueArray(fc.oneof(fc.nat(300), fc.nat(2 ** 32 - 1)), { maxLength: 200 })
      .map((numbers) => numbers.sort((a, b) => a - b));
    fc.assert(fc.property(ascending, (numbers) => assert.deepEqual(through(numbers).found, numbers)));
  });

  it('are a bitmap where that is shorter', () => {
    assert.deepEqual(through([7]).form, { isBitmap: true, first: 7, bytes: 1 });
    assert.deepEqual(through([1, 1_000_000]).form, { isBitmap: false, first: 1, bytes: 8 });
    const many = Array.from({ length: 100_000 }, (_, i) => 5 + i);
    assert.equal(through(many).form.bytes, 12_500);
  });

  it('reach to the largest number there is', () => {
    const largest = 2 ** 32 - 1;
    assert.deepEqual(through([largest - 9, largest - 8, largest]).found, [largest - 9, largest - 8, largest]);
    assert.deepEqual(through([0, largest]).found, [0, largest]);
  });
});

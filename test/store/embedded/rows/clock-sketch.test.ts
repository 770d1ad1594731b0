import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clockSketch, hashRows, identityHash } from '../../../../src/store/embedded/rows/clock-sketch.ts';

const kept = 64;
const leastOf = (hashes: readonly number[]) => [...new Set(hashes)].sort((a, b) => a - b).slice(0, kept);

describe('a sketch of a clock', () => {
  it('has the least hashes of all that came, each once, whenever it is asked', () => {
    const anyHash = fc.oneof(
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.integer({ min: -40, max: 40 }),
      fc.constantFrom(-(2 ** 31), 2 ** 31 - 1),
    );
    const anyPayload = fc.record({
      hashes: fc.array(anyHash, { maxLength: 300, size: 'max' }),
      atOnce: fc.boolean(),
      asked: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyPayload, { maxLength: 6 }), (payloads) => {
        const sketch = clockSketch();
        const all: number[] = [];
        for (const { hashes, atOnce, asked } of payloads) {
          all.push(...hashes);
          // What stands behind the count is not of the payload.
          if (atOnce) sketch.addAll(Int32Array.from([...hashes, -7]), hashes.length);
          else for (const hash of hashes) sketch.add(hash);
          if (asked) assert.deepEqual([...sketch.hashes()], leastOf(all));
        }
        assert.deepEqual([...sketch.hashes()], leastOf(all));
        assert.equal(sketch.rows(), all.length);
      }),
    );
  });

  it('is of hashes that are the same one by one and all at once', () => {
    const offsets = Float64Array.of(0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40 + 5, 2 ** 50 - 1);
    const hashes = new Int32Array(offsets.length);
    hashRows(offsets, offsets.length, 3, 99, hashes);
    assert.deepEqual(
      [...hashes],
      Array.from(offsets, (offset) => identityHash(offset + 3, 99)),
    );
    assert.equal(new Set(hashes).size, offsets.length);
  });
});

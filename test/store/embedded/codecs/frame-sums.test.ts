import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { skipped } from '../../../../src/query/runs.ts';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { encodeStatistics } from '../../../../src/store/embedded/codecs/frame-statistics.ts';
import { sumRuns } from '../../../../src/store/embedded/codecs/frame-sums.ts';
import { encodeNumbers } from '../../../../src/store/embedded/codecs/number-codec.ts';

const frame = 128;

/** The sums of the runs that end at some places, every third one skipped; undefined where their form does not give them. */
function sumsOf(values: Float64Array, ends: readonly number[]): Float64Array | undefined {
  const out = new ByteWriter(1);
  const scaled = encodeNumbers(out, values, values.length);
  const numbers = Buffer.from(out.written());
  out.length = 0;
  encodeStatistics(out, values, values.length, scaled);
  const runs = {
    count: ends.length,
    ends: Uint32Array.from(ends),
    slots: Uint32Array.from(ends, (_, i) => (i % 3 === 2 ? skipped : i)),
  };
  const sums = new Float64Array(ends.length).fill(-1);
  const readers = [new ByteReader(numbers), new ByteReader(out.written())] as const;
  return sumRuns(...readers, values.length, runs, sums) ? sums : undefined;
}

/** Whole numbers over a power of ten, of any width, that jump or walk. */
const decimals = fc
  .record({
    bits: fc.integer({ min: 0, max: 43 }),
    exponent: fc.integer({ min: 0, max: 4 }),
    walks: fc.boolean(),
    count: fc.integer({ min: frame, max: 5 * frame }),
    base: fc.integer({ min: -1000, max: 1000 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  })
  .map(({ bits, exponent, walks, count, base, seed }) => {
    let state = seed;
    let before = base;
    const mantissas = Array.from({ length: count }, () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      const drawn = Math.floor((state / 2 ** 31) * 2 ** (walks ? Math.min(bits, 34) : bits));
      before = walks ? before + drawn : base + drawn;
      return before;
    });
    return { exponent, mantissas };
  });

describe('sums of runs of decimals', () => {
  it('are exact and rounded once, wherever they are cut', () => {
    let given = 0;
    fc.assert(
      fc.property(decimals, fc.array(fc.nat(), { maxLength: 12 }), ({ exponent, mantissas }, draws) => {
        const scale = 10 ** exponent;
        const count = mantissas.length;
        const cuts = draws.map((draw) => 1 + (draw % count));
        const ends = [...new Set([...cuts, count])].sort((a, b) => a - b);
        const sums = sumsOf(
          Float64Array.from(mantissas, (mantissa) => mantissa / scale),
          ends,
        );
        if (sums === undefined) return;
        given++;
        sums.forEach((sum, i) => {
          if (i % 3 === 2) return;
          const run = mantissas.slice(i === 0 ? 0 : ends[i - 1], ends[i]);
          assert.equal(sum, Number(run.reduce((a, b) => a + BigInt(b), 0n)) / scale);
        });
      }),
      { numRuns: 300 },
    );
    assert.ok(given > 150, `only ${given} runs had a form that gives sums`);
  });

  it('are not given of other numbers, nor beside values without a decimal form', () => {
    assert.equal(
      sumsOf(
        Float64Array.from({ length: 200 }, (_, i) => Math.sqrt(i)),
        [5, 200],
      ),
      undefined,
    );
    assert.equal(
      sumsOf(
        Float64Array.from({ length: 300 }, (_, i) => (i === 150 ? Number.NaN : i)),
        [5, 200],
      ),
      undefined,
    );
    assert.equal(
      sumsOf(
        Float64Array.from({ length: 300 }, (_, i) => (i === 150 ? Math.PI : i)),
        [5, 200],
      ),
      undefined,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { emptySums, type RunSums, skipped } from '../../../../src/query/runs/runs.ts';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import type { Scaled } from '../../../../src/store/embedded/codecs/decimal.ts';
import { encodeStatistics } from '../../../../src/store/embedded/codecs/frame-statistics.ts';
import { sumRuns } from '../../../../src/store/embedded/codecs/frame-sums.ts';
import { encodeIntegers } from '../../../../src/store/embedded/codecs/integer-frames.ts';
import { encodeIntegerRun } from '../../../../src/store/embedded/codecs/integer-run.ts';
import { encodeNumbers, Form, runFlag } from '../../../../src/store/embedded/codecs/number-codec.ts';
import { units } from '../../../query/reference-exact.ts';

const frame = 128;

const layouts = ['each head before its frame', 'heads together'] as const;

/** The bytes of decimals in a layout; of values without a whole decimal form, and where a layout does not serve, as they are written. */
function numbersOf(
  values: Float64Array,
  scaled: Scaled | undefined,
  layout: (typeof layouts)[number],
): Buffer {
  const out = new ByteWriter(1);
  if (scaled !== undefined && scaled.exceptions.length === 0) {
    const { exponent, mantissas } = scaled;
    const form = Form.Decimal | (exponent << 4);
    out.byte(layout === 'heads together' ? form | runFlag : form);
    if (layout === 'each head before its frame') encodeIntegers(out, mantissas, values.length);
    if (layout === 'each head before its frame' || encodeIntegerRun(out, mantissas, values.length))
      return Buffer.from(out.written());
    out.length = 0;
  }
  encodeNumbers(out, values, values.length);
  return Buffer.from(out.written());
}

/** So many were in that layout. */
let runsWithHeadsTogether = 0;

/**
 * The sums of the runs that end at some places, every third one skipped, which are the same in both layouts; undefined where
 * the form of the values does not give them.
 */
function sumsOf(values: Float64Array, ends: readonly number[]): RunSums | undefined {
  const out = new ByteWriter(1);
  const scaled = encodeNumbers(out, values, values.length);
  out.length = 0;
  encodeStatistics(out, values, values.length, scaled);
  const statistics = Buffer.from(out.written());
  const runs = {
    count: ends.length,
    ends: Uint32Array.from(ends),
    slots: Uint32Array.from(ends, (_, i) => (i % 3 === 2 ? skipped : i)),
  };
  const [apart, together] = layouts.map((layout) => {
    const numbers = numbersOf(values, scaled, layout);
    if ((numbers[0]! & 0x0f) === runFlag) runsWithHeadsTogether++;
    const sums = emptySums(ends.length);
    const areThere = sumRuns(new ByteReader(numbers), new ByteReader(statistics), values.length, runs, sums);
    return areThere ? sums : undefined;
  });
  assert.deepEqual(together, apart);
  return apart;
}

/** Whole numbers over a power of ten, of any range, that jump or walk. */
const decimals = fc
  .record({
    range: fc.oneof(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 43 }).map((bits) => 2 ** bits),
    ),
    exponent: fc.integer({ min: 0, max: 4 }),
    walks: fc.boolean(),
    count: fc.integer({ min: frame, max: 12 * frame }),
    base: fc.integer({ min: -1000, max: 1000 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  })
  .map(({ range, exponent, walks, count, base, seed }) => {
    let state = seed;
    let before = base;
    const mantissas = Array.from({ length: count }, () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      const drawn = Math.floor((state / 2 ** 31) * (walks ? Math.min(range, 2 ** 34) : range));
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
        sums.high.forEach((sum, i) => {
          if (i % 3 === 2) return;
          const run = mantissas.slice(i === 0 ? 0 : ends[i - 1], ends[i]);
          const total = run.reduce((a, b) => a + BigInt(b), 0n);
          assert.equal(sum, Number(total) / scale);
          // In units of 2^-1074: what was rounded off stands beside, but for its own last digits.
          const left = total * 2n ** 1074n - (units(sum) + units(sums.low[i]!)) * BigInt(scale);
          assert.ok(
            left ** 2n <= (units(sum) >> 100n) ** 2n * BigInt(scale) ** 2n,
            `${sum} and ${sums.low[i]}`,
          );
        });
      }),
      { numRuns: 300 },
    );
    assert.ok(given > 150, `only ${given} columns had a form that gives sums`);
    assert.ok(runsWithHeadsTogether > 60, `only ${runsWithHeadsTogether} columns had their heads together`);
  });

  it('are exact or not given where one large step back is among small ones', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 43 }),
        fc.integer({ min: 40, max: 110 }),
        fc.integer({ min: 1, max: 3 * frame - 1 }),
        fc.integer({ min: 1, max: 999 }),
        (bits, back, cut, odd) => {
          const drop = Math.floor(2 ** bits * 0.98);
          const mantissas: number[] = [];
          for (let i = 0, value = 0; i < 3 * frame; i++) {
            value = i % frame === 0 ? odd - Math.floor(drop * 0.7) : value + Math.floor(drop / 86) + (i % 7);
            if (i % frame === back) value -= drop;
            mantissas.push(value);
          }
          const sums = sumsOf(Float64Array.from(mantissas), [cut, 3 * frame]);
          if (sums === undefined) return assert.ok(bits > 30, `no sums with ${bits} bits`);
          const runs = [mantissas.slice(0, cut), mantissas.slice(cut)];
          const expected = runs.map((run) => Number(run.reduce((a, b) => a + BigInt(b), 0n)));
          assert.deepEqual([...sums.high], expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are exact or not given where sums on the way are too large to be', () => {
    let [given, kept] = [0, 0];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 2 * frame }),
        fc.integer({ min: 0, max: 40 }),
        (frames, odd, below) => {
          // Up as far as a frame may be, and down again: what is left is small.
          const most = 2 ** (44 - (below >> 2)) - 1;
          const mantissas = Array.from({ length: 2 * frames * frame }, (_, i) =>
            i < frames * frame ? most - (i % odd === 0 ? 1 : 0) : (i % 3) - most,
          );
          const sums = sumsOf(Float64Array.from(mantissas), [mantissas.length]);
          given++;
          if (sums === undefined) return;
          kept++;
          assert.deepEqual([...sums.high], [Number(mantissas.reduce((a, b) => a + BigInt(b), 0n))]);
        },
      ),
      { numRuns: 300 },
    );
    assert.ok(kept > given / 4, `only ${kept} of ${given}`);
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

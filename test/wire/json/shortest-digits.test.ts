import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { longestNumber, putDouble } from '../../../src/wire/json/json-number-writer.ts';
import { findDigits } from '../../../src/wire/json/shortest-digits.ts';

const bytes = Buffer.alloc(longestNumber);
const view = new DataView(bytes.buffer, bytes.byteOffset);

/** The text of a number in a column whose numbers had so many decimals. */
function textOf(value: number, guess: number): string {
  return bytes.toString('latin1', 0, putDouble({ bytes, view }, 0, value, { guess }));
}

/** The double so many places after another. */
function nextBy(value: number, steps: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps));
  return view.getFloat64(0);
}

describe('the shortest digits of a double', () => {
  const ofBits = fc.bigInt({ min: 0n, max: 2n ** 52n - 1n });
  const magnitudes = fc.oneof(
    // All that are written without an exponent.
    fc.tuple(ofBits, fc.integer({ min: -20, max: 49 })).map(([bits, exponent]) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, (BigInt(exponent + 1023) << 52n) | bits);
      return view.getFloat64(0);
    }),
    fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 21 })).map(([m, k]) => Math.abs(m / 10 ** k)),
    fc.tuple(fc.nat(), fc.integer({ min: 1, max: 10_000 })).map(([sum, count]) => sum / 1000 / count),
    // Neighbours of powers of ten and two.
    fc
      .tuple(fc.integer({ min: -6, max: 15 }), fc.integer({ min: -50, max: 50 }))
      .map(([exponent, steps]) => nextBy(Number(`1e${exponent}`), steps)),
    fc
      .tuple(fc.integer({ min: -19, max: 49 }), fc.integer({ min: -50, max: 50 }))
      .map(([exponent, steps]) => nextBy(2 ** exponent, steps)),
  );

  it('are those that the engine writes', () => {
    fc.assert(
      fc.property(magnitudes, fc.nat({ max: 9 }), (value, guess) => {
        assert.equal(textOf(value, guess), String(value));
        if (value > 0) assert.equal(textOf(-value, guess), String(-value));
      }),
      { numRuns: 50_000 },
    );
  });

  it('are found for nearly all numbers', () => {
    const found = { upper: 0, lower: 0, before: 0 };
    let left = 0;
    for (let i = 1; i <= 100_000; i++) {
      const value = (i * 7919) / 1000 / 360;
      const whole = Math.floor(value);
      if (whole === value) continue;
      if (!findDigits(value, whole === 0 ? 0 : String(whole).length, found)) left++;
    }
    assert.ok(left < 10, `${left} are left to the engine`);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { valueTexts } from '../../../web/src/plots/value-texts.ts';

describe('what an axis says', () => {
  it('has the digits of its step', () => {
    assert.deepEqual(valueTexts([0, 0.0025, 0.005, 0.0075], 0.0025), ['0', '0.0025', '0.005', '0.0075']);
    assert.deepEqual(valueTexts([-0.5, 0, 0.5], 0.5), ['-0.5', '0', '0.5']);
    assert.deepEqual(valueTexts([10_600, 10_800], 200), ['10,600', '10,800']);
    assert.deepEqual(valueTexts([-1e-17, 0.1], 0.1), ['0', '0.1']);
    assert.deepEqual(valueTexts([-1e9, 1e9 - 1], 1), ['-1e9', '9.99999999e8']);
    assert.deepEqual(valueTexts([-2e7, 0], 1e7), ['-2e7', '0']);
    assert.deepEqual(valueTexts([1_000_000, 1_200_000], 2e5), ['1,000,000', '1,200,000']);
    assert.deepEqual(valueTexts([0, 2e-7], 2e-7), ['0', '2e-7']);
    assert.deepEqual(valueTexts([0, 2.5e12], 2.5e12), ['0', '2.5e12']);
    assert.deepEqual(valueTexts([null, 1], 1), ['', '1']);
  });

  it('writes numbers below 1e9 as the format of the language does', () => {
    const [digits, power] = [fc.integer({ min: 0, max: 7 }), fc.integer({ min: -6, max: 9 })];
    const share = fc.double({ min: -1, max: 1, minExcluded: true, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(digits, share, power, (most, share, power) => {
        const place = share * 10 ** power;
        const format = new Intl.NumberFormat('en', { maximumFractionDigits: most, signDisplay: 'negative' });
        // A step has a digit less than what is told.
        const step = 10 ** (1 - most);
        if (Math.ceil(-Math.log10(step)) + 1 !== most) return;
        // The format rounds the shortest digits of a number, the axis the number itself: they differ where the former end in 5.
        const oneMore = place.toFixed(most + 1);
        if (oneMore.endsWith('5') && Number(oneMore) === place) return;
        // Where a power of ten is shorter, it is told.
        const [text] = valueTexts([place], step);
        if (!text!.includes('e')) assert.equal(text, format.format(place));
        else assert.ok(text!.length < format.format(place).length && Math.abs(place) > 1e6);
      }),
    );
  });

  it('is what stands there, and alike nowhere', () => {
    const steps = fc.tuple(fc.constantFrom(1, 2, 2.5, 5), fc.integer({ min: -12, max: 12 }));
    fc.assert(
      fc.property(steps, fc.integer({ min: -9999, max: 9999 }), ([digit, power], first) => {
        const step = digit * 10 ** power;
        const places = Array.from({ length: 6 }, (_, i) => (first + i) * step);
        const texts = valueTexts(places, step);
        assert.equal(new Set(texts).size, texts.length, texts.join(' '));
        for (const [i, text] of texts.entries()) {
          const said = Number(text.replaceAll(',', ''));
          assert.ok(Math.abs(said - places[i]!) < step / 1000, `${text} for ${places[i]}`);
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../src/demo/random.ts';
import { spectrumOf } from '../../../web/src/beside/spectrum-load.ts';
import { nearestPeak, peaksOf, strongestOf } from '../../../web/src/beside/spectrum-peaks.ts';

const start = 1_800_000_000_000_000_001n;
const at = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));
const wave = (seconds: number) => 50 + 4 * Math.sin(2 * Math.PI * 5 * seconds);

/** The spectrum of a wave of 5 Hz at these seconds, and where it is strongest. */
function spectrumAt(seconds: readonly number[]) {
  const spectrum = spectrumOf(seconds.map(at), seconds.map(wave), false);
  assert.ok(spectrum !== undefined);
  const peaks = peaksOf(spectrum);
  const strongest = strongestOf(peaks);
  return { ...spectrum, hertz: peaks.hertz[strongest]!, amplitude: peaks.amplitudes[strongest]! };
}

describe('the spectrum of rows', () => {
  const even = Array.from({ length: 1000 }, (_, i) => i / 100);

  it('is of the rows themselves where they are even', () => {
    const { isEven, rate, rows, seconds, of, hertz, amplitude, step } = spectrumAt(even);
    assert.deepEqual([isEven, rows], [true, 1000]);
    for (const [is, should] of [
      [rate, 100],
      [seconds, 9.99],
      [of, 9.99],
      [step, 100 / 4096],
    ] as const)
      assert.ok(Math.abs(is - should) < 1e-6, `${is} for ${should}`);
    assert.ok(Math.abs(hertz - 5) <= 2 * step, `${hertz} Hz`);
    assert.ok(Math.abs(amplitude - 4) < 0.1, `${amplitude}`);
  });

  it('is of straight lines between rows where they are uneven, at the usual rate', () => {
    const random = seededRandom(5);
    const uneven = even.map((time) => time + random() * 0.004);
    const { isEven, rate, hertz, amplitude, step } = spectrumAt(uneven);
    assert.equal(isEven, false);
    assert.ok(rate >= 99.9 && rate < 105, `${rate}`);
    assert.ok(Math.abs(hertz - 5) <= 4 * step, `${hertz} Hz`);
    assert.ok(Math.abs(amplitude - 4) < 0.2, `${amplitude}`);
  });

  it('is of the longest stretch without a gap', () => {
    const { rows, seconds, of, isEven } = spectrumAt(even.filter((_, i) => i < 300 || i >= 400));
    assert.deepEqual([rows, isEven], [600, true]);
    assert.ok(Math.abs(seconds - 5.99) < 1e-6 && Math.abs(of - 9.99) < 1e-6, `${seconds} of ${of}`);
  });

  it('leaves out rows without a number and times that come twice, and needs 8 rows', () => {
    const times = [0, 0, 1, 2, 3, 4, 5, 6, 7].map(at);
    assert.equal(spectrumOf(times, [1, 9, 2, 3, 4, 5, 6, 7, 8], false)?.rows, 8);
    assert.equal(spectrumOf(times, [1, 9, 2, 3, null, 5, 6, 7, 8], true), undefined);
    assert.equal(spectrumOf([], [], false), undefined);
  });
});

describe('what is drawn of a spectrum', () => {
  it('keeps the strongest of each few frequencies', () => {
    const amplitudes = new Float64Array(10_000).fill(1);
    amplitudes[7777] = 9;
    const peaks = peaksOf({ amplitudes, step: 0.5 });
    assert.ok(peaks.hertz.length <= 600);
    assert.deepEqual([peaks.hertz[strongestOf(peaks)], peaks.amplitudes[strongestOf(peaks)]], [7777 / 2, 9]);
  });

  it('is read at the nearest one, and not beyond the last', () => {
    const peaks = peaksOf({ amplitudes: Float64Array.of(1, 2, 3), step: 10 });
    assert.deepEqual(
      [0, 4, 6, 20, 24, 26].map((hertz) => nearestPeak(peaks, hertz)),
      [0, 0, 1, 2, 2, undefined],
    );
  });
});

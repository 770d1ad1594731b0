import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../src/demo/random.ts';
import { amplitudesOf, transform } from '../../../web/src/beside/fft.ts';
import { peaksOf, strongestOf } from '../../../web/src/beside/spectrum-peaks.ts';
import { windowNames } from '../../../web/src/beside/windows.ts';

/** By the definition: a sum for each frequency. */
function plain(values: ArrayLike<number>): { real: number[]; imaginary: number[] } {
  const real: number[] = [];
  const imaginary: number[] = [];
  for (let k = 0; k < values.length; k++) {
    let [a, b] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      const angle = (-2 * Math.PI * k * i) / values.length;
      a += values[i]! * Math.cos(angle);
      b += values[i]! * Math.sin(angle);
    }
    real.push(a);
    imaginary.push(b);
  }
  return { real, imaginary };
}

describe('the fast transform', () => {
  for (const size of [1, 2, 4, 8, 64, 512]) {
    it(`gives what the definition gives, of ${size} values`, () => {
      const random = seededRandom(size);
      const values = Float64Array.from({ length: size }, () => random() * 20 - 10);
      const expected = plain(values);
      const imaginary = new Float64Array(size);
      transform(values, imaginary);
      for (let i = 0; i < size; i++) {
        assert.ok(Math.abs(values[i]! - expected.real[i]!) < 1e-9 * size, `real part ${i}`);
        assert.ok(Math.abs(imaginary[i]! - expected.imaginary[i]!) < 1e-9 * size, `imaginary part ${i}`);
      }
    });
  }
});

describe('amplitudes', () => {
  /** Windowed and without the mean, by the definition, as many zeros behind as `size` has room for. */
  function expected(values: Float64Array, size: number): number[] {
    const weights = Array.from(values, (_, i) => 0.5 * (1 - Math.cos((2 * Math.PI * i) / values.length)));
    const weight = weights.reduce((sum, own) => sum + own, 0);
    const mean = values.reduce((sum, value, i) => sum + value * weights[i]!, 0) / weight;
    const padded = Array.from({ length: size }, (_, i) =>
      i < values.length ? (values[i]! - mean) * weights[i]! : 0,
    );
    const { real, imaginary } = plain(padded);
    return Array.from({ length: size / 2 + 1 }, (_, i) => {
      const both = i === 0 || i === size / 2 ? 1 : 2;
      return (both * Math.sqrt(real[i]! ** 2 + imaginary[i]! ** 2)) / weight;
    });
  }

  it('are none of what stands still', () => {
    for (const value of [0, 42, -0.1, 1e15 + 0.3]) {
      const { values } = amplitudesOf(Float64Array.from({ length: 500 }, () => value));
      assert.ok(
        values.every((own) => own === 0),
        String(value),
      );
    }
  });

  for (const [length, size] of [
    [64, 256],
    [100, 512],
    [9, 64],
  ] as const) {
    it(`are those of the definition, of ${length} values`, () => {
      const random = seededRandom(length);
      const values = Float64Array.from({ length }, () => 100 + random());
      const { step, values: found } = amplitudesOf(values);
      assert.equal(step, 1 / size);
      const told = expected(values, size);
      assert.equal(found.length, told.length);
      for (const [i, value] of told.entries()) assert.ok(Math.abs(found[i]! - value) < 1e-9, `at ${i}`);
    });
  }

  it('of a sine are its own at its frequency, whatever it swings about', () => {
    const values = Float64Array.from(
      { length: 256 },
      (_, i) => 1e6 + 3 * Math.sin((2 * Math.PI * 32 * i) / 256),
    );
    const { values: found } = amplitudesOf(values);
    assert.ok(Math.abs(found[128]! - 3) < 1e-6, String(found[128]));
    // Frequencies that the values tell apart are four steps from each other.
    for (let i = 0; i < found.length; i += 4)
      if (Math.abs(i - 128) > 4) assert.ok(found[i]! < 1e-6, `${i}: ${found[i]}`);
  });

  for (const window of windowNames)
    it(`of a sine between two frequencies are its own, with the window ${window}`, () => {
      for (const turns of [32, 32.05, 32.1, 32.125, 32.3, 32.5, 32.77, 32.9])
        for (const pieces of [1, 4]) {
          const length = 256 * pieces;
          const values = Float64Array.from(
            { length },
            (_, i) => 7 + 3 * Math.sin((2 * Math.PI * turns * i) / 256 + 0.4),
          );
          const { values: found, step } = amplitudesOf(values, window, pieces);
          const peaks = peaksOf({ amplitudes: found, step });
          const top = strongestOf(peaks);
          const [at, amplitude] = [peaks.hertz[top]!, peaks.amplitudes[top]!];
          const what = `${amplitude} at ${at * 256} of ${turns} turns, mean of ${pieces}`;
          // Without a window other turns leak in.
          assert.ok(Math.abs(amplitude / 3 - 1) < (window === 'none' ? 0.03 : 0.002), what);
          // What is flat on top says less of where it is.
          assert.ok(Math.abs(at * 256 - turns) < (window === 'flat-top' ? 0.3 : 0.1), what);
        }
    });

  it('of noise become smooth with more pieces, and keep their size', () => {
    const random = seededRandom(9);
    const noise = Float64Array.from({ length: 16_384 }, () => random() - 0.5);
    const spreadOf = (pieces: number) => {
      const squares = [...amplitudesOf(noise, 'hann', pieces).values].slice(8, -8).map((value) => value ** 2);
      const mean = squares.reduce((sum, value) => sum + value, 0) / squares.length;
      return Math.sqrt(squares.reduce((sum, value) => sum + (value - mean) ** 2, 0) / squares.length) / mean;
    };
    assert.ok(spreadOf(1) > 0.9 && spreadOf(32) < 0.25, `${spreadOf(1)} ${spreadOf(32)}`);
  });

  it('of fewer values than pieces need are those of fewer pieces', () => {
    const { values } = amplitudesOf(Float64Array.of(1, 2, 1, 2, 1, 2, 1, 2, 1, 2), 'hann', 32);
    assert.ok(values.length > 2 && values.every(Number.isFinite));
  });
});

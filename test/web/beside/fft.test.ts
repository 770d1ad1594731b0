import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../src/demo/random.ts';
import { amplitudesOf, transform } from '../../../web/src/beside/fft.ts';

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

  it('of a sine between two frequencies lose 1 % at most', () => {
    for (const turns of [32.1, 32.125, 32.3, 32.5, 32.9]) {
      const values = Float64Array.from({ length: 256 }, (_, i) => Math.sin((2 * Math.PI * turns * i) / 256));
      const most = Math.max(...amplitudesOf(values).values);
      assert.ok(most > 0.989 && most < 1.005, `${most} of ${turns} turns`);
    }
  });
});

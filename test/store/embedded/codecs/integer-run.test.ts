import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { encodeIntegers, frameSize } from '../../../../src/store/embedded/codecs/integer-frames.ts';
import { decodeIntegerRun, encodeIntegerRun } from '../../../../src/store/embedded/codecs/integer-run.ts';

const largest = 2 ** 52 - 1;

function encoded(values: Float64Array): Buffer | undefined {
  const out = new ByteWriter(1);
  out.byte(7);
  const isRun = encodeIntegerRun(out, values, values.length);
  assert.equal(out.bytes[0], 7);
  if (!isRun) assert.equal(out.length, 1);
  return isRun ? out.written().subarray(1) : undefined;
}

function assertRoundTrip(values: Float64Array): void {
  const bytes = encoded(values);
  if (bytes === undefined) return;
  const reader = new ByteReader(bytes);
  assert.deepEqual(decodeIntegerRun(reader, values.length, 1), values);
  assert.equal(reader.position, reader.end);
}

/** Numbers that go up by `step` and what `noise` gives. */
function climb(count: number, step: number, noise: (i: number) => number, start = 0): Float64Array {
  let value = start;
  return Float64Array.from({ length: count }, (_, i) => {
    value += step + noise(i);
    return value;
  });
}

describe('integer runs', () => {
  it('give back climbs of every width, from small and from large numbers', () => {
    for (let width = 0; width <= 40; width++) {
      const range = 2 ** width - 1;
      for (const start of [0, -(2 ** 30), 2 ** 31, -(2 ** 51)]) {
        const values = climb(1000, 3, (i) => (i % 2 === 0 ? 0 : range), start);
        assert.ok(encoded(values) !== undefined || range > 2 ** 33, `width ${width} from ${start}`);
        assertRoundTrip(values);
      }
    }
  });

  it('give back sums at the edges of 32 bits', () => {
    for (const edge of [2 ** 31, -(2 ** 31)]) {
      for (let distance = -3; distance <= 3; distance++) {
        assertRoundTrip(climb(500, Math.sign(edge), () => 0, edge - Math.sign(edge) * 300 + distance));
      }
    }
  });

  it('give back numbers that leap, without differences', () => {
    for (const range of [2, 501, 2 ** 24, 2 ** 36, 2 ** 50]) {
      const values = Float64Array.from(
        { length: 1000 },
        (_, i) => ((i * 7919) % 501) * Math.floor(range / 501 + 1),
      );
      assert.ok(encoded(values) !== undefined);
      assertRoundTrip(values);
    }
  });

  it('give back any walk, with frames of both forms', () => {
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: -5, max: 5 }) },
      { weight: 1, arbitrary: fc.integer({ min: -(2 ** 45), max: 2 ** 45 }) },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 384, maxLength: 900 }), (steps) => {
        let value = 0;
        const walk = Float64Array.from(steps, (one) => {
          value = Math.max(-largest, Math.min(largest, value + one));
          return value;
        });
        assertRoundTrip(walk);
      }),
    );
  });

  it('unpack only the frames that are marked, and divide them', () => {
    const values = climb(1000, 2, (i) => i % 3, -500);
    const into = new Float64Array(1000).fill(-1);
    const marks = Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 1);
    const reader = new ByteReader(encoded(values)!);
    decodeIntegerRun(reader, 1000, 10, into, marks);
    assert.equal(reader.position, reader.end);
    const wanted = values.map((value, i) => (marks[Math.floor(i / frameSize)] === 1 ? value / 10 : -1));
    assert.deepEqual(into, wanted);
  });

  it('take fewer bytes than frames with heads of their own, or are not written', () => {
    const values = climb(8192, 0, (i) => ((i * 7919) % 501) - 250);
    const out = new ByteWriter();
    encodeIntegers(out, values, values.length);
    assert.ok(encoded(values)!.length < out.length - 2 * 64);
    assert.equal(encoded(new Float64Array(256).fill(5)), undefined);
  });

  it('refuse frames of an unknown form and bits that are cut', () => {
    const bytes = Buffer.from(encoded(climb(1000, 1, (i) => i % 2))!);
    assert.throws(() => decodeIntegerRun(new ByteReader(bytes.subarray(0, -1)), 1000, 1), RangeError);
    bytes[1] = 54;
    assert.throws(() => decodeIntegerRun(new ByteReader(bytes), 1000, 1), RangeError);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { scaleToIntegers } from '../../../../src/store/embedded/codecs/decimal.ts';
import {
  decodeStatistics,
  encodeStatistics,
  type FrameStatistics,
} from '../../../../src/store/embedded/codecs/frame-statistics.ts';

function statisticsOf(values: readonly number[]): FrameStatistics {
  const out = new ByteWriter(1);
  const doubles = Float64Array.from(values);
  encodeStatistics(out, doubles, values.length, scaleToIntegers(doubles, values.length));
  const reader = new ByteReader(out.written());
  const statistics = decodeStatistics(reader, values.length);
  assert.equal(reader.position, reader.end);
  return statistics;
}

describe('frame statistics', () => {
  it('tell first, smallest, largest and sum of each frame, the shorter last one too', () => {
    const values = Array.from({ length: 300 }, (_, i) => ((i * 37) % 101) - 20);
    const { first, min, max, sum } = statisticsOf(values);
    const frames = [values.slice(0, 128), values.slice(128, 256), values.slice(256)];
    assert.deepEqual(
      Array.from(first),
      frames.map((frame) => frame[0]),
    );
    assert.deepEqual(
      Array.from(min),
      frames.map((frame) => Math.min(...frame)),
    );
    assert.deepEqual(
      Array.from(max),
      frames.map((frame) => Math.max(...frame)),
    );
    assert.deepEqual(
      Array.from(sum),
      frames.map((frame) => frame.reduce((a, b) => a + b)),
    );
  });

  it('sum decimals exactly', () => {
    assert.equal(statisticsOf(new Array<number>(128).fill(0.1)).sum[0], 12.8);
  });

  it('say that the sum of all is exact only where it was at every frame on the way', () => {
    const large = 2 ** 44 - 2 ** 20 + 1;
    const frames = [...new Array<number>(20).fill(large), ...new Array<number>(20).fill(-large)];
    const values = Float64Array.from(frames.flatMap((value) => new Array<number>(128).fill(value)));
    values[0] = large + 2;
    values[200] = large + 1;
    const totalsOf = (count: number) =>
      encodeStatistics(new ByteWriter(1), values, count, scaleToIntegers(values, count));
    assert.equal(totalsOf(128)?.isExact, true);
    assert.equal(totalsOf(values.length)?.isExact, false);
  });

  it('agree with the values, whatever these are', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.integer().map((m) => m / 1000),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const { first, min, max } = statisticsOf(values);
        for (let frame = 0; frame < first.length; frame++) {
          if (Number.isNaN(first[frame])) continue;
          const part = values.slice(frame * 128, frame * 128 + 128);
          assert.ok(first[frame] === part[0]);
          assert.ok(min[frame] === Math.min(...part));
          assert.ok(max[frame] === Math.max(...part));
        }
      }),
    );
  });

  it('are missing for a frame with a NaN, an infinity, an exception or an inexact sum, and only for that', () => {
    for (const odd of [NaN, Infinity, -Infinity]) {
      const decimals = new Array<number>(384).fill(1.5);
      const doubles = new Array<number>(384).fill(1 / 3);
      for (const values of [decimals, doubles]) {
        values[200] = odd;
        const { first, min, max, sum } = statisticsOf(values);
        for (const of of [first, min, max, sum]) {
          assert.deepEqual(
            Array.from(of, (entry) => Number.isNaN(entry)),
            [false, true, false],
          );
        }
      }
    }
    for (const odd of [1 / 3, 2 ** 50]) {
      const values = new Array<number>(384).fill(7);
      values[0] = odd;
      assert.deepEqual(Array.from(statisticsOf(values).sum), [NaN, 896, 896]);
    }
  });
});

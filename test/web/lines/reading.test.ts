import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParameterData } from '../../../src/client/models.ts';
import { bucketPoints, bucketsAt, rowPoints } from '../../../web/src/lines/points.ts';
import { readingAt, shortText, valueText, whenText } from '../../../web/src/lines/reading.ts';

const start = 1_800_000_000_000_000_001n;
const place = (time: bigint) => Number(time - start);

function dataOf(
  timestamps: readonly bigint[],
  numericValues: Readonly<Record<string, readonly (number | null)[]>>,
): ParameterData {
  return { timestamps, numericValues, stringValues: {}, binaryValues: {}, tagValues: {} };
}

describe('a reading of rows', () => {
  const times = [0n, 10n, 20n, 30n, 200n, 210n].map((offset) => start + offset);
  const points = rowPoints(dataOf(times, { v: [1, null, 2.5, -0, 4, Number.NaN] }), 'v', place);
  const at = (x: number) => {
    const reading = readingAt(points, x, 2);
    return reading && `${valueText(reading)} at ${place(reading.span.from)}`;
  };

  it('is the one that holds there, with every digit', () => {
    assert.equal(at(9), '1 at 0');
    assert.equal(at(19), '1 at 0');
    assert.equal(at(20), '2.5 at 20');
    assert.equal(at(29), '2.5 at 20');
    assert.equal(at(207), '4 at 200');
    assert.equal(at(210), 'NaN at 210');
  });

  it('is none in a gap and beyond the ends, but for a few pixels', () => {
    assert.equal(at(32), '-0 at 30');
    assert.equal(at(33), undefined);
    assert.equal(at(197), undefined);
    assert.equal(at(198), '4 at 200');
    assert.equal(at(-3), undefined);
    assert.equal(at(213), undefined);
    assert.equal(readingAt(rowPoints(dataOf([], {}), 'v', place), 0, 2), undefined);
  });

  it('tells the nanosecond, centuries from the origin', () => {
    const far = rowPoints(dataOf([0n, start + 7n], { v: [1, 2] }), 'v', (time) => Number(time) / 1e9);
    const reading = readingAt(far, 1.8e9, 1);
    assert.equal(reading && whenText(reading), '2027-01-15 08:00:00.000000008');
  });

  it('has all rows of one time', () => {
    const both = rowPoints(dataOf([start, start, start + 1n], { v: [3, 1, 2] }), 'v', place);
    const reading = readingAt(both, 0, 0.2)!;
    assert.equal(valueText(reading), '1 … 3');
    assert.equal(whenText(reading), '2 rows, 2027-01-15 08:00:00.000000001');
  });
});

describe('a reading of a bucket', () => {
  const range = { from: start + 5n, to: start + 27n };
  const data = dataOf([start, start + 10n, start + 20n], {
    'min(v)': [1, null, 0.25],
    'max(v)': [1, null, 0.75],
    'count(v)': [1, 0, 12],
  });
  const points = bucketPoints(data, 'v', bucketsAt(data.timestamps, 10n, place), range);

  it('says how many rows it has, and of which time; as much of it as was asked for', () => {
    const [first, last] = [readingAt(points, 5, 1)!, readingAt(points, 24, 1)!];
    assert.equal(valueText(first), '1');
    assert.equal(whenText(first), '1 row, 2027-01-15 08:00:00.000000006 … 08:00:00.000000010');
    assert.equal(valueText(last), '0.25 … 0.75');
    assert.equal(valueText({ ...last, low: 100, high: 100 }), '100');
    assert.deepEqual(last.span, { from: start + 20n, to: start + 27n });
    assert.deepEqual([last.x, last.rows], [25, 12]);
  });
});

describe('a number where there is little room', () => {
  it('has five digits, all of a whole number, and its power of ten', () => {
    const texts = [Math.PI, 123_456_789, 9_007_199_254_740_299, -1.8172584e299, -1.8173e-7, 0];
    assert.deepEqual(texts.map(shortText), [
      '3.1416',
      '123456789',
      '9.0072e15',
      '-1.8173e299',
      '-1.8173e-7',
      '0',
    ]);
    // Digits before the point are those of the number, never zeros in their place.
    assert.deepEqual([1236066.75, -1236066.75, 99999.6, 123456.5, 12345.678, 999999999.4].map(shortText), [
      '1236067',
      '-1236067',
      '100000',
      '123457',
      '12346',
      '999999999',
    ]);
    assert.deepEqual([Number.NaN, Number.NEGATIVE_INFINITY].map(shortText), ['NaN', '-Infinity']);
  });
});

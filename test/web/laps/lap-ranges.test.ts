import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CountBucket,
  type Counted,
  changesOf,
  changingBuckets,
} from '../../../web/src/laps/count-changes.ts';
import { beginOfWay } from '../../../web/src/laps/counted-borders.ts';
import { lapRangesOf, whyNoCount } from '../../../web/src/laps/lap-ranges.ts';

/** Rows ten nanoseconds apart. */
const rowsOf = (...values: number[]) => values.map((value, i) => ({ time: BigInt(i * 10), value }));
const counted = (...values: number[]): Counted => ({
  changes: changesOf(rowsOf(...values)),
  fraction: values.find((value) => !Number.isInteger(value)),
});
const laps = (...values: number[]) => lapRangesOf(counted(...values).changes);

describe('laps that a channel counts', () => {
  it('go from the first row of a number to the first row of the next one', () => {
    assert.deepEqual(
      laps(1, 1, 1, 2, 2, 3).map(({ name, from, to, before }) => ({ name, from, to, before })),
      [
        { name: '1', from: 0n, to: 30n, before: undefined },
        { name: '2', from: 30n, to: 50n, before: 20n },
        { name: '3', from: 50n, to: undefined, before: 40n },
      ],
    );
    assert.deepEqual(laps(), []);
  });

  it('have names of their own where the count begins anew', () => {
    assert.deepEqual(
      laps(1, 2, 3, 0, 1, 2, 0, 1).map(({ name }) => name),
      ['1', '2', '3', '0', '1 (2)', '2 (2)', '0 (2)', '1 (3)'],
    );
  });

  it('are not whole where the count does not go up by one', () => {
    const [one, three, none, again] = laps(1, 3, 0, 1);
    assert.equal(one!.whyNotBegun, undefined);
    assert.equal(one!.whyNotEnded, 'Not whole: the count goes from 1 to 3 where it ends.');
    assert.equal(three!.whyNotBegun, 'Not whole: the count goes from 1 to 3 where it begins.');
    assert.equal(three!.whyNotEnded, 'Not whole: the count goes from 3 to 0 where it ends.');
    assert.equal(none!.whyNotEnded, undefined);
    assert.equal(again!.whyNotBegun, undefined);
  });

  it('are by the whole part of the numbers', () => {
    assert.deepEqual(
      laps(0, 0.5, 0.9, 1.2, 1.7, 2).map(({ name, from }) => [name, from]),
      [
        ['0', 0n],
        ['1', 30n],
        ['2', 50n],
      ],
    );
  });

  it('take the largest number of rows of one time', () => {
    const rows = [
      { time: 0n, value: 1 },
      { time: 10n, value: 2 },
      { time: 10n, value: 1 },
      { time: 20n, value: 2 },
    ];
    assert.deepEqual(changesOf(rows), [
      { time: 0n, count: 1, before: undefined },
      { time: 10n, count: 2, before: 0n },
    ]);
  });
});

describe('a channel', () => {
  it('counts laps where it goes up, and begins anew at 0 or 1', () => {
    for (const values of [[1, 2, 3], [0, 1], [7], [1, 2, 3, 0, 0, 1, 2], [3, 0, 4, 5], [1, 3, 4]])
      assert.equal(whyNoCount(counted(...values)), undefined, String(values));
  });

  it('does not where it stands still, swings, counts back, or has fractions', () => {
    assert.equal(whyNoCount(counted()), 'it does not count');
    assert.equal(whyNoCount(counted(0, 0, 0)), 'it does not count');
    assert.equal(whyNoCount(counted(0, 1, 0, 1, 0)), 'it goes to and fro between two values');
    assert.equal(whyNoCount(counted(5, 4, 3)), 'it counts back from 5 to 4');
    assert.equal(whyNoCount(counted(1, 1.5, 2)), 'it has values that are not whole numbers (1.5)');
    assert.equal(whyNoCount(undefined), 'its value changes too often');
  });
});

describe('buckets in which a count changes', () => {
  const bucket = (i: number, low: number, high = low): CountBucket => ({
    from: BigInt(i * 100),
    to: BigInt(i * 100 + 99),
    low,
    high,
    rows: 10,
  });

  const placesOf = (buckets: readonly CountBucket[], isFromFirst: boolean) =>
    changingBuckets(buckets, isFromFirst).map((own) => buckets.indexOf(own));

  it('are those with two numbers, and those that differ from the one before', () => {
    const buckets = [bucket(0, 1), bucket(1, 1), bucket(2, 1, 2), bucket(3, 2), bucket(7, 2), bucket(8, 3)];
    assert.deepEqual(placesOf(buckets, true), [0, 2, 5]);
    assert.deepEqual(placesOf(buckets, false), [2, 5]);
  });

  it('are none where a fraction alone changes', () => {
    const buckets = [bucket(0, 1), bucket(1, 1.1, 1.9), bucket(2, 1, 2), bucket(3, 2, 3), bucket(4, 4)];
    assert.deepEqual(placesOf(buckets, false), [2, 3, 4]);
  });
});

describe('the begin of a way', () => {
  const places = (...own: (number | null)[]) => own.map((place, i) => ({ time: BigInt(i), place }));

  it('is where it falls by most of what it was, and the one that is nearest', () => {
    assert.equal(beginOfWay(places(990, 995, null, 2, 7), 4n), 3n);
    assert.equal(beginOfWay(places(990, 1, 5, 980, 3), 4n), 4n);
    assert.equal(beginOfWay(places(990, 995, 993, 999), 2n), undefined);
    const many = Array.from({ length: 300_000 }, (_, i) => ({ time: BigInt(i), place: i % 200_000 }));
    assert.equal(beginOfWay(many, 0n), 200_000n);
    assert.equal(beginOfWay(places(990, 0.4, 0.1, 3), 2n), 1n);
    assert.equal(beginOfWay([], 2n), undefined);
  });
});

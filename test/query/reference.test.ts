import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answerOf, countBuckets, type DataRequest, type ReferenceRow } from './reference.ts';
import { aggregate } from './reference-aggregates.ts';
import { floorDivide } from './reference-buckets.ts';
import { nearest, nearestRoot, units } from './reference-exact.ts';
import { hasTags } from './reference-tags.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 });

function row(timestamp: bigint, speed: number, lap?: string): ReferenceRow {
  const tags = new Map(lap === undefined ? [] : [['lap', lap]]);
  return { topic: 'cars', streamId: 'a', timestamp, tags, values: new Map([['numeric:speed', speed]]) };
}

const rows = [row(-1n, 10, '1'), row(25n, 40, '2'), row(0n, 20, '1'), row(5n, 31)];
const mean = { numericParameters: [{ parameterName: 'speed', aggregationType: 'mean' }] };

function speeds(request: Partial<DataRequest>): [bigint, number | string | null][] {
  const answer = answerOf(rows, { ...mean, ...request });
  return answer.rows.map(({ timestamp, cells }) => [timestamp, cells[0]!.value]);
}

/** The reference is worth as much as it is right: its rules on examples worked out by hand. */
describe('the reference of queries', () => {
  it('computes with doubles as exact numbers', () => {
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        assert.equal(nearest(units(a), 1n) + 0, a + 0);
        assert.equal(nearest(units(a) + units(b), 1n) + 0, a + b + 0);
        assert.equal(nearest(units(a), 2n ** 60n) + 0, a / 2 ** 60 + 0);
        assert.ok(Math.abs(nearestRoot(units(a) ** 2n, 1n) - Math.abs(a)) <= Math.abs(a) * 2e-16);
      }),
    );
    assert.equal(nearest(units(1), 3n), 1 / 3);
    assert.equal(nearestRoot(units(1) * units(2), 1n), Math.SQRT2);
  });

  it('aggregates as the contract says', () => {
    const expected = {
      Sum: 22,
      Mean: 5.5,
      Median: 4,
      Spread: 10,
      Mode: 2,
      StdDev: Math.sqrt(61 / 3),
      P50: 4,
      P90: 9.9,
      Count: 5,
      First: 5,
      Last: 3,
      Min: 2,
      Max: 12,
    };
    const found = Object.keys(expected).map((name) => [
      name,
      aggregate(name, [5, 12, 2, Number.NaN, 3]).value,
    ]);
    assert.deepEqual(found, Object.entries(expected));
    assert.equal(aggregate('StdDev', [1]).value, null);
    assert.equal(aggregate('Max', [Number.NaN]).value, null);
    assert.equal(aggregate('Count', [Number.NaN]).value, 1);
  });

  it('rounds buckets down on both sides of the epoch', () => {
    assert.deepEqual(
      [-11n, -10n, -1n, 0n, 9n, 10n].map((time) => floorDivide(time, 10n)),
      [-2n, -1n, -1n, 0n, 0n, 1n],
    );
  });

  it('fills buckets by their interpolation', () => {
    const by = (interpolationType?: string, range: Partial<DataRequest> = {}) =>
      speeds({
        ...range,
        groupByTime: {
          timeBucketDuration: 10n,
          ...(interpolationType !== undefined && { interpolationType }),
        },
      });
    assert.deepEqual(by(), [
      [-10n, 10],
      [0n, 25.5],
      [20n, 40],
    ]);
    assert.deepEqual(by('Linear')[2], [10n, 32.75]);
    assert.deepEqual(by('Previous', { to: 40n }).slice(2), [
      [10n, 25.5],
      [20n, 40],
      [30n, 40],
      [40n, 40],
    ]);
    assert.deepEqual(by('Linear', { from: -15n, to: 30n }), [
      [-20n, null],
      [-10n, 10],
      [0n, 25.5],
      [10n, 32.75],
      [20n, 40],
      [30n, null],
    ]);
    const year = { from: 0n, to: 31_536_000_000_000_000n };
    const fine = { ...mean, ...year, groupByTime: { timeBucketDuration: 1n, interpolationType: 'null' } };
    assert.equal(countBuckets(rows, fine), Number(year.to + 1n));
    assert.equal(countBuckets(rows, { ...fine, groupByTime: { timeBucketDuration: 1n } }), 3);
  });

  it('groups by tags, rows without the tag first, and orders by time before tags', () => {
    assert.deepEqual(speeds({ groupBy: ['lap'] }), [
      [-1n, 15],
      [5n, 31],
      [25n, 40],
    ]);
    const answer = answerOf(rows, { ...mean, groupBy: ['lap'], from: -5n, order: 'DESC' });
    assert.deepEqual(
      answer.rows.map(({ tags }) => tags[0]),
      ['2', '1', undefined],
    );
  });

  it('filters by tags as the contract says', () => {
    const lap = (text: string | undefined, operator: string, value: string | number | string[]) =>
      hasTags(new Map(text === undefined ? [] : [['lap', text]]), [{ tag: 'lap', operator, value }]);
    assert.ok(lap('2.0', 'Equal', 2) && lap('2', 'equal', ['1', '2']) && !lap('', 'Equal', 0));
    assert.ok(!lap(undefined, 'Equal', '') && lap(undefined, 'NotEqual', '2') && !lap('2', 'NotEqual', 2));
    assert.ok(lap('24', 'Like', '4') && !lap('24', 'Like', '^[24]$') && lap(undefined, 'NotLike', '.*'));
  });
});

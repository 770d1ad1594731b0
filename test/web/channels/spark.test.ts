import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grownSpark, type Spark, type SparkPiece, sparkBuckets } from '../../../web/src/channels/spark.ts';
import { sparkPath } from '../../../web/src/channels/spark-path.ts';

const none = Number.NaN;

/** A spark of the values, one a bucket of 10 ns, from the time on. */
function sparkAt(from: bigint, values: readonly number[]): Spark {
  const to = from + BigInt(values.length) * 10n - 1n;
  return { from, bucket: 10n, low: values, high: values, last: values.at(-1), to };
}

/** The smallest and the largest value of each stretch of a spark, by its time. */
function stretches({ from, bucket, low, high }: Spark): string[] {
  return low.flatMap((least, i) =>
    Number.isNaN(least) ? [] : [`${from + BigInt(i) * bucket}+${bucket}: ${least} … ${high[i]}`],
  );
}

describe('a spark that grows', () => {
  it('has what is new in its place, with gaps between, and the last value', () => {
    const grown = grownSpark(sparkAt(100n, [1, 2]), [{ time: 141n, low: 3, high: 5 }], 4, 144n);
    assert.deepEqual(stretches(grown), ['100+10: 1 … 1', '110+10: 2 … 2', '140+10: 3 … 5']);
    assert.equal(grown.last, 4);
    assert.equal(grown.to, 144n);
    assert.equal(grown.low.length, 5);
  });

  it('is the same where it gets what it has', () => {
    const pieces: SparkPiece[] = [
      { time: 110n, low: 2, high: 2 },
      { time: 120n, low: 7, high: 7 },
    ];
    const once = grownSpark(sparkAt(100n, [1, 2]), pieces, 7, 125n);
    assert.deepEqual(grownSpark(once, pieces, undefined, 125n), once);
  });

  it('joins buckets two by two when there are twice as many, and loses no value', () => {
    for (const from of [-330n, 70n, 80n]) {
      const spark = sparkAt(
        from,
        Array.from({ length: sparkBuckets }, (_, i) => (i === 20 ? none : i)),
      );
      const to = from + 10n * BigInt(3 * sparkBuckets);
      const pieces = Array.from({ length: 2 * sparkBuckets }, (_, i) => ({
        time: from + 10n * BigInt(sparkBuckets + i),
        low: sparkBuckets + i,
        high: sparkBuckets + i,
      }));
      const grown = grownSpark(spark, pieces, 1, to);
      assert.equal(grown.bucket, 20n);
      assert.ok(grown.low.length < 2 * sparkBuckets);
      // Each value is where its time is.
      const values = [...spark.low.entries(), ...pieces.map(({ low }) => [low, low] as const)];
      for (const [i, value] of values.filter(([, own]) => !Number.isNaN(own))) {
        const place = Number((from + 10n * BigInt(i) - grown.from) / grown.bucket);
        assert.ok(grown.low[place]! <= value && grown.high[place]! >= value, `${value} from ${from}`);
        assert.ok(grown.high[place]! - grown.low[place]! <= 1, `${value} from ${from}`);
      }
    }
  });
});

describe('what is drawn of a spark', () => {
  /** Lines without a gap, each by the places of its buckets. */
  const linesOf = (values: readonly number[]) =>
    sparkPath(sparkAt(0n, values), values.length, 20)
      .split('M')
      .slice(1)
      .map((line) => [...new Set(line.split('L').map((point) => Math.floor(Number(point.split(' ')[0]))))]);

  it('has gaps where buckets are empty, but not of a channel that is written seldom', () => {
    assert.deepEqual(linesOf([1, 2, none, none, 3]), [[0, 1], [4]]);
    assert.deepEqual(linesOf([1, none, none, 2, none, 3, none, none, 4]), [[0, 3, 5, 8]]);
    assert.deepEqual(linesOf([1, none, 2, none, 3, none, none, none, none, none, 4]), [[0, 2, 4], [10]]);
    assert.deepEqual(linesOf([5]), [[0]]);
  });

  it('goes on behind infinities, and is nothing without numbers', () => {
    const infinite = sparkPath(
      sparkAt(0n, [1, Number.POSITIVE_INFINITY, 3, Number.NEGATIVE_INFINITY, 2]),
      50,
      20,
    );
    assert.ok(!/Infinity|NaN/.test(infinite), infinite);
    assert.equal(infinite.split('M').length, 2);
    assert.equal(sparkPath(sparkAt(0n, [none, none]), 50, 20), '');
  });
});

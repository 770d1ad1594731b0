import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tagSet } from '../../src/domain/tags.ts';
import { encodeResult } from '../../src/promql/answer-json.ts';
import { valueText } from '../../src/promql/decimal-text.ts';
import type { QueryResult } from '../../src/promql/query.ts';
import { createRandom } from '../fuzz/random.ts';

const odd = [
  0,
  -0,
  1,
  -1,
  0.1,
  -0.30000000000000004,
  1e-6,
  9.999e-7,
  -1e-7,
  5e-324,
  1e15,
  123456789012345680,
  1e21,
  1.5e300,
  1 / 3,
  2 / 3,
  100 / 3,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0.05,
  0.012345678901234567,
];

describe('a matrix as JSON', () => {
  it('has times and values as they are, whatever their lengths, in any number of chunks', () => {
    const random = createRandom(3);
    for (const [start, step, count] of [
      [1_700_000_040_000, 60_000, 301],
      [999_999_999_000, 500, 4000],
      [0.5, 1.25, 30],
      [-1000, 7, 600],
      [5, 1, 1],
    ] as const) {
      const series = Array.from({ length: 40 }, (_, i) => {
        const values = Float64Array.from({ length: count }, () =>
          random.below(3) === 0
            ? odd[random.below(odd.length)]!
            : random.below(1e6) / (1 + random.below(1000)),
        );
        const present = Uint8Array.from({ length: count }, () => (random.below(8) === 0 ? 0 : 1));
        present[random.below(count)] = 1;
        return { labels: tagSet([['instance', `é"${i}`]]), values, present };
      });
      const result: QueryResult = { type: 'matrix', grid: { start, step, count }, series };
      const text = Buffer.concat([...encodeResult(result)]).toString();
      const wanted = {
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [...series]
            .sort((a, b) => (a.labels.pairs[0]![1] < b.labels.pairs[0]![1] ? -1 : 1))
            .map(({ labels, values, present }) => ({
              metric: Object.fromEntries(labels.pairs),
              values: [...values.keys()]
                .filter((at) => present[at] === 1)
                .map((at) => [Math.round(1000 * (start + at * step)) / 1e6, valueText(values[at]!)]),
            })),
        },
      };
      assert.equal(text, JSON.stringify(wanted));
    }
  });

  it('is empty without series', () => {
    const grid = { start: 0, step: 1, count: 3 };
    const [text] = [...encodeResult({ type: 'matrix', grid, series: [] })];
    assert.equal(String(text), '{"status":"success","data":{"resultType":"matrix","result":[]}}');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributes, requestOf } from './messages.ts';
import { byTag, otlpForms } from './read.ts';

const at = { timeUnixNano: '1700000000123456789' };

for (const form of ['protobuf', 'json'] as const) {
  const read = otlpForms[form];

  describe(`OTLP in ${form}, metrics of several numbers`, () => {
    it('writes buckets of histograms as Prometheus counts them', () => {
      const point = {
        ...at,
        count: '6',
        sum: 12.5,
        min: 0,
        max: 9,
        bucketCounts: ['1', '0', '5'],
        explicitBounds: [0.5, 2],
      };
      const request = requestOf([
        {
          name: 'h',
          unit: 's',
          description: 'd',
          histogram: { aggregationTemporality: 2, dataPoints: [point] },
        },
        { name: 'none', histogram: { aggregationTemporality: 2, dataPoints: [{ ...at, count: 3 }] } },
        { name: 'one', histogram: { dataPoints: [{ ...at, count: 3, bucketCounts: [3] }] } },
      ]);
      const found = read(request);
      assert.deepEqual(byTag(found, 'h.bucket', 'le'), [
        ['0.5', 1],
        ['2', 1],
        ['+Inf', 6],
      ]);
      for (const [part, value] of Object.entries({ count: 6, sum: 12.5, min: 0, max: 9 }))
        assert.deepEqual(byTag(found, `h.${part}`, ''), [[undefined, value]]);
      assert.deepEqual(byTag(found, 'none.count', ''), [[undefined, 3]]);
      assert.deepEqual([byTag(found, 'none.sum', ''), byTag(found, 'none.bucket', 'le')], [[], []]);
      assert.deepEqual(byTag(found, 'one.bucket', 'le'), [['+Inf', 3]]);
      assert.deepEqual(
        found.definitions
          .filter(({ definition: { id } }) => id.startsWith('h.'))
          .map(({ definition: { id, unit } }) => [id, unit]),
        [
          ['h.count', undefined],
          ['h.sum', 's'],
          ['h.min', 's'],
          ['h.max', 's'],
          ['h.bucket', undefined],
        ],
      );
    });

    it('writes buckets of exponential histograms with the bounds of their scale', () => {
      const point = {
        ...at,
        count: '14',
        sum: 3,
        scale: 1,
        zeroCount: '2',
        positive: { offset: -1, bucketCounts: ['1', '0', '4'] },
        negative: { offset: 2, bucketCounts: ['3', '4'] },
      };
      const found = read(
        requestOf([{ name: 'e', exponentialHistogram: { aggregationTemporality: 2, dataPoints: [point] } }]),
      );
      assert.deepEqual(byTag(found, 'e.bucket', 'le'), [
        ['-4', 0],
        [String(-(2 ** 1.5)), 4],
        ['-2', 7],
        ['0', 9],
        [String(2 ** -0.5), 9],
        ['1', 10],
        [String(2 ** 0.5), 10],
        ['2', 14],
        ['+Inf', 14],
      ]);
      const wide = {
        ...at,
        count: 3,
        scale: -11,
        positive: { offset: -1, bucketCounts: [1, 2] },
        zeroThreshold: 0.5,
      };
      const large = read(requestOf([{ name: 'e', exponentialHistogram: { dataPoints: [wide] } }]));
      assert.deepEqual(byTag(large, 'e.bucket', 'le'), [
        ['0', 0],
        ['1', 1],
        ['+Inf', 3],
      ]);
    });

    it('writes summaries with a tag for each quantile', () => {
      const point = {
        ...at,
        count: 2,
        sum: 5,
        quantileValues: [
          { quantile: 0, value: 1 },
          { quantile: 0.5, value: 2.5 },
          { quantile: 1, value: 4 },
        ],
      };
      const found = read(
        requestOf([
          { name: 's', summary: { dataPoints: [point, { ...at, attributes: attributes({ a: 'b' }) }] } },
        ]),
      );
      assert.deepEqual(byTag(found, 's.quantile', 'quantile'), [
        ['0', 1],
        ['0.5', 2.5],
        ['1', 4],
      ]);
      assert.deepEqual(byTag(found, 's.count', 'a'), [
        [undefined, 2],
        ['b', 0],
      ]);
      assert.deepEqual(byTag(found, 's.sum', 'a'), [
        [undefined, 5],
        ['b', 0],
      ]);
    });
  });
}

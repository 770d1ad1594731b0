import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { edgesOf } from '../../../web/src/measure/bins.ts';

describe('the edges of the bins of a histogram', () => {
  it('rise, and hold the least and the largest value, however large and near to each other these are', () => {
    const large = fc.double({ min: -1e15, max: 1e15, noNaN: true });
    const span = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(large, span, (least, more) => {
        const largest = least + more;
        // Doubles tell so many values apart, or there is nothing to put into bins.
        fc.pre(more > Math.abs(least) * 1e-13);
        const edges = edgesOf(least, largest);
        assert.ok(edges.length <= 100);
        for (const [i, edge] of edges.entries()) assert.ok(i === 0 || edge > edges[i - 1]!, `${edges}`);
        assert.ok(edges[0]! <= least && edges.at(-1)! > largest, `${edges}`);
      }),
    );
  });

  it('rise also where hardly any double lies between the least and the largest value', () => {
    for (const [least, largest] of [
      [1e15, 1e15 + 0.25],
      [1e16, 1e16 + 2],
      [1, 1 + 4e-16],
      [-5e-324, 5e-324],
      [0, 3e-323],
    ] as const) {
      const edges = edgesOf(least, largest);
      for (const [i, edge] of edges.entries()) assert.ok(i === 0 || edge > edges[i - 1]!, `${edges}`);
      assert.ok(edges.length <= 100 && edges[0]! <= least && edges.at(-1)! > largest, `${edges}`);
    }
  });

  it('are those of times in milliseconds, too', () => {
    const first = 1_800_000_000_001;
    const edges = edgesOf(first + 0.5, first + 99.5);
    assert.ok(edges.at(-1)! > first + 99.5);
    assert.equal(new Set(edges).size, edges.length);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outsideRuns } from '../../../web/src/lines/limits.ts';

describe('what of a line is outside of limits', () => {
  const values = [100, 100, 99, 101, 100, 50, 0, 0];
  const line = { low: Float64Array.from(values), high: Float64Array.from(values) };

  it('is where it leaves them, not where it runs along one', () => {
    assert.deepEqual(outsideRuns(line, { least: 0, largest: 100 }, 0, values.length), [[3, 4]]);
    assert.deepEqual(outsideRuns(line, { least: 0, largest: 101 }, 0, values.length), []);
  });

  it('reaches to the ends of the line, and no further', () => {
    assert.deepEqual(outsideRuns(line, { least: 1, largest: undefined }, 0, values.length), [[6, 8]]);
    assert.deepEqual(outsideRuns(line, { least: 1, largest: 100 }, 0, 7), [
      [3, 4],
      [6, 7],
    ]);
    assert.deepEqual(outsideRuns(line, { least: 101, largest: undefined }, 4, 6), [[4, 6]]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bucketGaps, gapsOf } from '../../../web/src/lines/gaps.ts';

describe('gaps', () => {
  it('are where the next row is more than five times the usual spacing away', () => {
    assert.deepEqual([...gapsOf([0, 1, 2, 7, 8, 13.1, 14])], [0, 0, 0, 0, 0, 1, 0]);
    assert.deepEqual([...gapsOf([0, 600, 601, 602])], [0, 1, 0, 0]);
  });

  it('are found in three rows, and in none of two', () => {
    assert.deepEqual([...gapsOf([0, 1, 601])], [0, 0, 1]);
    assert.deepEqual([...gapsOf([0, 601])], [0, 0]);
    assert.deepEqual([...gapsOf([])], []);
  });

  it('are found in many rows, and rows of one time are no spacing', () => {
    const times = Array.from({ length: 20_000 }, (_, i) => Math.floor(i / 2) + (i < 10_000 ? 0 : 300));
    const gaps = gapsOf(times);
    assert.equal(gaps.indexOf(1), 10_000);
    assert.equal(
      gaps.reduce((sum, gap) => sum + gap, 0),
      1,
    );
  });

  it('lie between buckets whose rows are surely so far from each other', () => {
    const starts = [0, 10, 20, 60, 70, 80];
    assert.deepEqual([...bucketGaps(starts, [10, 10, 10, 10, 10, 10], 10)], [0, 0, 0, 1, 0, 0]);
    // With one row a bucket, three empty ones are less than five spacings of silence.
    assert.deepEqual([...bucketGaps(starts, [1, 1, 1, 1, 1, 1], 10)], [0, 0, 0, 0, 0, 0]);
  });
});

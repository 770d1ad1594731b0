import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ascendingNumbers } from '../../../../src/store/embedded/catalog/ascending-numbers.ts';
import { numberMarks } from '../../../../src/store/embedded/catalog/number-marks.ts';
import { whole } from '../../../../src/turns/steps.ts';
import { seededRandom } from '../random.ts';

describe('numbers of streams', () => {
  it('are marked once each, and come in order', () => {
    const random = seededRandom(1);
    const marks = numberMarks();
    const all = new Set<number>();
    for (const number of [0, 31, 32, 63, 5_000_000]) all.add(number);
    for (let i = 0; i < 2000; i++) all.add(random.int(0, 100_000));
    for (const number of [...all, ...all]) marks.add(number);
    assert.deepEqual(
      [...marks],
      [...all].sort((a, b) => a - b),
    );
    for (let number = 0; number < 1000; number++) assert.equal(marks.has(number), all.has(number));
    assert.equal(marks.has(10_000_000), false);
  });

  it('are put in order, each once', () => {
    const random = seededRandom(2);
    for (const count of [0, 1, 20, 3000]) {
      const numbers = Array.from({ length: count }, () => random.int(1, 4 * count));
      const list = ascendingNumbers();
      for (const number of numbers) list.add(number);
      assert.deepEqual(
        [...whole(list.all())],
        [...new Set(numbers)].sort((a, b) => a - b),
      );
    }
    const ordered = ascendingNumbers();
    for (let number = 1; number < 100; number++) ordered.add(number);
    assert.equal(whole(ordered.all()).length, 99);
  });
});

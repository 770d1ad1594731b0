import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bandsOf, heldBands } from '../../../web/src/plots/bands.ts';

function bandsIn(rows: readonly (readonly [bigint, string | null])[]) {
  const data = { timestamps: rows.map(([time]) => time), tagValues: { lap: rows.map(([, value]) => value) } };
  return bandsOf(data, 'lap', 10n).map(({ from, to, label }) => `${from} to ${to}: ${label}`);
}

describe('bands of a tag', () => {
  it('run from the first bucket with a value to the last', () => {
    assert.deepEqual(
      bandsIn([
        [0n, '1'],
        [10n, '1'],
        [10n, '2'],
        [20n, '2'],
      ]),
      ['0 to 10: lap 1', '10 to 30: lap 2'],
    );
  });

  it('meet where two values share a bucket, in whichever order they come', () => {
    assert.deepEqual(
      bandsIn([
        [0n, '9'],
        [10n, '10'],
        [10n, '9'],
        [20n, '10'],
      ]),
      ['0 to 10: lap 9', '10 to 30: lap 10'],
    );
  });

  it('come again where a value comes again, and leave out rows without the tag', () => {
    assert.deepEqual(
      bandsIn([
        [0n, 'a'],
        [10n, null],
        [50n, 'b'],
        [90n, 'a'],
      ]),
      ['0 to 10: lap a', '50 to 60: lap b', '90 to 100: lap a'],
    );
  });
});

describe('bands of a channel', () => {
  it('hold until there is another number, the last one until the end', () => {
    const rows = [
      [0n, 1],
      [10n, 1],
      [30n, 2],
      [70n, 3],
    ].map(([time, value]) => ({ time: time as bigint, value: value as number }));
    assert.deepEqual(
      heldBands('Lap', rows, 80n).map(({ from, to, label }) => `${from} to ${to}: ${label}`),
      ['0 to 30: Lap 1', '30 to 70: Lap 2', '70 to 80: Lap 3'],
    );
    assert.deepEqual(heldBands('Lap', [], 80n), []);
    assert.equal(heldBands('Lap', rows, 70n).length, 2);
  });
});

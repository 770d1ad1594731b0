import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numberOfCell, timeOfCell } from '../../../web/src/import/cells.ts';

describe('times of a CSV file', () => {
  it('are exact to the nanosecond in every unit', () => {
    assert.equal(timeOfCell('1591733989000000001', 'ns', 0n), 1591733989000000001n);
    assert.equal(timeOfCell('1591733989000.000001', 'ms', 0n), 1591733989000000001n);
    assert.equal(timeOfCell('-0.5', 's', 10n), -499_999_990n);
    assert.equal(timeOfCell('12.339999999999998', 's', 0n), 12_340_000_000n);
  });

  it('may be dates with any number of decimals and any zone', () => {
    assert.equal(timeOfCell('2020-06-09T20:19:49.000000001Z', 'iso', 5n), 1591733989000000001n);
    assert.equal(timeOfCell('2020-06-09 22:19:49+02:00', 'iso', 0n), 1591733989000000000n);
    assert.equal(timeOfCell('2020-06-09', 'iso', 0n), 1591660800000000000n);
  });

  it('are refused where they are none', () => {
    for (const text of ['', 'abc', '2020-02-30', '2020-06-09T25:00', '5', '20:19:49']) {
      assert.equal(timeOfCell(text, 'iso', 0n), undefined, text);
    }
    for (const text of ['', '1e9', '0x1', '9223372036.854775808', '1,5']) {
      assert.equal(timeOfCell(text, 's', 0n), undefined, text);
    }
  });
});

describe('numbers of a CSV file', () => {
  it('are what a double holds', () => {
    assert.equal(numberOfCell('-1.5e3'), -1500);
    assert.equal(numberOfCell('.5'), 0.5);
    assert.ok(Number.isNaN(numberOfCell('NaN')));
    for (const text of ['', '1,5', '0x10', '1e999', '12345678901234567891', ' ']) {
      assert.equal(numberOfCell(text), undefined, text);
    }
  });
});

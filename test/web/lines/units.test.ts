import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, inUnit } from '../../../web/src/lines/conversions.ts';
import { conversionTo, unitsLike } from '../../../web/src/lines/units.ts';

/** Values that are the same by the definitions of the units (NIST SP 811, appendix B). */
const same: readonly (readonly [number, string, number, string])[] = [
  [100, 'km/h', 27.7777777777778, 'm/s'],
  [100, 'kph', 62.1371192237334, 'mph'],
  [1, 'kn', 1.852, 'km/h'],
  [1, 'bar', 14.503773773020923, 'psi'],
  [2.5, '[bar]', 250, 'kPa'],
  [100, '°C', 212, '°F'],
  [-40, 'degF', -40, '°C'],
  [0, 'C', 273.15, 'K'],
  [180, 'deg', Math.PI, 'rad'],
  [60, 'rpm', 2 * Math.PI, 'rad/s'],
  [100, 'Nm', 73.7562149277265, 'lb·ft'],
  [1, 'G', 9.80665, 'm/s²'],
  [9.80665, 'm/s^2', 1, 'g'],
  [1, 'kg', 2.20462262184878, 'lb'],
  [1, 'hp', 0.74569987158227, 'kW'],
  [25.4, 'mm', 1, 'in'],
];

describe('units', () => {
  it('convert as they are defined, however they are written', () => {
    for (const [value, from, other, to] of same) {
      const there = inUnit(conversionTo(to, from)!, value);
      assert.ok(Math.abs(there - other) <= 1e-13 * Math.abs(other), `${value} ${from} = ${there} ${to}`);
    }
  });

  it('are offered beside their own, as it is written; none where a unit is not known, or is one of a way or a time', () => {
    assert.deepEqual(unitsLike('kph'), ['kph', 'm/s', 'mph', 'kn', 'ft/s']);
    assert.deepEqual(
      [unitsLike('m'), unitsLike('s'), unitsLike(''), unitsLike('constructor')],
      [[], [], [], []],
    );
    assert.equal(conversionTo('bar', 'km/h'), undefined);
    assert.equal(conversionTo('km/h', 'kph'), undefined);
  });

  it('are read in other letters, but for those that may mean another unit', () => {
    for (const [unit, other] of [
      ['MBAR', 'bar'],
      ['MM', 'cm'],
      ['Kph', 'm/s'],
      ['Kn', 'km/h'],
      ['CC', 'L'],
    ] as const)
      assert.ok(conversionTo(other, unit) !== undefined, unit);
    // A million of them, or of force and not of speed.
    for (const unit of ['Mbar', 'Mm', 'Mrad', 'Ml', 'MV', 'MA', 'MW', 'mPa', 'KN'])
      assert.deepEqual(unitsLike(unit), [], unit);
  });

  it('move what the service says of rows, but no counts, and of distances no zero', () => {
    const data = {
      numericValues: {
        T: [0, null],
        'min(T)': [10],
        'stddev(T)': [10],
        'count(T)': [7],
        'p95(T)': [100],
        other: [1],
      },
    };
    const known = new Map([['T', conversionTo('°F', '°C')!]]);
    assert.deepEqual(converted(data, known).numericValues, {
      T: [32, null],
      'min(T)': [50],
      'stddev(T)': [18],
      'count(T)': [7],
      'p95(T)': [212],
      other: [1],
    });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { createColumnSurvey } from '../../../src/import/tables/column-survey.ts';
import { isDouble, isNumber } from '../../../src/import/tables/numbers.ts';
import type { Cell, CellKind } from '../../../src/import/tables/table-source.ts';

const number = (text: string): Cell => ({ text, value: Number(text) });

function surveyOf(cells: readonly Cell[], kind?: Kind, cellKind: CellKind = 'plain') {
  const survey = createColumnSurvey('a', kind, cellKind);
  for (const [i, cell] of cells.entries()) survey.see(cell, i + 1);
  return survey;
}

describe('a column with numbers and texts', () => {
  it('is string, and says why where most values are numbers', () => {
    const one = number('1');
    assert.deepEqual(surveyOf([one, null, 2, 'ERR', 'x']).use(), 'string');
    assert.deepEqual(surveyOf([one, null, 2, 'ERR', 'x']).notes(), []);
    assert.deepEqual(surveyOf([one, null, 2, 'ERR']).notes(), [
      "row 4, column a is 'ERR', so that the column is text",
    ]);
    assert.deepEqual(surveyOf(['ERR', 1, 2]).notes(), [
      "row 1, column a is 'ERR', so that the column is text",
    ]);
    for (const long of [9007199254740993n, number('9007199254740993')])
      for (const before of [[], [one]])
        assert.deepEqual(surveyOf([...before, long, long]).notes(), [
          `row ${before.length + 1}, column a is '9007199254740993', more digits than a number keeps, so that the column is text`,
        ]);
    assert.deepEqual(surveyOf([9007199254740993n], Kind.String).notes(), []);
    assert.deepEqual(surveyOf([9007199254740993n], undefined, 'moment').notes(), []);
    assert.deepEqual(surveyOf([one, one]).notes(), []);
    assert.deepEqual(surveyOf(['x', 'y']).notes(), []);
  });
});

describe('a number that is nearer to 0 than any double', () => {
  it('is told with its first row, unless its digits are kept as text', () => {
    const cells = [number('0'), number('-0.0e-400'), number('1e-400'), number('5e-324'), number('-2e-999')];
    const note = 'numbers nearer to 0 than a number can be, made 0, in column a: 2 (row 3: 1e-400)';
    assert.deepEqual(surveyOf(cells).notes(), [note]);
    assert.deepEqual(surveyOf(cells, Kind.Numeric).notes(), [note]);
    assert.deepEqual(surveyOf([...cells, 'x', 'y', 'z', 'x', 'y', 'z']).notes(), []);
  });
});

describe('a number in a file', () => {
  it('is what JSON calls a number, or one that JSON cannot write', () => {
    const numbers = [
      '0',
      '-0',
      '12',
      '-1.50',
      '1e3',
      '1E-7',
      '0.1',
      'NaN',
      '-Infinity',
      '9007199254740993e1',
    ];
    for (const cell of numbers) assert.ok(isNumber(cell), cell);
    for (const cell of [
      '',
      ' 1',
      '1 ',
      '+1',
      '.5',
      '5.',
      '007',
      '0x10',
      '1,5',
      'nan',
      'inf',
      '1e400',
      '1_000',
    ])
      assert.ok(!isNumber(cell), cell);
  });

  it('is text where a double would lose digits of a whole number', () => {
    assert.ok(isNumber('9007199254740992'));
    assert.ok(!isNumber('9007199254740993'));
    assert.ok(isNumber('100000000000000000000'));
    assert.ok(!isNumber('12345678901234567890'));
    assert.ok(isDouble(-9007199254740992n) && isDouble(2n ** 63n) && !isDouble(-9007199254740993n));
  });

  it('is every double that JavaScript prints', () => {
    fc.assert(fc.property(fc.double(), (value) => assert.ok(isNumber(String(value).replace('e+', 'e')))));
  });
});

describe('a column of cells', () => {
  it('is numeric while all are numbers that a double holds', () => {
    const cases: [Cell[], string][] = [
      [[], 'empty'],
      [[null, null], 'empty'],
      [[number('1'), null, number('NaN'), 1.5, 7n], 'numeric'],
      [[number('1'), 'x'], 'string'],
      [['1'], 'string'],
      [[number('1'), number('9007199254740993')], 'string'],
      [[1n, 9007199254740993n], 'string'],
      [[Buffer.of(1)], 'binary'],
    ];
    for (const [cells, use] of cases) assert.equal(surveyOf(cells).use(), use);
    assert.equal(surveyOf([1n], undefined, 'moment').use(), 'string');
  });

  it('is of the kind that is given, or refused with its place', () => {
    assert.equal(surveyOf([number('9007199254740993')], Kind.Numeric).use(), 'numeric');
    assert.equal(surveyOf([number('1')], Kind.String).use(), 'string');
    for (const text of ['AAA=', 'AAA', '', 'AA=='])
      assert.equal(surveyOf([text], Kind.Binary).use(), 'binary');
    assert.equal(surveyOf([null], Kind.Binary).use(), 'empty');
    assert.throws(() => surveyOf([1, 'x'], Kind.Numeric), /row 2, column a is not a number/);
    for (const text of ['x', 'AAB=', 'A', 'AA=A', 'AA-_'])
      assert.throws(() => surveyOf([text], Kind.Binary), /row 1, column a is not base64/, text);
    assert.throws(() => surveyOf([Buffer.of(1), 'x']), /row 2, column a mixes binaries with others/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Cell,
  createColumnSurvey,
  encodeCell,
  isNumber,
  timestampDigits,
} from '../../src/cli/import-cell.ts';
import { Kind } from '../../src/domain/parameter-data.ts';

describe('a column with numbers and texts', () => {
  const surveyOf = (...cells: Cell[]) => {
    const survey = createColumnSurvey(undefined);
    for (const [i, cell] of cells.entries()) survey.see(cell, () => `row ${i + 1}, column a`);
    return survey;
  };
  const one: Cell = { text: '1', value: 1 };

  it('is string, and says why where most values are numbers', () => {
    const survey = surveyOf(one, null, one, 'ERR', 'x');
    assert.equal(survey.use(), 'string');
    assert.equal(survey.note(), undefined);
    assert.equal(
      surveyOf(one, null, one, 'ERR').note(),
      "row 4, column a is 'ERR', so that the column is text",
    );
    assert.equal(surveyOf(one, one).note(), undefined);
    assert.equal(surveyOf('x', 'y').note(), undefined);
  });
});

describe('a number in a file', () => {
  it('is what JSON calls a number, or one that JSON cannot write', () => {
    for (const cell of [
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
    ]) {
      assert.ok(isNumber(cell), cell);
    }
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
    ]) {
      assert.ok(!isNumber(cell), cell);
    }
  });

  it('is text where a double would lose digits of a whole number', () => {
    assert.ok(isNumber('9007199254740992'));
    assert.ok(!isNumber('9007199254740993'));
    assert.ok(isNumber('100000000000000000000'));
    assert.ok(!isNumber('12345678901234567890'));
  });

  it('is every double that JavaScript prints', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        assert.ok(isNumber(String(value).replace('e+', 'e')));
      }),
    );
  });
});

const number = (text: string): Cell => ({ text, value: Number(text) });
const place = () => 'row 7, column a';

function useOf(cells: readonly Cell[], kind?: Kind): string {
  const survey = createColumnSurvey(kind);
  for (const cell of cells) survey.see(cell, place);
  return survey.use();
}

describe('a column of cells', () => {
  it('is numeric while all are numbers that a double holds', () => {
    assert.equal(useOf([]), 'empty');
    assert.equal(useOf([null, null]), 'empty');
    assert.equal(useOf([number('1'), null, number('NaN')]), 'numeric');
    assert.equal(useOf([number('1'), 'x']), 'string');
    assert.equal(useOf(['1']), 'string');
    assert.equal(useOf([number('1'), number('9007199254740993')]), 'string');
    assert.equal(useOf([Buffer.of(1)]), 'binary');
  });

  it('is of the kind that is given, or refused with its place', () => {
    assert.equal(useOf([number('9007199254740993')], Kind.Numeric), 'numeric');
    assert.equal(useOf([number('1')], Kind.String), 'string');
    assert.equal(useOf(['AAA='], Kind.Binary), 'binary');
    assert.equal(useOf([null], Kind.Binary), 'empty');
    assert.throws(() => useOf(['x'], Kind.Numeric), /^Error: row 7, column a is not a number/);
    assert.throws(() => useOf(['x'], Kind.Binary), /row 7, column a is not base64/);
    assert.throws(() => useOf([Buffer.of(1), 'x']), /row 7, column a mixes binaries with others/);
  });

  it('becomes JSON', () => {
    assert.equal(encodeCell(null, 'numeric'), 'null');
    assert.equal(encodeCell(number('-0'), 'numeric'), '-0');
    assert.equal(encodeCell(number('1.50'), 'numeric'), '1.50');
    assert.equal(encodeCell(number('NaN'), 'numeric'), '"NaN"');
    assert.equal(encodeCell(number('1.50'), 'string'), '"1.50"');
    assert.equal(encodeCell('a "b"', 'tag'), '"a \\"b\\""');
    assert.equal(encodeCell(Buffer.of(0, 255), 'binary'), '"AP8="');
  });
});

describe('a timestamp in a file', () => {
  it('is a 64-bit integer, exactly', () => {
    assert.equal(timestampDigits('-9223372036854775808', place), '-9223372036854775808');
    assert.equal(timestampDigits('007', place), '7');
    for (const digits of ['', '1.5', '9223372036854775808', 'soon']) {
      assert.throws(() => timestampDigits(digits, place), /row 7, column a: .* is not a timestamp in whole/);
    }
  });
});

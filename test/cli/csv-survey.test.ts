import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CsvRow } from '../../src/cli/csv-rows.ts';
import { isNumber, surveyCsv } from '../../src/cli/csv-survey.ts';

async function* rows(...lines: string[]): AsyncGenerator<CsvRow> {
  let line = 1;
  for (const text of lines) yield { line: line++, cells: text.split(',') };
}

describe('the survey of a CSV file', () => {
  it('finds out over the whole file what a column holds', async () => {
    const file = rows('t,a,b,c,lap', '1,1.50,x,,1', '2,,2,,', '3,-1e3,3,,2');
    const { columns, rows: count } = await surveyCsv(file, 't', ['lap']);
    assert.equal(count, 3);
    assert.deepEqual(
      columns.map(({ use }) => use),
      ['timestamp', 'numeric', 'string', 'empty', 'tag'],
    );
  });

  it('turns a column to text at its last cell', async () => {
    const { columns } = await surveyCsv(rows('t,a', '1,1', '2,2', '3,three'), 't', []);
    assert.equal(columns[1]!.use, 'string');
  });

  const faults: [what: string, lines: string[], message: RegExp][] = [
    ['a file without a header', [], /no header line/],
    ['a missing column', ['a,b'], /no column t; the header has a, b/],
    ['a column without a name', ['t,,b'], /column 2 has no name/],
    ['a column that stands twice', ['t,a,a'], /names the column a twice/],
    ['a short row', ['t,a,b', '1,2,3', '2,3'], /line 3 has 2 cells; the header has 3/],
    ['a long row', ['t,a', '1,2,3'], /line 2 has 3 cells; the header has 2/],
    ['an empty timestamp', ['t,a', ',2'], /line 2, column t: '' is not a timestamp/],
    ['a timestamp that is not whole', ['t,a', '1,2', '1.5,2'], /line 3, column t: '1.5' is not/],
    ['a timestamp beyond 64 bits', ['t,a', '9223372036854775808,2'], /line 2, column t/],
    ['a date for a timestamp', ['t,a', '2021-02-01,2'], /line 2, column t: '2021-02-01'/],
  ];
  for (const [what, lines, message] of faults) {
    it(`refuses ${what}, naming the place`, async () => {
      await assert.rejects(surveyCsv(rows(...lines), 't', []), message);
    });
  }
});

describe('a number in a CSV file', () => {
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

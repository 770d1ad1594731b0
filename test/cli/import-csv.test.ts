import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CsvRow } from '../../src/cli/csv-rows.ts';
import { surveyCsv } from '../../src/cli/import-csv.ts';

/** Cells in quotes are those that have some; there are no commas in them. */
async function* rows(...lines: string[]): AsyncGenerator<CsvRow> {
  let line = 1;
  for (const text of lines) {
    const cells = text.split(',');
    const quoted = cells.map((cell) => cell.startsWith('"'));
    yield { line: line++, cells: cells.map((cell) => cell.replaceAll('"', '')), quoted };
  }
}

const options = { timestamp: 't', tags: [], binaries: [], topic: 'cars', stream: 's' };

const usesOf = async (given: Partial<typeof options>, ...lines: string[]) =>
  (await surveyCsv(rows(...lines), { ...options, ...given })).columns.map(({ use }) => use);

describe('the survey of a CSV file', () => {
  it('finds out over the whole file what a column holds', async () => {
    const file = rows('t,a,b,c,lap', '1,1.50,x,,1', '2,,2,,', '3,-1e3,3,,2');
    const { columns, rows: count } = await surveyCsv(file, { ...options, tags: ['lap'] });
    assert.equal(count, 3);
    assert.deepEqual(
      columns.map(({ use }) => use),
      ['timestamp', 'numeric', 'string', 'empty', 'tag'],
    );
  });

  it('takes a time that grows with the number of columns, not with its square', async () => {
    const names = Array.from({ length: 200_000 }, (_, i) => `c${i}`);
    const { columns } = await surveyCsv(rows(['t', ...names].join()), options);
    assert.equal(columns.length, 200_001);
  });

  it('turns a column to text at its last cell', async () => {
    const { columns } = await surveyCsv(rows('t,a', '1,1', '2,2', '3,three'), options);
    assert.equal(columns[1]!.use, 'string');
  });

  it('takes cells in quotes for text, where the file does not quote everything', async () => {
    assert.deepEqual(await usesOf({}, 't,a,b', '1,"1",""', '2,"2",'), ['timestamp', 'string', 'string']);
    assert.deepEqual(await usesOf({}, '"t","a","b"', '"1","1",""', '"2","2",""'), [
      'timestamp',
      'numeric',
      'empty',
    ]);
  });

  it('knows the columns of an export', async () => {
    const header = 't,Speed,Speed (string),Raw,TAG__lap,TAG__streamId,TAG__topic';
    const given = { binaries: ['Raw'] };
    const { columns } = await surveyCsv(rows(header, '1,1,"1",AAA=,2,s1,cars'), { ...options, ...given });
    assert.deepEqual(
      columns.map(({ name, use }) => `${name}: ${use}`),
      [
        't: timestamp',
        'Speed: numeric',
        'Speed: string',
        'Raw: binary',
        'lap: tag',
        'streamId: ignored',
        'topic: ignored',
      ],
    );
    const nowhere = { ...options, ...given, topic: undefined, stream: undefined };
    const placed = await surveyCsv(rows(header, '1,1,"1",AAA=,2,s1,cars'), nowhere);
    assert.deepEqual(
      placed.columns.slice(-2).map(({ use }) => use),
      ['stream', 'topic'],
    );
    await assert.rejects(
      surveyCsv(rows(header, '1,1,"1",AAA=,2,,cars'), nowhere),
      /line 2, column TAG__streamId/,
    );
    await assert.rejects(
      surveyCsv(rows('t,a', '1,1'), { ...nowhere, binaries: [] }),
      /to which stream\? --stream, or a column TAG__streamId/,
    );
    await assert.rejects(
      surveyCsv(rows('t,a', '1,#'), { ...options, binaries: ['a'] }),
      /line 2, column a is not base64/,
    );
  });

  const faults: [what: string, lines: string[], message: RegExp][] = [
    ['a file without a header', [], /no header line/],
    ['a missing column', ['a,b'], /no column t; the file has a, b/],
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
      await assert.rejects(surveyCsv(rows(...lines), options), message);
    });
  }
});

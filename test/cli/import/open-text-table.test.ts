import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command.ts';
import type { TablePlace } from '../../../src/cli/import/import-table.ts';
import { type ImportText, openTextTable } from '../../../src/cli/import/open-text-table.ts';
import { textSettings } from '../../../src/cli/import/text-options.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-text-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'file.csv');
const place: TablePlace = { topic: 'cars', stream: 's' };

function open(
  lines: string | Uint8Array | readonly string[],
  settings: TextSettings = {},
  where: TablePlace = place,
): Promise<ImportText> {
  writeFileSync(path, Array.isArray(lines) ? lines.join('\n') : (lines as string));
  return openTextTable(path, settings, where);
}

async function cellsOf(table: ImportText): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const row of table.read()) rows.push(row);
  return rows;
}

const usesOf = async (lines: readonly string[], settings: TextSettings = {}) =>
  (await open(lines, settings)).columns.map(({ use }) => use);

describe('a table of text', () => {
  it('finds out over the whole file what a column holds', async () => {
    const { columns, rows } = await open(['t,a,b,c,lap', '1,1.50,x,,1', '2,,2,,', '3,-1e3,y,,2']);
    assert.equal(rows, 3);
    assert.deepEqual(
      columns.map(({ use }) => use),
      ['timestamp', 'numeric', 'string', 'empty', 'tag'],
    );
    const lines = ['t,a', '1,"one"', ...Array.from({ length: 40_000 }, (_, i) => `${i + 2},${i}`)];
    assert.deepEqual(await usesOf(lines), ['timestamp', 'string']);
  });

  it('reads lines that end in a lone carriage return', async () => {
    const table = await open('t,a\r1,2\r2,"x y"\r3,4\r');
    assert.equal(table.rows, 3);
    assert.deepEqual((await cellsOf(table))[1], ['2000000000', '"x y"']);
    await assert.rejects(open('t,a\r1,2\r2,3,4\r'), /line 3: 3 cells; the header has 2/);
  });

  it('reads lines that end each in its own way, and counts them as editors do', async () => {
    const table = await open('t,a\r1,2\r\n2,"x\ry"\n3,4\r\r\n5,6');
    assert.deepEqual(await cellsOf(table), [
      ['1000000000', '"2"'],
      ['2000000000', '"x\\ry"'],
      ['3000000000', '"4"'],
      ['5000000000', '"6"'],
    ]);
    const lines = (rows: number): string => Array.from({ length: rows }, (_, i) => `${i},1\r\n`).join('');
    // The first of them are more than is looked at to tell what the file is.
    for (const [text, line] of [
      ['t,a\r1,2\n2,3\r\n3,4,5\r', 4],
      ['t,a\n1,2\r2,3\r3,4,5\n', 4],
      ['t,a\n1,"2\r\n\r\n"\r2,3,4', 5],
      [`t,a\r\n${lines(40_000)}1,2\r2,3,4\r\n`, 40_003],
      [`t,a\r${lines(40_000).replaceAll('\r\n', '\r')}1,2\n2,3,4\r`, 40_003],
    ] as const)
      await assert.rejects(open(text), new RegExp(`line ${line}: 3 cells; the header has 2`));
    await assert.rejects(open(`t,a\r1,2\n2,"3\r4,5`), /line 3: a quote is opened and never closed/);
  });

  it('takes the first line of an export for its names, whatever stands below', async () => {
    const { columns, rows } = await open(
      ['Timestamp,a,b,c,d', '1,w,x,y,z', '2,"1","2","3","4"', '3,"1","2","3","4"'],
      textSettings({}),
    );
    assert.deepEqual([columns.map(({ name }) => name).join(), rows], ['Timestamp,a,b,c,d', 3]);
  });

  it('takes the names of an export as they stand', async () => {
    const tag = `TAG__${'t'.repeat(512)}`;
    const names = [' a', 'a ', 'a', 'b (string)', '(number) TAG__x', '(string) a (number)', tag];
    const table = await open([`Timestamp,${names.join()}`, '1,1,2,3,4,5,6,7', `Timestamp,${names.join()}`]);
    assert.deepEqual(table.columns.map(({ name, use }) => [name, use]).slice(1), [
      [' a', 'numeric'],
      ['a ', 'numeric'],
      ['a', 'numeric'],
      ['b (string)', 'numeric'],
      ['TAG__x', 'numeric'],
      ['a (number)', 'string'],
      ['t'.repeat(512), 'tag'],
    ]);
  });

  it('refuses a start for times that have a date', async () => {
    const start = 1n;
    for (const lines of [
      ['t,a', '2021-05-08 14:03:10,1', '2021-05-08 14:03:11,2'],
      ['Date,Time,a', '8.5.2021,14:03:10,1', '8.5.2021,14:03:11,2'],
      ['t,a', '1620482590,1', '1620482591,2'],
      ['Timestamp,a', '1620482590000000000,1', '1620482591000000000,2'],
    ])
      await assert.rejects(open(lines, { start }), /line 1: --start has no meaning here: the times of/);
    const since1970 = await open(['t,a', '1620482590,1', '1620482591,2'], { start: 0n });
    assert.equal(since1970.rows, 2);
    const short = await open(['Timestamp,a', '0,1', '100000000,2'], { start });
    assert.equal(short.start, start);
  });

  it('refuses a text among numbers, and says what can be done about it', async () => {
    for (const time of ['t', 'Timestamp']) {
      const lines = [`${time},a`, '1,1', ...Array.from({ length: 40_000 }, (_, i) => `${i + 2},${i}`)];
      lines.push('50000,OVL', '50001,ERR');
      await assert.rejects(
        open(lines),
        /line 40003: column a: 'OVL' is not a number, as most cells of the column are; --missing 'OVL' takes it for no value, --texts 'a' takes/,
      );
      const table = await open(lines, { missing: ['OVL', 'ERR'] });
      assert.deepEqual(
        table.columns.map(({ use }) => use),
        ['timestamp', 'numeric'],
      );
      assert.deepEqual((await cellsOf(table)).at(-1)?.[1], 'null');
      assert.deepEqual(await usesOf(lines, { texts: ['a'] }), ['timestamp', 'string']);
    }
    await assert.rejects(open(['t,a', '1,1'], { texts: ['b'] }), /there is no column b/);
  });

  it('takes a column for text where its texts are meant so, or no fewer than its numbers', async () => {
    assert.deepEqual(
      await usesOf([
        't,zip,serial,quoted,place',
        '1,01234,9007199254740993,"1",1',
        '2,2,2,2,DNF',
        '3,3,3,3,',
      ]),
      ['timestamp', 'string', 'string', 'string', 'string'],
    );
  });

  it('takes the errors of spreadsheets for no values', async () => {
    const table = await open(['t,a', '1,1', '2,#DIV/0!', '3,#NAME?', '4,#BEZUG!', '5,#N/A', '6,2']);
    assert.deepEqual(
      (await cellsOf(table)).map(([, cell]) => cell),
      ['1', 'null', 'null', 'null', 'null', '2'],
    );
  });

  it('reads a table that is named like an export as others, where a column mixes numbers and texts', async () => {
    const table = await open([
      'Timestamp,a',
      '1612191099000000000,inf',
      '1612191099000000001,+1',
      '1612191099000000002,2',
    ]);
    assert.deepEqual(
      (await cellsOf(table)).map(([, cell]) => cell),
      ['"Infinity"', '1', '2'],
    );
  });

  it('takes columns that are named like laps for tags', async () => {
    const names = [
      'Lap',
      'Lap No.',
      'Lap #',
      'current_lap',
      'LapNumber',
      'Runde',
      'Rundennummer',
      'Runden-Nr.',
      'vuelta',
    ];
    const uses = await usesOf([['t', ...names].join(), ['1', ...names.map(() => '1')].join()]);
    assert.deepEqual(
      uses.slice(1),
      names.map(() => 'tag'),
    );
    assert.deepEqual(await usesOf(['t,LapTime,Laps per hour,Rundenzeit', '1,2,3,4']), [
      'timestamp',
      ...Array(3).fill('numeric'),
    ]);
  });

  it('has very many columns', async () => {
    const names = Array.from({ length: 150_000 }, (_, i) => `c${i}`);
    const { columns } = await open([['t', ...names].join(), ['1', ...names.map(() => '2')].join()]);
    assert.equal(columns.length, 150_001);
    await assert.rejects(open(','.repeat(200_001)), /there are more than 200000 cells/);
  });

  it('takes cells in quotes for text, where the file does not quote everything', async () => {
    assert.deepEqual(await usesOf(['t,a,b', '1,"1",""', '2,"2",']), ['timestamp', 'string', 'string']);
    assert.deepEqual(await usesOf(['"t","a","b"', '"1","1",""', '"2","2",""']), [
      'timestamp',
      'numeric',
      'empty',
    ]);
    const table = await open(['t,a', '1,"1,5"', '2,"2,25"']);
    assert.deepEqual(await cellsOf(table), [
      ['1000000000', '1.5'],
      ['2000000000', '2.25'],
    ]);
  });

  it('gives back what an export gave: names, times and texts as they stand', async () => {
    const header =
      'Timestamp,Speed [km/h],Note,Speed [km/h] (string),Raw,Lap,TAG__lap,TAG__streamId,TAG__topic';
    const row = '5,1,nan,-, AAA=,007,2,s1,cars';
    const table = await open([header, row.replace(' ', '')], { binaries: ['Raw'] });
    assert.deepEqual(
      table.columns.map(({ name, use }) => `${name}: ${use}`),
      [
        'Timestamp: timestamp',
        'Speed [km/h]: numeric',
        'Note: string',
        'Speed [km/h]: string',
        'Raw: binary',
        'Lap: string',
        'lap: tag',
        'streamId: ignored',
        'topic: ignored',
      ],
    );
    const nowhere = { topic: undefined, stream: undefined };
    assert.deepEqual(await cellsOf(await open([header, row.replace(' ', '')], {}, nowhere)), [
      ['5', '1', '"nan"', '"-"', '"AAA="', '"007"', '"2"', '"s1"', '"cars"'],
    ]);
    await assert.rejects(
      open([header, row.replace('s1', '').replace(' ', '')], {}, nowhere),
      /line 2: column TAG__streamId: '' names no stream/,
    );
    await assert.rejects(
      open(['t,a', '1,1'], {}, nowhere),
      /to which stream\? --stream, or a column TAG__streamId/,
    );
    await assert.rejects(open(['t,a', '1,#'], { binaries: ['a'] }), /line 2: column a: '#' is not base64/);
  });

  it('gives back empty texts and tags of an export, which are not the same as none', async () => {
    const table = await open(['Timestamp,Note,TAG__lap', '5,"",""', '6,,', '7,a,1']);
    assert.deepEqual(await cellsOf(table), [
      ['5', '""', '""'],
      ['6', 'null', 'null'],
      ['7', '"a"', '"1"'],
    ]);
  });

  it('tells how much of it is checked', async () => {
    writeFileSync(path, ['t,a', ...Array.from({ length: 100_000 }, (_, i) => `${i},${i}`)].join('\n'));
    const parts: number[] = [];
    await openTextTable(path, {}, place, (part) => parts.push(part));
    assert.ok(parts.length > 2);
    assert.deepEqual(
      parts,
      parts.toSorted((a, b) => a - b),
    );
    assert.equal(parts.at(-1), 1);
  });

  it('names columns that have no name, or the same', async () => {
    const { columns } = await open([',t,a,a', '0,1,2,3', '1,2,3,4']);
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['Column 1', 't', 'a', 'a (2)'],
    );
    const headless = await open(['2021-05-08 10:00:00;1,5', '2021-05-08 10:00:01;2,5']);
    assert.deepEqual(
      headless.columns.map(({ name, use }) => [name, use]),
      [
        ['Column 1', 'timestamp'],
        ['Column 2', 'numeric'],
      ],
    );
  });

  it('reads the file as it is told to', async () => {
    const lines = ['a|b', 'when;how fast', 'x;y', '01/02/2021;1,5', '03/02/2021;2'];
    const guessed = await open(lines);
    assert.deepEqual((await cellsOf(guessed))[0], [String(BigInt(Date.UTC(2021, 1, 1)) * 1_000_000n), '1.5']);
    const told = await open(lines, { headerLine: 2, unitsLine: 3, timeForm: 'month-first', decimal: ',' });
    assert.deepEqual(
      told.layout.columns.map(({ name, unit }) => [name, unit]),
      [
        ['when', 'x'],
        ['how fast', 'y'],
      ],
    );
    assert.deepEqual((await cellsOf(told))[0], [String(BigInt(Date.UTC(2021, 0, 2)) * 1_000_000n), '1.5']);
    const start = 1_000_000_000_000_000_000n;
    const counted = await open(['t,v', '1,2', '3,4'], { timeForm: 'ms', start });
    assert.deepEqual((await cellsOf(counted))[1], [String(start + 3_000_000n), '4']);
    const second = await open(['a,b', '1,5', '2,6'], { time: 'b', timeForm: 'ns', tags: ['a'] });
    assert.deepEqual(
      second.columns.map(({ use }) => use),
      ['tag', 'timestamp'],
    );
  });

  const faults: [what: string, lines: string[], message: RegExp, settings?: TextSettings][] = [
    ['names alone', ['time,speed'], /line 1: there are no rows, only names: time, speed$/],
    ['an empty file', [], /the file is empty/],
    ['a missing column', ['a,b', '1,2'], /line 1: there is no column t; the file has a, b/, { time: 't' }],
    ['a file without times', ['a,b', 'x,1', 'y,2'], /line 1: no column is a time; --timestamp names it/],
    [
      'a time among few that is none',
      ['time,a', '2024-01-01T00:00:00Z,1', '2024-13-45T00:00:00Z,2'],
      /line 3: column time: '2024-13-45T00:00:00Z' is no time/,
    ],
    [
      'the same in a column that is named',
      ['when,a', '2024-01-01 00:00:00,1', 'later,2'],
      /line 3: column when: 'later' is no time/,
      { time: 'when' },
    ],
    ['a short row', ['t,a,b', '1,2,3', '2,3'], /file\.csv: line 3: 2 cells; the header has 3/],
    ['a long row', ['t,a', '1,2', '1,2,3'], /line 3: 3 cells; the header has 2/],
    ['an empty time', ['t,a', '1,2', ',2'], /line 3: column t: '' is no time as seconds/],
    ['a time at the start that is none', ['t,a', 'soon,2', '1,2', '2,3'], /line 2: column t: 'soon' is no/],
    [
      'a day that is none',
      ['Date,Time,a', '1/2/2021,1:00:00,2', ...Array(9).fill('1/2/2021,1:00:01,3'), '30/2/2021,1:00:02,4'],
      /line 12: column Date: '30\/2\/2021' is no day/,
    ],
    ['a time beyond 64 bits', ['Timestamp,a', '9223372036854775808,2'], /line 2: column Timestamp/],
    ['names beyond the end', ['t,a', '1,2'], /line 9: there are no names in this line/, { headerLine: 9 }],
    ['names in an empty line', ['t,a', '', '1,2'], /line 2: there are no names/, { headerLine: 2 }],
    ['units beyond the end', ['t,a', '1,2'], /line 9: there are no units in this line/, { unitsLine: 9 }],
    ['units where names are', ['t,a', '1,2'], /line 1: a line cannot be that of the names/, { unitsLine: 1 }],
    ['a quote that nothing closes', ['t,a', '1,2', '2,"3'], /line 3: a quote is opened and never closed/],
  ];
  for (const [what, lines, message, settings] of faults) {
    it(`refuses ${what}, naming the place`, async () => {
      await assert.rejects(open(lines, settings), (error) => {
        assert.ok(error instanceof CommandError);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('refuses what is no text, and a file that is not there', async () => {
    await assert.rejects(open(Uint8Array.of(0x74, 0x2c, 0x76, 0x0a, 0x31, 0x2c, 0)), /zero bytes/);
    const late = Buffer.concat([
      Buffer.from(`t,a\n${'1,2\n'.repeat(100_000)}`),
      Buffer.from([0x33, 0x2c, 0xff]),
    ]);
    await assert.rejects(open(late), /line 65537: at or behind this line are bytes that are not UTF-8 text/);
    await assert.rejects(openTextTable(join(folder, 'none.csv'), {}, place), /none\.csv cannot be read/);
  });
});

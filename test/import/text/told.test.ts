import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { textNotes } from '../../../src/import/text/text-notes.ts';
import { readText } from './read-text.ts';

/** What is told of a text file. */
async function told(lines: readonly string[], settings?: TextSettings): Promise<string[]> {
  const { layout, survey } = await readText(Buffer.from(`${lines.join('\n')}\n`), settings);
  return textNotes(layout, survey);
}

/** The times of rows as ISO 8601. */
async function timesOf(lines: readonly string[]): Promise<string[]> {
  const { rows } = await readText(Buffer.from(`${lines.join('\n')}\n`));
  return rows.map(({ time }) => new Date(Number(time / 1_000_000n)).toISOString());
}

const utc = 'times without a zone, taken for UTC, first in';

describe('what is told of a text file', () => {
  it('has times without a zone, with the first one', async () => {
    assert.deepEqual(await told(['time,v', '2021-05-08 14:03:10,1']), [
      `${utc} line 2: '2021-05-08 14:03:10'`,
    ]);
    const mixed = [
      'time,v',
      '2021-05-08T14:03:10Z,1',
      '2021-05-08T14:03:11+02:00,2',
      '2021-05-08T14:03:12,3',
    ];
    assert.deepEqual(await told(mixed), [`${utc} line 4: '2021-05-08T14:03:12'`]);
    assert.deepEqual(await told(['time,v', '44324.5,1'], { timeForm: 'excel' }), [
      `${utc} line 2: '44324.5'`,
    ]);
    assert.deepEqual(await told(['Date,Time,v', '2021-05-08,14:03:10,1']), [`${utc} line 2: '14:03:10'`]);
  });

  it('has names of columns that stand again among the rows, as where files were put together', async () => {
    const lines = ['time,v', '2021-05-08T14:03:10Z,1', 'time,v', '', '2021-05-08T14:03:11Z,2', 'time,v'];
    assert.deepEqual(await told(lines), [
      "names or units of columns once more among the rows, left out: 2 (line 3: 'time,v')",
    ]);
  });

  it('has numbers that are nearer to 0 than any double, which are 0', async () => {
    const cells = ['1e-400', '0e-400', '1.0D-999', '5e-324', `0.${'0'.repeat(330)}1`, '0.0'];
    const lines = cells.map((cell, i) => `2021-05-08T14:03:${10 + i}Z,${cell},2`);
    assert.deepEqual(await told(['time,v,w', ...lines]), [
      "numbers nearer to 0 than a number can be, made 0: v: 3 (line 2: '1e-400')",
    ]);
    const inUnits = ['time,v', '2021-05-08T14:03:10Z,1e-400 km/h', '2021-05-08T14:03:11Z,2 km/h'];
    assert.ok(
      (await told(inUnits)).includes(
        "numbers nearer to 0 than a number can be, made 0: v: 1 (line 2: '1e-400 km/h')",
      ),
    );
    const commas = ['time;v', '2021-05-08T14:03:10Z;0,1e-400', '2021-05-08T14:03:11Z;2,5'];
    assert.ok(
      (await told(commas)).includes(
        "numbers nearer to 0 than a number can be, made 0: v: 1 (line 2: '0,1e-400')",
      ),
    );
  });

  it('has clocks that pass midnight while the day beside them stays that of the start', async () => {
    const lines = ['22:00:00', '23:59:59', '00:00:01', '00:00:02'].map(
      (clock, i) => `2021-05-08,${clock},${i},a`,
    );
    const note =
      "clocks that go back over midnight while the day beside them stays the same, so that rows stand a day too early: 1 (line 4: '00:00:01')";
    const isTold = async (...rows: readonly string[]) =>
      (await told(['Date,Time,v,Car', ...rows])).includes(note);
    assert.equal(await isTold(...lines), true);
    assert.equal(await isTold(...lines.slice(0, 2), '2021-05-09,00:00:01,2,a'), false);
    assert.equal(await isTold(...lines.slice(0, 2), '2021-05-08,00:00:01,2,b'), false);
  });

  it('has the last row, where no line break ends it and it is shorter: a logger may have been cut off in its number', async () => {
    const toldOf = async (...cells: readonly string[]): Promise<unknown> => {
      const rows = cells.map((cell, i) => `2021-05-08T14:03:${10 + i}Z,${cell}`);
      const { layout, survey } = await readText(Buffer.from(['time,v', ...rows].join('\n')));
      return textNotes(layout, survey);
    };
    const why =
      'the last row may be cut off: no line break ends it, and its last cell is shorter than those of all others';
    assert.deepEqual(await toldOf('20.5', '120.7', '2'), [`${why} (line 4: '2021-05-08T14:03:12Z,2')`]);
    assert.deepEqual(await toldOf('2.51', '120.', '20.75', '120.5', '1'), [
      `${why} (line 6: '2021-05-08T14:03:14Z,1')`,
    ]);
    assert.deepEqual(await toldOf('2.51', '120.7'), [`${why} (line 3: '2021-05-08T14:03:11Z,120.7')`]);
    assert.deepEqual(await toldOf('20.5', '21.5', ''), [`${why} (line 4: '2021-05-08T14:03:12Z,')`]);
  });

  it('has nothing of a last row without a line break whose last cell is like others, as many programs write it', async () => {
    for (const cells of [['20.5', '120.7', '21.5'], ['20.5', '2', '2'], ['2', '12.75', '120.5'], ['7']]) {
      const rows = cells.map((cell, i) => `2021-05-08T14:03:${10 + i}Z,${cell}`);
      const { layout, survey } = await readText(Buffer.from(['time,v', ...rows].join('\n')));
      assert.deepEqual(textNotes(layout, survey), [], cells.join(' '));
    }
  });

  it('has names with control characters, which no parameter has', async () => {
    assert.deepEqual(await told(['time, Spe\u0001ed ,v', '2021-05-08T14:03:10Z,1,2']), [
      "columns renamed: Spe ed (in the file 'Spe\ufffded')",
    ]);
  });

  it('has texts above the table that have one name', async () => {
    const lines = ['Comment,dry', 'Notes,wet', `Driver,${'x'.repeat(70_000)}`, '', 'Time [s],v', '0.1,1'];
    const { layout } = await readText(Buffer.from(`${lines.join('\n')}\n`));
    assert.deepEqual(layout.metadata, { comment: 'dry', 'comment (2)': 'wet' });
    assert.deepEqual((await told(lines)).slice(-2), [
      'metadata under other names than in the file: comment (2)',
      'left out: metadata driver (70000 bytes, 65536 are kept at most)',
    ]);
  });

  it('has nothing of times whose zone is said, by themselves or by their name', async () => {
    for (const time of [
      '2021-05-08T14:03:10Z',
      '2021-05-08 14:03:10 CEST',
      '8-May-2021 14:03:10 +02:00',
      '2021-05-08T14:03:10+02:00[Europe/Berlin]',
    ])
      assert.deepEqual(await told(['time,v', `${time},1`]), [], time);
    assert.deepEqual(await told(['UTC time,v', '2021-05-08 14:03:10,1']), []);
    assert.deepEqual(await told(['Date,Time (UTC),v', '2021-05-08,14:03:10,1']), []);
    assert.deepEqual(await told(['Date,Time,v', '2021-05-08,14:03:10Z,1']), []);
    assert.deepEqual(await told(['time,v', '1620482590,1', '1620482591,1']), []);
  });

  it('has a start above the table that names no zone; one that names its zone is read with it', async () => {
    const table = ['time [s],v', '0,1', '0.5,2'];
    const local = ['Log Date: 2021-05-08', 'Log Time: 14:03:10', '', ...table];
    assert.deepEqual(await told(local), ['the start above the table names no zone, taken for UTC']);
    assert.deepEqual(await told(local, { start: 0n }), []);
    for (const [start, time] of [
      ['2021-05-08T14:03:10Z', '14:03:10'],
      ['2021-05-08T14:03:10+02:00', '12:03:10'],
      ['2021-05-08 14:03:10 CEST', '12:03:10'],
      ['8-May-2021 2:03:10 PM -0500', '19:03:10'],
    ] as const) {
      const lines = [`Start time: ${start}`, '', ...table];
      assert.deepEqual(await told(lines), [], start);
      assert.equal((await timesOf(lines))[0], `2021-05-08T${time}.000Z`, start);
    }
  });

  it('has names that were taken or made up, and years of two digits', async () => {
    const time = '2021-05-08T14:03:10Z';
    assert.deepEqual(await told(['time,A,A,,A (2)', `${time},1,2,3,4`]), [
      "columns renamed: A (2) (one more 'A'), Column 4 (without a name), A (2) (2) (one more 'A (2)')",
    ]);
    assert.deepEqual(await told(['Date,v', '08.05.21 14:03:10 Z,1']), [
      "years of two digits, taken for 1970 to 2069, first in line 2: '08.05.21 14:03:10 Z'",
    ]);
    assert.deepEqual(await told(['Date,UTC,v', '080521,140310,1'], { timeForm: 'day-first' }), [
      "years of two digits, taken for 1970 to 2069, first in line 2: '080521'",
    ]);
  });

  it('has the units of numbers, and minutes of arc that became degrees', async () => {
    const time = '2021-05-08T14:03:10Z';
    assert.deepEqual(await told(['time,Speed [km/h],Temp (°C),Name [x]', `${time},1,2,a`]), [
      'units as the file names them: Speed (km/h), Temp (°C)',
      "text columns: Name [x] (line 2: 'a')",
    ]);
    const vbo = ['File created on 08/05/2021 at 23:59:58', '', '[header]', 'time', 'latitude', 'longitude'];
    const rows = ['', '[column names]', 'time lat long', '', '[data]', '235959.80 +03119.09973 -00058.64372'];
    assert.deepEqual(await told([...vbo, ...rows]), [
      'units as the file names them: lat (°), long (°)',
      'minutes of arc, made degrees: lat, long (positive to the east)',
      'the start above the table names no zone, taken for UTC',
    ]);
  });
});

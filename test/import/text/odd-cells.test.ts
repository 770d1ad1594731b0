import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { settleText } from '../../../src/import/text/survey-text.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { textNotes } from '../../../src/import/text/text-notes.ts';
import { fileOf, readText } from './read-text.ts';

const bytesOf = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`);
const read = (lines: readonly string[], settings?: TextSettings) => readText(bytesOf(lines), settings);

/** A column of these cells, as it is read. */
async function column(cells: readonly string[]): Promise<Record<string, unknown[]>> {
  return (await read(['t;a', ...cells.map((cell, i) => `${i};${cell}`)])).columns;
}

async function faultOf(lines: readonly string[]): Promise<string | undefined> {
  const file = fileOf(bytesOf(lines));
  const { survey } = await settleText(file, await openText(file, {}), () => undefined);
  return survey.firstFaults[0]?.message;
}

describe('numbers in a text file', () => {
  const forms: readonly (readonly [writer: string, cells: readonly string[], values: readonly number[]])[] = [
    ['booleans', ['True', 'false', 'TRUE', 'False'], [1, 0, 1, 0]],
    ['Fortran', ['1.0D+02', '-2.5d-01', '3.D0'], [100, -0.25, 3]],
    ['typography', ['−5.5', '–2', '\u22121e3'], [-5.5, -2, -1000]],
    ['French', ['1\u202f234,5', '12\u00a0345\u00a0678,25', '3,5'], [1234.5, 12_345_678.25, 3.5]],
    ['Swiss', ["1'234.5", '12’345’678.25', '3.5'], [1234.5, 12_345_678.25, 3.5]],
    ['Swedish', ['1 234,5', '-12 345', '3,5'], [1234.5, -12_345, 3.5]],
    ['English', ['1,234.5', '12,345,678.25', '3.5'], [1234.5, 12_345_678.25, 3.5]],
    ['other signs', ['+5', '.5', '5.', '1e5', '-.5E-1'], [5, 0.5, 5, 1e5, -0.05]],
    [
      'no numbers',
      ['NaN', 'nan', '-nan(ind)', '-1.#IND', '1.#QNAN0'],
      [Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN],
    ],
    [
      'no ends',
      ['Inf', '-inf', '1.#INF', '-1.#INF00', '+Infinity'],
      [1, -1, 1, -1, 1].map((sign) => sign * Number.POSITIVE_INFINITY),
    ],
  ];
  for (const [writer, cells, values] of forms)
    it(`are read: ${writer}`, async () => {
      assert.deepEqual(await column(cells), { 'a [] number': values });
    });

  it('have their unit behind them: it becomes that of the column', async () => {
    const units = [
      't,a,b,c,d [°C]',
      '0.1,12%,12 km/h,3.3V,20 °C',
      '0.2,13.5 %,-4 km/h,3.25V,21.5 °C',
      '0.3,n/a,,3V,',
    ];
    // One space more or less is no other unit.
    assert.deepEqual((await read(units)).columns, {
      'a [%] number': [12, 13.5, null],
      'b [km/h] number': [12, -4, null],
      'c [V] number': [3.3, 3.25, 3],
      'd [°C] number': [20, 21.5, null],
    });
    assert.deepEqual(await column(['1,5 bar', '2 bar', '1\u202f000,5 bar']), {
      'a [bar] number': [1.5, 2, 1000.5],
    });
  });

  it('are texts where a letter is a half of the globe, not a unit: W is no watt, and its numbers are negative', async () => {
    for (const [name, cells] of [
      ['Lon', ['11.6W', '11.7W']],
      ['GPS Latitude', ['33.9 S', '33.8 S']],
      ['lat_deg', ['48.1N', '48.2N']],
    ] as const) {
      const text = `t,${name}\n${cells.map((cell, i) => `0.${i},${cell}`).join('\n')}\n`;
      const { columns } = await readText(Buffer.from(text));
      assert.deepEqual(columns, { [`${name} [] text`]: cells });
    }
    const force = await readText(Buffer.from('t,Long Force\n0.1,11.6 N\n0.2,11.7 N\n'));
    assert.deepEqual(force.columns, { 'Long Force [N] number': [11.6, 11.7] });
  });

  it('have no unit where the brackets of the name hold the number of an element', async () => {
    const { columns } = await readText(
      Buffer.from('t,wheel[0],g[1],g[2],Lambda [1]\n0.1,1,2,3,4\n0.2,5,6,7,8\n'),
    );
    assert.deepEqual(columns, {
      'wheel[0] [] number': [1, 5],
      'g[1] [] number': [2, 6],
      'g[2] [] number': [3, 7],
      'Lambda [] number': [4, 8],
    });
  });

  it('with another unit than the others, or none, are faults', async () => {
    const lines = ['t,a', '0.1,12 km/h', '0.2,13 km/h', '0.3,14 km/h'];
    assert.match(
      (await faultOf([...lines, '0.4,12 mph'])) ?? '',
      /column a: '12 mph' is not a number in km\/h/,
    );
    assert.match((await faultOf([...lines, '0.4,12'])) ?? '', /column a: '12' is not a number in km\/h/);
    assert.match((await faultOf([...lines, '0.4,ERR'])) ?? '', /column a: 'ERR' is not a number in km\/h/);
  });

  it('keep the nearest doubles of their digits', async () => {
    const cells = ['0.1', '95524766045192.25', '123456789.123456789', '5e-324', '1.7976931348623157e308'];
    assert.deepEqual(await column(cells), { 'a [] number': cells.map(Number) });
  });
});

describe('cells that are texts', () => {
  it('stay so where they name states or addresses', async () => {
    for (const cells of [
      ['on', 'off'],
      ['yes', 'no'],
      ['0x1F', '0x20'],
      ['12 a', '13 b'],
      ['1e400', '1e401'],
    ])
      assert.deepEqual(await column(cells), { 'a [] text': cells });
  });

  it('are faults among numbers, also where the whole file stands in quotes', async () => {
    const quoted = [
      '"Time","RPM","Gear"',
      '"0.1","800","1"',
      '"0.2","810","1"',
      '"0.3","ERR","1"',
      '"0.4","820","2"',
    ];
    assert.match((await faultOf(quoted)) ?? '', /column RPM: 'ERR' is not a number/);
    const mostly = [
      'Time,RPM,Gear,A,B',
      ...[1, 2, 3].map((i) => `0.${i},"80${i}","1","2","3"`),
      '0.4,"ERR","1","2","3"',
    ];
    assert.match((await faultOf(mostly)) ?? '', /column RPM: 'ERR' is not a number/);
  });

  it('are texts where quotes mark them, though they hold digits', async () => {
    const { columns } = await read(['"time","id","v"', '0.1,"7",1', '0.2,"8",2']);
    assert.deepEqual(columns, { 'id [] text': ['7', '8'], 'v [] number': [1, 2] });
  });

  it('have no value in NA outside of quotes, as R writes it, and a text in it inside', async () => {
    const { columns } = await read(['"time","name","v"', '0.1,"a",1', '0.2,NA,NA', '0.3,"NA",3']);
    assert.deepEqual(columns, { 'name [] text': ['a', null, 'NA'], 'v [] number': [1, null, 3] });
  });

  it('are named with the first that makes a column text', async () => {
    const { layout, survey } = await read([
      '"time","note","zip","serial","name","v"',
      '0.1,fine,1,1,"7",1',
      '0.2,wet,007,2,"8",2',
      '0.3,dry,3,9007199254740993,"9",3',
    ]);
    assert.deepEqual(textNotes(layout, survey), [
      "text columns: note (line 2: 'fine'), zip (line 3: '007', zeros in front), serial (line 4: '9007199254740993', more digits than a number keeps), name (line 2: '7', in quotes)",
    ]);
    const many = Array.from({ length: 12 }, (_, i) => `n${i}`);
    const wide = await read([`t,${many.join()}`, `0.1,${many.map(() => 'x').join()}`]);
    assert.match(textNotes(wide.layout, wide.survey)[0]!, /n9 \(line 2: 'x'\) and 2 more$/);
  });
});

describe('comments in a text file', () => {
  const names: readonly (readonly [writer: string, lines: readonly string[]])[] = [
    ['NumPy', ['# t speed', '0.0 1.0', '0.1 1.5']],
    ['NumPy with commas', ['# run of May', '# t,speed', '0.0,1.0', '0.1,1.5']],
    ['gnuplot', ['#t speed', '0.0 1.0', '0.1 1.5']],
    ['gnuplot with tabs', ['#\tt\tspeed', '0.0\t1.0', '0.1\t1.5']],
    ['Octave', ['% t speed', ' 0.0 1.0', ' 0.1 1.5']],
    ['C', ['// t, speed', '0.0, 1.0', '0.1, 1.5']],
    [
      'sigrok',
      ['; CSV generated by libsigrok 0.5.2', '; Samplerate: 10 Hz', 't,speed', '0.0,1.0', '0.1,1.5'],
    ],
  ];
  for (const [writer, lines] of names)
    it(`are names where they fit the columns, as ${writer} writes them`, async () => {
      const { rows, columns } = await read(lines);
      assert.deepEqual(columns, { 'speed [] number': [1, 1.5] });
      assert.deepEqual(
        rows.map(({ time }) => time),
        [0n, 100_000_000n],
      );
    });

  it('have units in brackets, or in a line of their own', async () => {
    const { columns } = await read(['# t [s] speed [km/h]', '0.0 1.0', '0.1 1.5']);
    assert.deepEqual(columns, { 'speed [km/h] number': [1, 1.5] });
    const { layout, rows } = await read(['# t speed', '# ms km/h', '0.0 1.0', '10 1.5']);
    assert.deepEqual([layout.columns[1]?.unit, rows[1]?.time], ['km/h', 10_000_000n]);
  });

  it('are no names where they are a sentence, or name a column #', async () => {
    const { columns } = await read(['# this was logged by nobody on the test track', '0.0 1.0', '0.1 1.5']);
    assert.deepEqual(columns, { 'Column 2 [] number': [1, 1.5] });
    const numbered = await read(['#,Time,v', '7,0.1,1', '9,0.2,2']);
    assert.deepEqual(numbered.columns, { '# [] number': [7, 9], 'v [] number': [1, 2] });
  });

  it('among rows are left out and told, and are never rows', async () => {
    const { layout, survey, columns } = await read([
      't,v',
      '0.1,1',
      '# a pause, with coffee',
      '0.2,2',
      '#0.3,3',
    ]);
    assert.deepEqual(columns, { 'v [] number': [1, 2] });
    assert.deepEqual(textNotes(layout, survey), [
      "comments among the rows, left out: 2 (line 3: '# a pause, with coffee')",
    ]);
  });

  it('are none where a spreadsheet writes an error, and where a text begins like one', async () => {
    assert.match((await faultOf(['t,v', '0.1,1', '#DIV/0!,2', '0.3,3'])) ?? '', /'#DIV\/0!' is no time/);
    const { columns } = await read(['name,t,v', 'a,0.1,1', '#7,0.2,2']);
    assert.deepEqual(columns, { 'name [] text': ['a', '#7'], 'v [] number': [1, 2] });
  });
});

describe('cells that are read as numbers though they are words', () => {
  it('are told with the first of each column', async () => {
    const { layout, survey } = await read([
      'time,on,share,speed,rpm,name',
      '2021-01-01T00:00:00Z,True,12%,12 km/h,n/a,x',
      '2021-01-01T00:00:01Z,False,13%,13 km/h,7,-',
    ]);
    assert.deepEqual(textNotes(layout, survey), [
      "text columns: name (line 2: 'x')",
      "booleans, 1 for true and 0 for false: on (line 2: 'True')",
      'units behind numbers: share (%), speed (km/h)',
      "words that stand for no value: rpm (line 2: 'n/a')",
    ]);
  });
});

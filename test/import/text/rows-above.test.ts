import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { settleText } from '../../../src/import/text/survey-text.ts';
import { textNotes } from '../../../src/import/text/text-notes.ts';
import { fileOf, readText } from './read-text.ts';

function rowsFrom(second: number, count: number, ...cells: readonly string[]): string {
  const times = Array.from(
    { length: count },
    (_, i) => `2021-02-01T00:00:${String(second + i).padStart(2, '0')}Z`,
  );
  return times.map((time) => `${[time, ...cells].join(',')}\n`).join('');
}

async function notesOf(text: string): Promise<string[]> {
  const file = fileOf(Buffer.from(text));
  const { survey, layout } = await settleText(file, await openText(file, {}), () => undefined);
  return textNotes(layout, survey);
}

describe('names that stand again among the first rows', () => {
  it('leave the rows before them in', async () => {
    const names = 'time,Speed\n';
    const text = [0, 1, 2, 3].map((second) => names + rowsFrom(second, 1, String(second))).join('');
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(columns, { 'Speed [] number': [0, 1, 2, 3] });
    assert.deepEqual(await notesOf(text), [
      "names or units of columns once more among the rows, left out: 3 (line 3: 'time,Speed')",
    ]);
  });

  it('leave them in with the units below the names', async () => {
    const text = `time,Speed\n,km/h\n${rowsFrom(0, 1, '7')}time,Speed\n${rowsFrom(1, 1, '8')}`;
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(columns, { 'Speed [km/h] number': [7, 8] });
  });
});

describe('units that stand again among the rows', () => {
  it('are left out as the names above them are, and told', async () => {
    const names = 'time,Speed,Oil\n,km/h,°C\n';
    const text = `${names}${rowsFrom(0, 1, '7', '90')}${names}${rowsFrom(1, 1, '8', '91')}`;
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(columns, { 'Speed [km/h] number': [7, 8], 'Oil [°C] number': [90, 91] });
    assert.deepEqual(await notesOf(text), [
      'units as the file names them: Speed (km/h), Oil (°C)',
      "names or units of columns once more among the rows, left out: 2 (line 4: 'time,Speed,Oil')",
    ]);
  });
});

describe('rows above the names', () => {
  it('are told, for they are left out', async () => {
    const text = `time,Speed\n${rowsFrom(0, 3, '7')}time,Speed,Oil\n${rowsFrom(10, 9, '8', '90')}`;
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(columns, {
      'Speed [] number': Array(9).fill(8),
      'Oil [] number': Array(9).fill(90),
    });
    assert.deepEqual(await notesOf(text), [
      "rows above line 5, where the table begins, left out: 3 (line 2: '2021-02-01T00:00:00Z,7')",
    ]);
  });

  it('are told though they begin as comments', async () => {
    const text = `Name,time,Speed\n#1,2021-02-01T00:00:00Z,7\nb,2021-02-01T00:00:01Z,8\n`;
    assert.deepEqual(await notesOf(text), [
      "rows above line 1, where the table begins, left out: 1 (line 2: '#1,2021-02-01T00:00:00Z,7')",
      "text columns: Name (line 3: 'b')",
    ]);
  });

  it('are none where a preamble stands there', async () => {
    const text = `Logger,V2.1\nDate,2021-02-01\nRate,100\n\ntime,Speed,Oil\n${rowsFrom(10, 9, '8', '90')}`;
    assert.deepEqual(await notesOf(text), []);
  });
});

describe('rows between the names and the first values', () => {
  it('are told, as rows of types are', async () => {
    const text = `time,Speed,Name\n,km/h,\nstring,float,string\n${rowsFrom(0, 3, '7', 'a')}`;
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(columns, { 'Speed [km/h] number': [7, 7, 7], 'Name [] text': ['a', 'a', 'a'] });
    assert.deepEqual(await notesOf(text), [
      "rows between the names and the first values, left out: 1 (line 3: 'string,float,string')",
      'units as the file names them: Speed (km/h)',
      "text columns: Name (line 4: 'a')",
    ]);
  });

  it('are the units where several columns have the same', async () => {
    const text = `time,Left,Right,Name\n,V,V,\n${rowsFrom(0, 1, '7', '8', 'a')}`;
    const { columns } = await readText(Buffer.from(text));
    assert.deepEqual(Object.keys(columns), ['Left [V] number', 'Right [V] number', 'Name [] text']);
  });

  it('are no marks of one cell', async () => {
    const text = `time,Speed\n[data]\n----\n${rowsFrom(0, 3, '7')}`;
    assert.deepEqual(await notesOf(text), []);
  });
});

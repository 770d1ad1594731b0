import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextFault } from '../../../src/import/text/text-layout.ts';
import { readText } from './read-text.ts';

const read = (lines: readonly string[]) => readText(Buffer.from(`${lines.join('\n')}\n`));

/** Words that JavaScript gives every object. */
describe('a text file may say "constructor"', () => {
  it('above its table: it is no metadata', async () => {
    const { layout } = await read(['Constructor,Ferrari', 'Driver,A', '', 'Time,Speed', '0.1,3', '0.2,4']);
    assert.deepEqual(layout.metadata, { driver: 'A' });
  });

  it('as the unit of its times, or at the end of their name', async () => {
    for (const name of ['Time [constructor]', 'Time constructor']) {
      const { layout, rows } = await read([`${name},Speed`, '0.1,3', '0.2,4']);
      assert.equal(layout.timeForm, 's');
      assert.deepEqual(
        rows.map(({ time }) => time),
        [100_000_000n, 200_000_000n],
      );
    }
  });

  it('as the name of a column of a .vbo file', async () => {
    const { columns } = await read([
      '[header]',
      'time',
      'constructor',
      '[column names]',
      'time constructor',
      '[data]',
      '000310.50 3',
      '000310.60 4',
    ]);
    assert.deepEqual(columns, { 'constructor [] number': [3, 4] });
  });
});

describe('the names of columns in a text file', () => {
  it('may have line breaks in quotes: they become spaces, and a name that stands twice is told apart', async () => {
    const { columns } = await read([
      'Time,"Speed\nfront\t[km/h]","Speed\r\nfront [m/s]"',
      '0.1,3,1',
      '0.2,4,2',
    ]);
    assert.deepEqual(columns, {
      'Speed front [km/h] [km/h] number': [3, 4],
      'Speed front [m/s] [m/s] number': [1, 2],
    });
  });

  it('stand once more among the rows without being one', async () => {
    const { rows } = await read(['Time,"Speed\nfront"', '0.1,3', '0.2,4', 'Time,"Speed\nfront"', '0.3,5']);
    assert.equal(rows.length, 3);
  });

  it('are named by their line where one is too long', async () => {
    await assert.rejects(
      read(['', `Time,${'x'.repeat(513)}`, '0.1,3', '0.2,4']),
      (error) =>
        error instanceof TextFault &&
        /^line 2: the name of a channel has more than 512 bytes$/.test(error.message),
    );
  });
});

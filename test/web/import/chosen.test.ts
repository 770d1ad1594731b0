import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenOf, streamNameOf } from '../../../web/src/import/chosen.ts';

describe('files that are chosen together', () => {
  const together = (...names: string[]) =>
    chosenOf(names.map((name) => new File([], name))).map(({ file, beside }) =>
      [file, ...beside].map(({ name }) => name),
    );

  it('are one where they belong together: laps with the log of their name, meanings of frames with all that may have some', () => {
    assert.deepEqual(together('a.ldx', 'b.LD', 'a.ld', 'b.ldx', 'c.csv'), [
      ['b.LD', 'b.ldx'],
      ['a.ld', 'a.ldx'],
      ['c.csv'],
    ]);
    assert.deepEqual(together('x.ldx', 'y.ld'), [['y.ld', 'x.ldx']]);
    assert.deepEqual(together('1.dbc', 'a.blf', 'b.mf4', '2.dbc', 'c.asc', 'd.csv'), [
      ['a.blf', '1.dbc', '2.dbc'],
      ['b.mf4', '1.dbc', '2.dbc'],
      ['c.asc', '1.dbc', '2.dbc'],
      ['d.csv'],
    ]);
  });

  it('are streams of their name, without what says how they are written and packed', () => {
    const named = (name: string) => streamNameOf({ file: new File([], name), beside: [] });
    assert.deepEqual(['a.csv', 'b.ndjson.gz', 'c.1.csv.zst', '.csv', 'no-end'].map(named), [
      'a',
      'b',
      'c.1',
      'imported',
      'no-end',
    ]);
  });

  it('are none that vanish: laps and meanings without a log stand alone', () => {
    assert.deepEqual(together('a.ldx', 'b.ldx', 'c.ld', '1.dbc'), [
      ['c.ld'],
      ['a.ldx'],
      ['b.ldx'],
      ['1.dbc'],
    ]);
  });
});

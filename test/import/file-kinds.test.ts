import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOfFile } from '../../src/import/file-kinds.ts';

describe('the kind of a file', () => {
  it('is known by the end of its name, in letters of any case, wherever it stands', () => {
    const named = {
      'a.csv': 'text',
      '/x.ld/run 7.MF4': 'mdf4',
      'c:\\logs\\a.b.Mcap': 'mcap',
      'a.ld': 'motec',
    };
    for (const [name, kind] of Object.entries(named)) assert.equal(kindOfFile(name), kind, name);
  });

  it('is not known of other files', () => {
    for (const name of ['', 'csv', 'a.ldx', 'a.csv/b', 'a.', 'a.toString'])
      assert.equal(kindOfFile(name), undefined, name);
  });
});

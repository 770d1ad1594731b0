import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../src/domain/parameter-data.ts';
import { parameterOfColumn, tableNames } from '../../src/domain/table-names.ts';

const { Numeric, String: Text, Binary } = Kind;

describe('the names of a table', () => {
  it('are those of the parameters, and of the tags after TAG__', () => {
    const columns = [
      { kind: Text, name: 'Note' },
      { kind: Numeric, name: 'mean(Speed)' },
    ];
    assert.deepEqual(tableNames({ columns, groupBy: ['lap', 'streamId'] }), {
      columns: ['Note', 'mean(Speed)'],
      tags: ['TAG__lap', 'TAG__streamId'],
    });
  });

  it('tell parameters with one name apart by their kind; numbers keep the name', () => {
    const columns = [
      { kind: Binary, name: 'a' },
      { kind: Text, name: 'a' },
      { kind: Numeric, name: 'a' },
      { kind: Text, name: 'b' },
      { kind: Binary, name: 'b' },
    ];
    assert.deepEqual(tableNames({ columns, groupBy: [] }).columns, [
      'a (binary)',
      'a (string)',
      'a',
      'b',
      'b (binary)',
    ]);
  });

  it('leave the time and the tags theirs', () => {
    const columns = [
      { kind: Numeric, name: 'Timestamp' },
      { kind: Text, name: 'TAG__lap' },
    ];
    assert.deepEqual(tableNames({ columns, groupBy: ['lap'] }), {
      columns: ['Timestamp (number)', 'TAG__lap (string)'],
      tags: ['TAG__lap'],
    });
  });

  it('are never twice the same', () => {
    const name = fc.constantFrom('a', 'a (string)', 'a (number)', 'Timestamp', 'TAG__a', 'TAG__a (string)');
    const column = fc.record({ kind: fc.constantFrom(Numeric, Text, Binary), name });
    const columns = fc.uniqueArray(column, { selector: (one) => `${one.kind}${one.name}` });
    fc.assert(
      fc.property(columns, fc.constantFrom([], ['a'], ['a', 'b']), (given, groupBy) => {
        const names = tableNames({ columns: given, groupBy });
        const all = ['Timestamp', ...names.columns, ...names.tags];
        assert.equal(names.columns.length, given.length);
        assert.equal(new Set(all).size, all.length);
      }),
    );
  });

  it('lead back to the parameters', () => {
    const names = new Set(['Timestamp', 'a', 'a (string)', 'b (binary)', 'Timestamp (number)']);
    assert.deepEqual(parameterOfColumn('a', names), { name: 'a', kind: undefined });
    assert.deepEqual(parameterOfColumn('a (string)', names), { name: 'a', kind: Text });
    assert.deepEqual(parameterOfColumn('b (binary)', names), { name: 'b (binary)', kind: undefined });
    assert.deepEqual(parameterOfColumn('Timestamp (number)', names), { name: 'Timestamp', kind: Numeric });
  });
});

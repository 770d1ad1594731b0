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
      columns: ['Timestamp (number)', '(string) TAG__lap'],
      tags: ['TAG__lap'],
    });
  });

  it('have the kind of a parameter before a name that would be taken for something else', () => {
    const columns = [
      { kind: Numeric, name: 'TAG__x' },
      { kind: Text, name: '(number) TAG__x' },
      { kind: Numeric, name: 'a' },
      { kind: Numeric, name: 'a (string)' },
      { kind: Numeric, name: 'b (string)' },
    ];
    assert.deepEqual(tableNames({ columns, groupBy: [] }).columns, [
      '(number) TAG__x',
      '(string) (number) TAG__x',
      'a',
      '(number) a (string)',
      'b (string)',
    ]);
  });

  it('are never twice the same, and lead back to the parameters and the tags', () => {
    const begins = fc.constantFrom('', '(number) ', '(string) (binary) ');
    const bare = fc.constantFrom('a', 'Timestamp', 'TAG__a', 'TAG__');
    const ends = fc.constantFrom('', ' (string)', ' (number)', ' (number) (string)');
    const name = fc.tuple(begins, bare, ends).map((parts) => parts.join(''));
    const column = fc.record({ kind: fc.constantFrom(Numeric, Text, Binary), name });
    const columns = fc.uniqueArray(column, { selector: (one) => `${one.kind}${one.name}` });
    fc.assert(
      fc.property(columns, fc.constantFrom([], ['a'], ['a', 'a (number)']), (given, groupBy) => {
        const names = tableNames({ columns: given, groupBy });
        const all = ['Timestamp', ...names.columns, ...names.tags];
        const set = new Set(all);
        assert.equal(names.columns.length, given.length);
        assert.equal(set.size, all.length);
        assert.ok(!names.columns.some((one) => one.startsWith('TAG__')));
        for (const [i, { kind, name }] of given.entries()) {
          const found = parameterOfColumn(names.columns[i]!, set);
          assert.deepEqual([found.name, found.kind ?? kind], [name, kind]);
        }
      }),
      { numRuns: 2000 },
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

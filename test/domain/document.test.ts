import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Document, documentKey, documentOfKey, documentTable } from '../../src/domain/document.ts';

const item = (id: string, topic?: string): Document => ({
  kind: 'view',
  topic,
  id,
  body: '{}',
  updatedAt: 1,
});

describe('kept documents in memory', () => {
  it('are listed by id, as the same array until one of them changes', () => {
    const table = documentTable();
    for (const id of ['c', 'B', 'a']) table.put('w', item(id));
    const first = table.list('w', 'view');
    assert.deepEqual(
      first.map(({ id }) => id),
      ['B', 'a', 'c'],
    );
    table.put('other', item('d'));
    assert.equal(table.list('w', 'view'), first);
    table.put('w', item('b'));
    table.remove('w', item('c'));
    assert.deepEqual(
      table.list('w', 'view').map(({ id }) => id),
      ['B', 'a', 'b'],
    );
    assert.deepEqual(
      first.map(({ id }) => id),
      ['B', 'a', 'c'],
      'who has the array keeps it as it was',
    );
  });

  it('are one topic’s or all, whose names may differ in case', () => {
    const table = documentTable();
    table.put('w', item('b', 'Cars'));
    table.put('w', item('a'));
    table.put('w', item('c', 'bikes'));
    const all = table.list('w', 'view');
    assert.deepEqual(
      all.map(({ id, topic }) => [id, topic]),
      [
        ['a', undefined],
        ['b', 'Cars'],
        ['c', 'bikes'],
      ],
    );
    assert.equal(table.list('w', 'view'), all);
    assert.deepEqual(
      table.list('w', 'view', 'CARS').map(({ id }) => id),
      ['b'],
    );
    table.put('w', item('b', 'CARS'));
    assert.equal(table.list('w', 'view').length, 3);
    assert.equal(table.get('w', item('b', 'cars'))?.topic, 'CARS');
  });

  it('have keys that name them, whatever stands in an id', () => {
    for (const id of ['', '","', 'ü\u0000']) {
      const key = documentKey('w', item(id, 'Cars'));
      assert.deepEqual(documentOfKey(key), { workspace: 'w', name: { kind: 'view', topic: 'cars', id } });
      assert.equal(documentOfKey(documentKey('w', item(id))).name.topic, undefined);
    }
  });
});

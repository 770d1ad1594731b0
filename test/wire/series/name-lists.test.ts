import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NameLists } from '../../../src/wire/series/name-lists.ts';

describe('lists of names', () => {
  const listOf = (lists: NameLists, names: readonly string[]) =>
    names.reduce((list, name) => list.with(name)!, lists.empty());

  it('are the same object where they are equal, however they came to be', () => {
    const lists = new NameLists();
    const first = listOf(lists, ['a', 'b', 'c']);
    const other = listOf(lists, ['a', 'c', 'b']);
    assert.equal(listOf(lists, ['a', 'b', 'c']), first);
    assert.equal(listOf(lists, ['a', 'c', 'b']), other);
    assert.notEqual(first, other);
    assert.deepEqual(first.names, ['a', 'b', 'c']);
    assert.equal(first.names, first.names);
    assert.equal(first.length, 3);
  });

  it('have no name twice, wherever it stands', () => {
    const lists = new NameLists();
    const list = listOf(lists, ['a', 'b']);
    const longer = list.with('c')!;
    for (const name of ['a', 'b']) assert.equal(list.with(name), undefined);
    for (const name of ['a', 'b', 'c']) assert.equal(longer.with(name), undefined);
    assert.equal(list.with('c'), longer);
    assert.deepEqual(list.with('d')!.names, ['a', 'b', 'd']);
    assert.equal(list.with('d')!.with('a'), undefined);
  });

  it('that are in use go on when all are forgotten', () => {
    const lists = new NameLists();
    const before = lists.empty();
    let list = before;
    for (let i = 0; i < 20_000; i++) list = list.with(`${'long name '.repeat(100)}${i}`)!;
    assert.notEqual(lists.empty(), before);
    assert.equal(list.length, 20_000);
    assert.equal(list.with(list.names[7]!), undefined);
    assert.equal(list.with('another')!.names.at(-1), 'another');
  });
});

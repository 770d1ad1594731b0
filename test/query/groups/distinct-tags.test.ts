import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tagSet } from '../../../src/domain/tags.ts';
import { distinctTags, mostValues } from '../../../src/query/groups/distinct-tags.ts';

describe('the tags that are found', () => {
  it('come in order of text, with the number of their values, the first and the last', () => {
    const found = distinctTags();
    found.addSet(
      tagSet([
        ['lap', '10'],
        ['driver', 'NED'],
      ]),
    );
    for (const value of ['9', '10', '9', '']) found.add('lap', value);
    assert.deepEqual(found.list(), [
      { name: 'driver', values: 1, first: 'NED', last: 'NED' },
      { name: 'lap', values: 3, first: '', last: '9' },
    ]);
    assert.deepEqual(distinctTags().list(), []);
  });

  it('are counted up to 1,000 values, from when on none matters', () => {
    const found = distinctTags();
    for (let value = 0; value < mostValues - 1; value++) found.add('id', String(value));
    assert.equal(found.isCounted('id'), false);
    assert.equal(found.knows('id', '5000'), false);
    for (let value = mostValues - 1; value < 3000; value++) found.add('id', String(value));
    assert.equal(found.isCounted('id'), true);
    assert.equal(found.knows('id', '5000'), true);
    assert.equal(found.knows('other', '1'), false);
    assert.deepEqual(found.list(), [{ name: 'id', values: 1000, first: '0', last: '999' }]);
  });

  it('take no more than 32 MiB; values that are counted no further are given back', () => {
    const few = distinctTags();
    for (let name = 0; name < 60; name++)
      for (let value = 0; value < mostValues; value++) few.add(`${name}`, `${value}`.padStart(500));
    assert.equal(few.list().length, 60);
    const many = distinctTags();
    assert.throws(
      () => {
        for (let name = 0; name < 200_000; name++) many.add(`${name}`, '1');
      },
      { code: 'query_too_large', message: /take more than 33554432 bytes of memory/ },
    );
  });
});

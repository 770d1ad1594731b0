import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { distinctValues } from '../../../src/query/groups/distinct-values.ts';

describe('the values of a tag that are found', () => {
  it('come once each, in order of text', () => {
    const found = distinctValues('lap');
    for (const value of ['9', '10', '9', '']) found.add(value);
    assert.ok(found.has('10') && !found.has('11'));
    assert.deepEqual(found.list(), ['', '10', '9']);
  });

  it('take no more than 32 MiB, however often they come', () => {
    const found = distinctValues('lap');
    const long = (i: number) => `${i}`.padStart(2 ** 20);
    for (let again = 0; again < 3; again++) for (let i = 0; i < 15; i++) found.add(long(i));
    assert.equal(found.list().length, 15);
    assert.throws(() => found.add(long(15)), {
      code: 'query_too_large',
      message: /^the values that the tag 'lap' has there take more than 33554432 bytes of memory/,
    });
  });
});

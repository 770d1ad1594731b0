import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takeMember } from '../../../src/hub/protocol/take-member.ts';

function take(json: string) {
  const { text, rest } = takeMember(Buffer.from(json), 'streamId');
  return [text, Buffer.from(rest).toString()];
}

describe('taking a member out of an object', () => {
  it('leaves the bytes of the others as they are', () => {
    assert.deepEqual(take('{"streamId":"a"}'), ['a', '{}']);
    assert.deepEqual(take(' { "name" : "x" , "streamId":"a", "n":{"streamId":1e2}} '), [
      'a',
      '{"name" : "x","n":{"streamId":1e2}} ',
    ]);
    assert.deepEqual(take('{"StreamId":"\\u0061","b":[1,2]}'), ['a', '{"b":[1,2]}']);
  });

  it('refuses an object without it, with two, or with another type', () => {
    assert.throws(() => take('{}'), { code: 'missing_property' });
    assert.throws(() => take('{"streamId":"a","StreamId":"b"}'), { code: 'duplicate_property' });
    assert.throws(() => take('{"streamId":5}'), { code: 'wrong_type' });
    assert.throws(() => take('[]'), { code: 'wrong_type' });
  });

  it('leaves what is wrong after the object to the next reader', () => {
    assert.deepEqual(take('{"streamId":"a"} x'), ['a', '{} x']);
  });
});

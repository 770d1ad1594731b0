import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTagNamesQuery, decodeTagValuesQuery } from '../../../src/wire/requests/tag-values-query.ts';
import { assertFault, bytesOf } from '../faults.ts';

const decode = (text: string) => decodeTagValuesQuery(bytesOf(text));

describe('the body of a request for the values of a tag', () => {
  it('needs the tag; all else narrows it down', () => {
    assert.deepEqual(decode('{"tag":""}'), { tag: '' });
    assert.deepEqual(decode('{"Tag":"lap","from":-1,"to":"5","streamIds":["a"],"topic":"t"}'), {
      tag: 'lap',
      from: -1n,
      to: 5n,
      streamIds: ['a'],
      topic: 't',
    });
    assert.deepEqual(decode('{"tag":"lap","streamIds":[]}'), { tag: 'lap' });
    assertFault(() => decode('{}'), 'missing_property', 'tag');
    assertFault(() => decode('{"tag":["lap"]}'), 'wrong_type', 'tag');
    assertFault(() => decode('{"tag":"lap","from":2,"to":1}'), 'invalid_value', 'from', '2 > 1');
    assertFault(() => decode('{"tag":"lap","tags":1}'), 'unknown_property', '', 'tags');
  });
});

describe('the body of a request for the names of tags', () => {
  const namesOf = (text: string) => decodeTagNamesQuery(bytesOf(text));

  it('needs nothing', () => {
    assert.deepEqual(namesOf('{}'), {});
    assert.deepEqual(namesOf('{"From":1,"to":"2","streamIds":["a"],"topic":"t"}'), {
      from: 1n,
      to: 2n,
      streamIds: ['a'],
      topic: 't',
    });
    assertFault(() => namesOf('{"from":2,"to":1}'), 'invalid_value', 'from', '2 > 1');
    assertFault(() => namesOf('{"tag":"lap"}'), 'unknown_property', '', 'tag');
  });
});

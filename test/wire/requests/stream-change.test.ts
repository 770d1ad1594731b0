import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeStreamDelete, decodeStreamRestore } from '../../../src/wire/requests/stream-change.ts';
import { assertFault, bytesOf } from '../faults.ts';

const remove = (text: string) => decodeStreamDelete(bytesOf(text));
const restore = (text: string) => decodeStreamRestore(bytesOf(text));

describe('the body of a delete of streams', () => {
  it('is a filter of streams, and says whether it is for good', () => {
    const filter = {
      streamIds: ['a'],
      location: '/',
      topic: 'T',
      topics: ['T', 'U'],
      parameterIds: ['Speed'],
      eventIds: ['e'],
      metadata: [{ key: 'k', value: 'v' }, { key: 'k' }],
      includeStatuses: ['Closed'],
      excludeStatuses: ['Open'],
      name: 'n',
      parentStreamId: 'p',
      search: 'words',
    };
    assert.deepEqual(remove(JSON.stringify(filter)), { filter, hard: false });
    assert.deepEqual(remove('{"StreamIds":["a"],"HardDelete":true}'), {
      filter: { streamIds: ['a'] },
      hard: true,
    });
    assert.deepEqual(remove('{"topic":"t","hardDelete":null}').hard, false);
  });

  it('has to select: every field but one does by itself', () => {
    for (const text of ['{"location":"/"}', '{"includeStatuses":["SoftDeleted"]}', '{"search":"x"}'])
      remove(text);
    for (const text of ['', '{}', '{"hardDelete":true}', '{"topic":null}', '{"excludeStatuses":["Open"]}']) {
      assertFault(() => remove(text), 'missing_property', '', 'streamIds, location');
    }
  });

  it('has nothing that is empty', () => {
    for (const name of ['streamIds', 'topics', 'parameterIds', 'eventIds', 'metadata', 'includeStatuses']) {
      assertFault(() => remove(`{"topic":"t","${name}":[]}`), 'invalid_value', name, 'empty');
    }
    for (const name of ['topic', 'location', 'name', 'parentStreamId', 'search']) {
      assertFault(() => remove(`{"streamIds":["a"],"${name}":""}`), 'invalid_value', name, 'empty');
    }
    assertFault(() => remove('{"streamIds":["a",""]}'), 'invalid_value', 'streamIds[1]');
    assertFault(() => remove('{"search":" \\t"}'), 'invalid_value', 'search');
    assertFault(() => remove('{"metadata":[{"key":"k"},{}]}'), 'invalid_value', 'metadata[1]');
    assertFault(() => remove('{"metadata":[{"key":""}]}'), 'invalid_value', 'metadata[0].key');
  });

  it('has nothing without a meaning', () => {
    for (const [name, value] of [
      ['ordering', '[{"by":"name"}]'],
      ['paging', '{"length":5}'],
      ['locationDeepSearch', 'false'],
    ]) {
      assertFault(() => remove(`{"topic":"t","${name}":${value}}`), 'invalid_value', name!, 'no meaning');
    }
    assertFault(() => remove('{"topic":"t","hard":true}'), 'unknown_property', '', '"hardDelete"');
    assertFault(() => remove('{"topic":"t","hardDelete":"true"}'), 'wrong_type', 'hardDelete');
  });
});

describe('the body of a restore', () => {
  it('is as strict, and knows no hard delete', () => {
    assert.deepEqual(restore('{"location":"/one/"}'), { location: '/one/' });
    assertFault(() => restore('{}'), 'missing_property', '');
    assertFault(() => restore('{"topics":[]}'), 'invalid_value', 'topics');
    assertFault(() => restore('{"topic":"t","paging":{"length":1}}'), 'invalid_value', 'paging');
    assertFault(() => restore('{"topic":"t","hardDelete":false}'), 'unknown_property', '');
  });
});

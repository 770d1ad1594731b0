import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeStreamFilter } from '../../../src/wire/requests/stream-filter.ts';
import { assertFault, bytesOf } from '../faults.ts';

const filter = (text: string) => decodeStreamFilter(bytesOf(text));

test('reads every field', () => {
  const expected = {
    streamIds: ['a'],
    location: '/one',
    topic: 'T',
    topics: ['T', 'U'],
    parameterIds: ['Speed'],
    eventIds: ['e'],
    metadata: [{ key: 'k', value: 'v' }, { key: 'k' }, { value: 'v' }],
    includeStatuses: ['Open' as const],
    excludeStatuses: ['SoftDeleted' as const, 'Closed' as const],
    name: 'n',
    parentStreamId: 'p',
    search: 'words',
    ordering: [
      { by: 'topic', direction: 'Asc' as const },
      { by: 'metadata.Driver', direction: 'Desc' as const },
    ],
    paging: { index: 2, length: 10 },
  };
  assert.deepEqual(filter(JSON.stringify(expected)), expected);
});

test('takes statuses, directions and fields to order by in other spellings', () => {
  assert.deepEqual(
    filter(
      '{"IncludeStatuses":["OPEN","softdeleted"],"Ordering":[{"By":"StreamId","Direction":"desc"},{"by":"topic"}],"Paging":{"Length":5}}',
    ),
    {
      includeStatuses: ['Open', 'SoftDeleted'],
      ordering: [
        { by: 'streamId', direction: 'Desc' },
        { by: 'topic', direction: 'Asc' },
      ],
      paging: { index: 0, length: 5 },
    },
  );
});

test('takes empty bodies, nulls and empty arrays for absent', () => {
  for (const text of [
    '',
    '{}',
    '{"streamIds":[],"topic":null,"metadata":[],"ordering":[],"includeStatuses":[],"paging":null,"locationDeepSearch":true}',
  ]) {
    assert.deepEqual(filter(text), {});
  }
});

test('names what is wrong and where', () => {
  assertFault(() => filter('{"streamId":"a"}'), 'unknown_property', '', '"streamIds"');
  assertFault(() => filter('{"streamIds":"a"}'), 'wrong_type', 'streamIds', 'an array');
  assertFault(() => filter('{"streamIds":[null]}'), 'wrong_type', 'streamIds[0]', 'null');
  assertFault(
    () => filter('{"includeStatuses":["Opne"]}'),
    'invalid_value',
    'includeStatuses[0]',
    'Open, Interrupted',
    'nearest is Open',
  );
  assertFault(() => filter('{"ordering":[{"direction":"Asc"}]}'), 'missing_property', 'ordering[0].by');
  assertFault(
    () => filter('{"ordering":[{"by":"created"}]}'),
    'invalid_value',
    'ordering[0].by',
    'createdAt',
  );
  assertFault(() => filter('{"ordering":[{"by":"metadata."}]}'), 'invalid_value', 'ordering[0].by');
  assertFault(() => filter('{"ordering":[{"by":"parents"}]}'), 'invalid_value', 'ordering[0].by');
  assertFault(
    () => filter('{"ordering":[{"by":"topic","direction":"up"}]}'),
    'invalid_value',
    'ordering[0].direction',
    'Asc, Desc',
  );
  assertFault(() => filter('{"metadata":[{"key":"k"},{}]}'), 'invalid_value', 'metadata[1]');
  assertFault(() => filter('{"metadata":[{"key":null}]}'), 'invalid_value', 'metadata[0]');
  assertFault(() => filter('{"metadata":[{"name":"k"}]}'), 'unknown_property', 'metadata[0]', '"name"');
  assertFault(() => filter('{"paging":{"index":-1,"length":1}}'), 'invalid_value', 'paging.index');
  assertFault(() => filter('{"paging":{"index":0,"length":0}}'), 'invalid_value', 'paging.length');
  assertFault(() => filter('{"paging":{"index":0,"length":1.5}}'), 'invalid_value', 'paging.length', '1.5');
  assertFault(() => filter('{"paging":{"index":"0","length":1}}'), 'wrong_type', 'paging.index');
  assertFault(() => filter('{"paging":{"index":0}}'), 'missing_property', 'paging.length');
  assertFault(() => filter('{"locationDeepSearch":"yes"}'), 'wrong_type', 'locationDeepSearch');
});

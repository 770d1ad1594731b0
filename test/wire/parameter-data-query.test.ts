import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { decodeParameterDataQuery } from '../../src/wire/parameter-data-query.ts';
import { assertFault, assertTruncationsFail, bytesOf } from './faults.ts';

const query = (text: string) => decodeParameterDataQuery(bytesOf(text));
const with1 = (rest: string) => `{"numericParameters":[{"parameterName":"a"}],${rest}}`;

test('reads every field', () => {
  assert.deepEqual(
    query(`{
      "numericParameters": [{"parameterName": "Speed", "aggregationType": "none"}, {"ParameterName": "Speed"}],
      "stringParameters": [{"parameterName": "Gear"}], "BinaryParameters": [{"parameterName": "Gear", "aggregationType": null}],
      "from": 1591733989000000001, "to": "1591733989000000002", "streamIds": ["s"], "topic": "T",
      "groupBy": ["lap", "streamId", "lap"], "limit": 10, "order": "desc", "cursor": "abc",
      "tagFilters": [], "groupByTime": null
    }`),
    {
      parameters: [
        { kind: Kind.Numeric, name: 'Speed', aggregation: 'none' },
        { kind: Kind.Numeric, name: 'Speed', aggregation: undefined },
        { kind: Kind.String, name: 'Gear', aggregation: undefined },
        { kind: Kind.Binary, name: 'Gear', aggregation: undefined },
      ],
      from: 1591733989000000001n,
      to: 1591733989000000002n,
      streamIds: ['s'],
      topic: 'T',
      groupBy: ['lap', 'streamId'],
      limit: 10,
      order: 'Desc',
      cursor: 'abc',
    },
  );
});

test('leaves out what was not asked', () => {
  assert.deepEqual(query(with1('"streamIds":[],"groupBy":[]')), {
    parameters: [{ kind: Kind.Numeric, name: 'a', aggregation: undefined }],
  });
});

test('needs a parameter', () => {
  for (const text of ['{}', '{"numericParameters":[]}', '{"numericParameters":[],"stringParameters":null}']) {
    assertFault(() => query(text), 'missing_property', '', 'numericParameters');
  }
  assertFault(
    () => query('{"numericParameters":[{}]}'),
    'missing_property',
    'numericParameters[0].parameterName',
  );
});

test('refuses what is not supported yet, instead of answering something else', () => {
  assertFault(() => query(with1('"tagFilters":[{"tag":"a"}]')), 'not_supported', 'tagFilters');
  assertFault(() => query(with1('"groupByTime":{"timeBucketDuration":1}')), 'not_supported', 'groupByTime');
});

test('names what is wrong and where', () => {
  assertFault(() => query(with1('"start":1')), 'unknown_property', '', '"start"');
  assertFault(
    () => query('{"numericParameters":[{"name":"a"}]}'),
    'unknown_property',
    'numericParameters[0]',
    '"parameterName"',
  );
  assertFault(() => query('{"numericParameters":["a"]}'), 'wrong_type', 'numericParameters[0]', 'an object');
  assertFault(
    () => query('{"numericParameters":[{"parameterName":""}]}'),
    'bad_name',
    'numericParameters[0].parameterName',
  );
  assertFault(() => query(with1('"from":1.5')), 'bad_timestamp', 'from', '1.5');
  assertFault(() => query(with1('"to":"x"')), 'bad_timestamp', 'to');
  assertFault(() => query(with1('"to":[]')), 'bad_timestamp', 'to', 'an array');
  assertFault(() => query(with1('"from":9223372036854775808')), 'bad_timestamp', 'from');
  assertFault(() => query(with1('"from":2,"to":1')), 'invalid_value', 'from', '2 > 1');
  assertFault(() => query(with1('"limit":0')), 'invalid_value', 'limit', 'from 1', '0');
  assertFault(() => query(with1('"limit":1e300')), 'invalid_value', 'limit');
  assertFault(() => query(with1('"limit":"1"')), 'wrong_type', 'limit');
  assertFault(() => query(with1('"order":"sideways"')), 'invalid_value', 'order', 'Asc, Desc');
  assertFault(() => query(with1('"groupBy":[1]')), 'wrong_type', 'groupBy[0]');
});

test('refuses a query that is cut off anywhere', () => {
  assertTruncationsFail(with1('"from":-1,"to":2e3,"groupBy":["a"]'), decodeParameterDataQuery);
});

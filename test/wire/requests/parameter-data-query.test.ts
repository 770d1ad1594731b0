import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { decodeParameterDataQuery } from '../../../src/wire/requests/parameter-data-query.ts';
import { assertFault, assertTruncationsFail, bytesOf } from '../faults.ts';

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
        { kind: Kind.Numeric, name: 'Speed', aggregation: 'None' },
        { kind: Kind.Numeric, name: 'Speed', aggregation: 'None' },
        { kind: Kind.String, name: 'Gear', aggregation: 'None' },
        { kind: Kind.Binary, name: 'Gear', aggregation: 'None' },
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

test('reads as many parameters as a body can hold', () => {
  const one = '{"parameterName":"a"}';
  const many = query(`{"numericParameters":[${Array.from({ length: 190_000 }, () => one).join()}]}`);
  assert.equal(many.parameters.length, 190_000);
});

test('leaves out what was not asked', () => {
  assert.deepEqual(query(with1('"streamIds":[],"groupBy":[]')), {
    parameters: [{ kind: Kind.Numeric, name: 'a', aggregation: 'None' }],
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

test('reads aggregations, tag filters and buckets', () => {
  assert.deepEqual(
    query(`{
      "numericParameters": [{"parameterName": "Speed", "aggregationType": "p95"}, {"parameterName": "Speed", "aggregationType": "stdDEV"}],
      "stringParameters": [{"parameterName": "Gear", "aggregationType": "LAST"}],
      "tagFilters": [
        {"tag": "lap", "operator": "notlike", "value": "^[24]$"}, {"Tag": "lap", "Value": [2, "x", -2.50, 1591733989000000001]}
      ],
      "groupByTime": {"timeBucketDuration": "60000000000", "interpolationType": "linear"}
    }`),
    {
      parameters: [
        { kind: Kind.Numeric, name: 'Speed', aggregation: 'P95' },
        { kind: Kind.Numeric, name: 'Speed', aggregation: 'StdDev' },
        { kind: Kind.String, name: 'Gear', aggregation: 'Last' },
      ],
      tagFilters: [
        { tag: 'lap', operator: 'NotLike', values: ['^[24]$'] },
        { tag: 'lap', operator: 'Equal', values: [2, 'x', -2.5, '1591733989000000001'] },
      ],
      groupByTime: { width: 60_000_000_000n, interpolation: 'Linear' },
    },
  );
  const buckets = `{"numericParameters":[{"parameterName":"a","aggregationType":"Max"}],"groupByTime":{"timeBucketDuration":1}}`;
  assert.deepEqual(query(buckets).groupByTime, { width: 1n, interpolation: 'None' });
});

test('names a wrong aggregation, tag filter or bucket and where it is', () => {
  const aggregated = (type: string, rest = '') =>
    `{"numericParameters":[{"parameterName":"a","aggregationType":"${type}"}]${rest}}`;
  const at = 'numericParameters[0].aggregationType';
  assertFault(
    () => query(aggregated('Meen')),
    'invalid_value',
    at,
    'None, Mean, Max',
    '"Meen"',
    'nearest is Mean',
  );
  assertFault(
    () => query('{"stringParameters":[{"parameterName":"a","aggregationType":"mean"}]}'),
    'invalid_value',
    'stringParameters[0].aggregationType',
    'None, First, Last, Count',
    'string',
    'Mean',
  );
  assertFault(
    () => query(aggregated('Mean', ',"binaryParameters":[{"parameterName":"b"}]')),
    'invalid_value',
    'binaryParameters[0].aggregationType',
    'numericParameters[0]',
  );
  const buckets = (text: string) => () => query(aggregated('Mean', `,"groupByTime":${text}`));
  const width = 'groupByTime.timeBucketDuration';
  assertFault(buckets('{"interpolationType":"Linear"}'), 'missing_property', width);
  assertFault(buckets('{"timeBucketDuration":0}'), 'invalid_value', width, 'at least 1', '0');
  assertFault(buckets('{"timeBucketDuration":-5}'), 'invalid_value', width, '-5');
  assertFault(buckets('{"timeBucketDuration":1.5}'), 'bad_timestamp', width);
  assertFault(buckets('{"timeBucketDuration":9223372036854775808}'), 'bad_timestamp', width);
  assertFault(
    buckets('{"timeBucketDuration":1,"interpolationType":"Cubic"}'),
    'invalid_value',
    'groupByTime.interpolationType',
    'None, Linear, Null, Previous',
  );
  assertFault(
    () => query(with1('"groupByTime":{"timeBucketDuration":1}')),
    'invalid_value',
    'groupByTime',
    '"a"',
  );
  const tags = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => `tag${i}`));
  assertFault(() => query(with1(`"groupBy":${tags(257)}`)), 'too_many_tags', 'groupBy', '257', '256');
  assert.equal(query(with1(`"groupBy":${tags(256)}`)).groupBy?.length, 256);
  const filter = (text: string) => () => query(with1(`"tagFilters":[${text}]`));
  assertFault(filter('{"value":1}'), 'missing_property', 'tagFilters[0].tag');
  assertFault(filter('{"tag":"a"}'), 'missing_property', 'tagFilters[0].value');
  assertFault(filter('{"tag":"a","value":[]}'), 'invalid_value', 'tagFilters[0].value', 'at least one');
  assertFault(filter('{"tag":"a","value":[1,true]}'), 'wrong_type', 'tagFilters[0].value[1]', 'true');
  assertFault(filter('{"tag":"a","value":{}}'), 'wrong_type', 'tagFilters[0].value', 'an object');
  assertFault(
    filter('{"tag":"a","value":1,"operator":"Eqal"}'),
    'invalid_value',
    'tagFilters[0].operator',
    'Equal',
  );
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
  assertFault(
    () => query(with1('"limit":1e300')),
    'invalid_value',
    'limit',
    'from 1 to 9007199254740991',
    '1e300',
  );
  assertFault(() => query(with1('"limit":"1"')), 'wrong_type', 'limit');
  assertFault(() => query(with1('"order":"sideways"')), 'invalid_value', 'order', 'Asc, Desc');
  assertFault(() => query(with1('"groupBy":[1]')), 'wrong_type', 'groupBy[0]');
});

test('refuses a query that is cut off anywhere', () => {
  assertTruncationsFail(with1('"from":-1,"to":2e3,"groupBy":["a"]'), decodeParameterDataQuery);
});

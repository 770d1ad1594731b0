import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeEventDataQuery } from '../../../src/wire/requests/event-data-query.ts';
import { assertFault, bytesOf } from '../faults.ts';

const decode = (text: string) => decodeEventDataQuery(bytesOf(text));

describe('the body of /events/data', () => {
  it('is read field by field, in both spellings', () => {
    const text = `{"EventIds":["b","a","b"],"from":"-5","To":9007199254740993,"streamIds":["s"],"topic":"t",
      "tagFilters":[{"tag":"lap","value":2}],"groupBy":["lap","lap","topic"],
      "Aggregation":{"AggregationType":"COUNT","Interval":"60000000000"}}`;
    assert.deepEqual(decode(text), {
      eventIds: ['b', 'a'],
      aggregation: 'Count',
      rows: {
        from: -5n,
        to: 9007199254740993n,
        streamIds: ['s'],
        topic: 't',
        tagFilters: [{ tag: 'lap', operator: 'Equal', values: [2] }],
        groupBy: ['lap', 'topic'],
        groupByTime: { width: 60_000_000_000n, interpolation: 'None', field: 'aggregation.interval' },
      },
    });
  });

  it('may be empty, whole or in part', () => {
    const nothing = { eventIds: undefined, aggregation: 'None', rows: {} };
    for (const text of ['', '{}', '{"eventIds":[],"groupBy":[],"aggregation":null,"topic":null}']) {
      assert.deepEqual(decode(text), nothing);
    }
    assert.deepEqual(decode('{"aggregation":{"aggregationType":"none"}}'), nothing);
    assert.deepEqual(decode('{"aggregation":{"aggregationType":"Last"}}').aggregation, 'Last');
  });

  it('is refused with the place of what is wrong', () => {
    assertFault(() => decode('{"events":["a"]}'), 'unknown_property', '', '"eventIds"');
    assertFault(() => decode('{"eventIds":"a"}'), 'wrong_type', 'eventIds', 'array');
    assertFault(() => decode('{"from":2,"to":1}'), 'invalid_value', 'from', '2 > 1');
    assertFault(() => decode('{"from":1.5}'), 'bad_timestamp', 'from');
    assertFault(() => decode('{"aggregation":{}}'), 'missing_property', 'aggregation.aggregationType');
    assertFault(
      () => decode('{"aggregation":{"aggregationType":"Mean"}}'),
      'invalid_value',
      'aggregation.aggregationType',
      'None, First, Last, Count',
    );
    for (const interval of ['0', '-1', '"0"']) {
      assertFault(
        () => decode(`{"aggregation":{"aggregationType":"First","interval":${interval}}}`),
        'invalid_value',
        'aggregation.interval',
        'at least 1',
      );
    }
    assertFault(
      () => decode('{"aggregation":{"aggregationType":"None","interval":5}}'),
      'invalid_value',
      'aggregation.interval',
      'other than None',
    );
    assertFault(() => decode('{"tagFilters":[{"value":1}]}'), 'missing_property', 'tagFilters[0].tag');
  });
});

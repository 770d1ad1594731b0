import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { decodeRowDelete } from '../../../src/wire/requests/row-delete.ts';
import { assertFault, assertTruncationsFail, bytesOf } from '../faults.ts';

const decode = (text: string) => decodeRowDelete(bytesOf(text));

describe('the body of a delete of rows', () => {
  it('says which rows lose what', () => {
    const text = `{"streamIds":["a","b"],"Topic":"t","from":"-5","to":9007199254740993,
      "numericParameters":[{"parameterName":"x"}],"stringParameters":[{"ParameterName":"x"}],
      "binaryParameters":null,"tagFilters":[{"tag":"lap","operator":"like","value":["^1",2]}]}`;
    assert.deepEqual(decode(text), {
      streamIds: ['a', 'b'],
      topic: 't',
      from: -5n,
      to: 9_007_199_254_740_993n,
      parameters: [
        { kind: Kind.Numeric, name: 'x' },
        { kind: Kind.String, name: 'x' },
      ],
      tagFilters: [{ tag: 'lap', operator: 'Like', values: ['^1', 2] }],
    });
    assert.deepEqual(decode('{"topic":"t","from":1,"to":1}'), { topic: 't', from: 1n, to: 1n });
    assertTruncationsFail('{"topic":"t","from":1,"to":1}', decodeRowDelete);
  });

  it('has to say which streams, and both ends of the time', () => {
    for (const text of ['', '{}', '{"from":1,"to":2}', '{"topic":null,"from":1,"to":2}']) {
      assertFault(() => decode(text), 'missing_property', '', 'streamIds or topic');
    }
    assertFault(() => decode('{"topic":"t","to":2}'), 'missing_property', 'from');
    assertFault(() => decode('{"topic":"t","from":2}'), 'missing_property', 'to');
    assertFault(() => decode('{"topic":"t","from":3,"to":2}'), 'invalid_value', 'from', '3 > 2');
    assertFault(() => decode('{"topic":"t","from":1.5,"to":2}'), 'bad_timestamp', 'from');
  });

  it('refuses what is empty or has no meaning there', () => {
    const faults: [member: string, code: 'invalid_value' | 'unknown_property', path: string][] = [
      ['"streamIds":[]', 'invalid_value', 'streamIds'],
      ['"streamIds":["a",""]', 'invalid_value', 'streamIds[1]'],
      ['"topic":""', 'invalid_value', 'topic'],
      ['"numericParameters":[]', 'invalid_value', 'numericParameters'],
      ['"tagFilters":[]', 'invalid_value', 'tagFilters'],
      [
        '"numericParameters":[{"parameterName":"x","aggregationType":"Mean"}]',
        'unknown_property',
        'numericParameters[0]',
      ],
      ['"eventIds":["e"]', 'unknown_property', ''],
      ['"limit":1', 'unknown_property', ''],
    ];
    for (const [member, code, path] of faults) {
      const rest = member.includes('"topic"') ? '"streamIds":["a"]' : '"topic":"t"';
      const text = `{${rest},"from":1,"to":2,${member}}`;
      let thrown: unknown;
      try {
        decode(text);
      } catch (error) {
        thrown = error;
      }
      assert.ok(thrown !== undefined, member);
      assert.equal((thrown as { code: string }).code, code, member);
      const [fault] = (thrown as { errors: { path: string }[] }).errors;
      assert.ok(fault!.path.startsWith(path), `${member}: ${fault!.path}`);
    }
  });
});

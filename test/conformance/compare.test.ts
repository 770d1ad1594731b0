import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJson } from '../../src/wire/json/value.ts';
import { differences } from './compare.ts';

const compare = (expected: string, actual: string, partial = false) =>
  differences(decodeJson(Buffer.from(expected)), decodeJson(Buffer.from(actual)), { partial });

describe('answers are compared', () => {
  const same: [string, string][] = [
    ['{"a":1,"b":[null,true,"x"]}', '{"b":[null,true,"x"],"a":1}'],
    ['[1591733989000000001,-0,1.5]', '[1591733989000000001,-0,1.50]'],
    ['["<uuid>","<ISO time>"]', '["3f2b8c1e-0000-4000-8000-000000000000","2024-01-31T00:00:00.000Z"]'],
    ['["<any>","<integer>","<string>"]', '[null,-7,""]'],
    ['["<matches ^a.c$>","<near 0.3>","<not x>"]', '["abc",0.30000000000000004,"y"]'],
  ];
  for (const [expected, actual] of same) {
    it(`${actual} is ${expected}`, () => assert.deepEqual(compare(expected, actual), []));
  }

  const other: [string, string, place: RegExp][] = [
    ['1591733989000000001', '1591733989000000002', /^the answer is/],
    ['0', '-0', /^the answer is -0/],
    ['0.0', '-0.0', /^the answer is/],
    ['1', '"1"', /^the answer is "1"/],
    ['null', '0', /^the answer is 0/],
    ['{"a":[1,2]}', '{"a":[1,3]}', /^the answer\.a\[1\] is 3, expected 2$/],
    ['{"a":[1]}', '{"a":[1,2]}', /^the answer\.a has 2 elements, not 1/],
    ['{"a":1}', '{"a":1,"b":2}', /^the answer\.b was not expected/],
    ['{"a":1,"b":2}', '{"a":1}', /^the answer\.b is missing/],
    ['{}', '[]', /^the answer is \[\]/],
    ['["<uuid>"]', '["s"]', /\[0\] is "s"/],
    ['["<integer>"]', '[1.5]', /\[0\] is 1.5/],
    ['["<matches ^b>"]', '["abc"]', /\[0\] is "abc"/],
    ['["<near 0.3>"]', '[0.3001]', /\[0\] is 0.3001/],
    ['["<not abc>"]', '["abc"]', /\[0\] is "abc"/],
  ];
  for (const [expected, actual, place] of other) {
    it(`${actual} is not ${expected}`, () => {
      const found = compare(expected, actual);
      assert.equal(found.length, 1);
      assert.match(found[0]!, place);
    });
  }

  it('in part, where objects may have more members, but not arrays more elements', () => {
    assert.deepEqual(compare('[{"a":{"b":1}}]', '[{"a":{"b":1,"c":2},"d":3}]', true), []);
    assert.deepEqual(compare('{"d":"<absent>"}', '{"a":1}', true), []);
    assert.match(compare('{"d":"<absent>"}', '{"d":null}', true)[0]!, /^the answer\.d is there/);
    assert.match(compare('[{"a":1}]', '[{"a":1},{"a":1}]', true)[0]!, /2 elements, not 1/);
    assert.match(compare('{"a":{"b":1}}', '{"a":{"c":1}}', true)[0]!, /^the answer\.a\.b is missing/);
  });
});

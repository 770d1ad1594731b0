import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isNumberCell, type JsonValue, parseJson } from '../../../src/import/json/parse-json.ts';

/** The value as JSON.parse gives it. */
function plain(value: JsonValue): unknown {
  if (isNumberCell(value)) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map
    ? Object.fromEntries([...value].map(([name, one]) => [name, plain(one)]))
    : value;
}

describe('JSON of a file', () => {
  it('is what JSON.parse takes it for', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t\r\n'), (text, space) => {
        const spaced = JSON.stringify(JSON.parse(text), undefined, space);
        assert.deepEqual(plain(parseJson(spaced)), JSON.parse(spaced));
      }),
    );
  });

  it('keeps the digits of numbers', () => {
    assert.deepEqual(parseJson(' [-0, 9007199254740993, 1.50E+2] '), [
      { text: '-0', value: -0 },
      { text: '9007199254740993', value: 9007199254740992 },
      { text: '1.50E+2', value: 150 },
    ]);
  });

  it('has the doubles that JSON has no number for, as Python writes them', () => {
    const values = parseJson('[NaN, Infinity, -Infinity]') as JsonValue[];
    assert.deepEqual(values.map(plain), [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  });

  it('is refused with the place where it is wrong', () => {
    const cases: [string, RegExp][] = [
      ['', /no value before the end at character 1/],
      ['[1,]', /no value before "]" at character 4/],
      ['[1 2]', /\] is missing before "2]" at character 4/],
      ['{"a" 1}', /: is missing before "1}" at character 6/],
      ['{a:1}', /a name is missing before "a:1}" at character 2/],
      ['{"a":1,"a":2}', /the name "a" stands twice at character 8/],
      ['[1e400]', /the number 1e400 is larger than any double at character 2/],
      ['[-1e400]', /the number -1e400 is larger/],
      ['"a', /a text without its end at character 1/],
      ['"a\nb"', /a control character at character 3/],
      ['"\\x"', /a text with a wrong escape at character 1/],
      ['"\\ud800"', /half a character at character 1/],
      ['1 2', /there is more: "2" at character 3/],
      ['nan', /no value before "nan" at character 1/],
      ['01', /there is more: "1"/],
      ['+1', /no value/],
      [`${'['.repeat(100)}`, /nested more than 64 deep/],
    ];
    for (const [text, message] of cases) assert.throws(() => parseJson(text), message, text);
  });
});

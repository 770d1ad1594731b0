import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { whole } from '../../../src/turns/steps.ts';
import { queryLimits } from '../../../src/wire/json/json-memory.ts';
import { emptyObject, type JsonNumber, type JsonValue } from '../../../src/wire/json/json-value.ts';
import { decodeBody, decodeJson, elementSteps } from '../../../src/wire/json/value.ts';
import { binaryText } from '../../binary-text.ts';
import { assertFault, assertTruncationsFail, bytesOf, isInputError } from '../faults.ts';

/** As JSON.parse would give it. */
function plain(value: JsonValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]));
  if (Array.isArray(value)) return (value as JsonValue[]).map(plain);
  if (typeof value === 'object' && value !== null) return (value as JsonNumber).value;
  return value;
}

/** Documents in many spellings: white space, escapes, exponents. */
const spaces = fc.constantFrom('', ' ', '\n', '\t \r\n');
const spelling = fc.constantFrom(
  (text: string) => JSON.stringify(text),
  (text: string) =>
    `"${[...text].map((c) => [...Array(c.length).keys()].map((i) => escape4(c.charCodeAt(i))).join('')).join('')}"`,
  (text: string) => JSON.stringify(text).replaceAll('/', '\\/'),
);
const escape4 = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
const stringText = fc.tuple(binaryText(), spelling).map(([text, spell]) => spell(text));
const numberText = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value));
const document = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      spaces,
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('null', 'true', 'false'),
        numberText,
        stringText,
        fc.array(tie('value'), { maxLength: 5 }).map((list) => `[${list}]`),
        fc
          .uniqueArray(fc.tuple(fc.string(), tie('value')), { maxLength: 5, selector: ([name]) => name })
          .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} :${value}`)}}`),
      ),
      spaces,
    )
    .map((parts) => parts.join('')),
})).value;

test('reads generated documents as JSON.parse does', () => {
  fc.assert(
    fc.property(document, (text) => {
      assert.deepEqual(plain(decodeJson(bytesOf(text))), JSON.parse(text));
    }),
    { numRuns: 1000 },
  );
});

test('accepts and refuses broken documents as JSON.parse does, but for the stricter rules', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '0',
    '-',
    '.',
    'e',
    'null',
    ' ',
    '\u0001',
    'u00',
    '\\ud800',
    '\\n',
    '"a":1,',
  ];
  const mutation = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...pieces));
  fc.assert(
    fc.property(document, fc.array(mutation, { minLength: 1, maxLength: 3 }), (original, mutations) => {
      let text = original;
      for (const [at, cut, insert] of mutations) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + insert + text.slice(place + cut);
      }
      // A pair may have been cut in two.
      text = Buffer.from(text).toString();
      let expected: unknown;
      let accepts = true;
      try {
        expected = JSON.parse(text);
      } catch {
        accepts = false;
      }
      try {
        assert.deepEqual(plain(decodeJson(bytesOf(text))), expected);
        assert.ok(accepts, `accepted ${text}`);
      } catch (error) {
        if (!isInputError(error)) throw error;
        const { code, message } = error as { code: string; message: string };
        const isStricter = code !== 'bad_json' || message.includes('surrogate');
        assert.ok(!accepts || isStricter, `refused ${text}: ${message}`);
      }
    }),
    { numRuns: 3000 },
  );
});

test('refuses a document that is cut off anywhere', () => {
  assertTruncationsFail(
    '{"a":[1,-2.5e3,"x\\u00e9\\n\\ud83d\\ude00é"],"b":{"c":null,"d":true,"e":false},"f":[],"g":{}}',
    decodeJson,
  );
});

test('refuses what follows the document', () => {
  assertFault(() => decodeJson(bytesOf('{} {}')), 'bad_json', '', 'byte 3');
  assertFault(() => decodeJson(bytesOf('[1],')), 'bad_json', '');
  assertFault(() => decodeJson(bytesOf('')), 'bad_json', '', 'ends');
});

test('names a property that stands twice, however it is spelt', () => {
  assertFault(() => decodeJson(bytesOf('{"a":{"b":1,"\\u0062":2}}')), 'duplicate_property', 'a', '"b"');
  assertFault(
    () => decodeJson(bytesOf('{"__proto__":1,"__proto__":2}')),
    'duplicate_property',
    '',
    '__proto__',
  );
});

test('takes 64 levels of nesting and no more', () => {
  const nested = (levels: number) => bytesOf('['.repeat(levels) + ']'.repeat(levels));
  assert.ok(Array.isArray(decodeJson(nested(64))));
  assertFault(() => decodeJson(nested(65)), 'too_deep', '');
  assertFault(() => decodeJson(bytesOf('{"a":'.repeat(100_000))), 'too_deep', '');
});

test('refuses a number beyond double, and says where it is', () => {
  assertFault(() => decodeJson(bytesOf('{"a":[1,-1e400]}')), 'invalid_value', 'a[1]');
});

test('keeps the text of numbers, so that integers stay exact', () => {
  const [number] = decodeJson(bytesOf('[1591733989000000001]')) as [JsonNumber];
  assert.equal(number.text, '1591733989000000001');
});

test('refuses lone surrogates, also from two escapes', () => {
  for (const text of [
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\u0041"',
    '"\\ud800\\ud800"',
    '"\\ud83d"',
    '"\\ud800x"',
    '"\\ud800\\n"',
    '"\\udbff\\udbff\\udfff"',
    '["\\ud83d", "\\ude00"]',
  ]) {
    assertFault(() => decodeJson(bytesOf(text)), 'bad_json', '', 'surrogate');
  }
  assert.equal(decodeJson(bytesOf('"\\uD83D\\uDE00"')), '😀');
});

test('refuses invalid UTF-8 wherever it stands', () => {
  const invalid = [
    [0x80],
    [0xc0, 0xaf],
    [0xc3],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xff],
  ];
  for (const sequence of invalid) {
    const body = Buffer.concat([bytesOf('["'), Buffer.from(sequence), bytesOf('"]')]);
    assertFault(() => decodeJson(body), 'bad_utf8', '');
  }
});

test('ignores one byte order mark before the document, and only there', () => {
  assert.deepEqual(decodeJson(bytesOf('\ufeff[]')), []);
  assertFault(() => decodeJson(bytesOf('\ufeff\ufeff[]')), 'bad_json', '');
  assertFault(() => decodeJson(bytesOf('[\ufeff]')), 'bad_json', '');
});

test('lets white space alone stand for what the caller says', () => {
  assert.equal(decodeBody(bytesOf(' \r\n\t'), queryLimits, emptyObject), emptyObject);
  assert.equal(decodeBody(new Uint8Array(), queryLimits, emptyObject), emptyObject);
  assertFault(() => decodeBody(bytesOf(' x'), queryLimits, emptyObject), 'bad_json', '');
});

test('hands out the elements of an array one by one, or the value that is none', () => {
  const elements = (text: string) => {
    const found: [unknown, string][] = [];
    whole(elementSteps(bytesOf(text), (value, path) => found.push([plain(value), path])));
    return found;
  };
  assert.deepEqual(elements('[1, {"a":[2]}]'), [
    [1, '[0]'],
    [{ a: [2] }, '[1]'],
  ]);
  assert.deepEqual(elements('[]'), []);
  assert.deepEqual(elements('{"a":1}'), [[{ a: 1 }, '']]);
  assertFault(() => elements('[{},{"a":{"b":1,"b":2}}]'), 'duplicate_property', '[1].a');
  assertFault(() => elements('[1] 2'), 'bad_json', '');
  assertTruncationsFail('[1.5,{"a":null},[true]]', (body) => whole(elementSteps(body, () => undefined)));
});

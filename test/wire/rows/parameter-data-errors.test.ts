import { test } from 'node:test';
import type { ErrorCode } from '../../../src/errors.ts';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { assertFault, bytesOf } from '../faults.ts';

const decoder = new ParameterDataDecoder(defaultPayloadLimits);

/** A bad payload, the error that it gets, the path of it, and words of the message. */
type Case = readonly [text: string, code: ErrorCode, path: string, ...words: string[]];

function refuses(cases: readonly Case[], tight = decoder): void {
  for (const [text, code, path, ...words] of cases) {
    assertFault(() => tight.decode(bytesOf(text)), code, path, ...words);
  }
}

const rows2 = (rest: string) => `{"timestamps":[1,2],${rest}}`;

test('names the array that has not one element per timestamp, and both lengths, in any order of properties', () => {
  refuses([
    [
      rows2('"numericValues":{"Speed":[1,2,3]}'),
      'length_mismatch',
      'numericValues.Speed',
      'numericValues.Speed has 3 elements, timestamps has 2',
    ],
    [rows2('"numericValues":{"Speed":[1]}'), 'length_mismatch', 'numericValues.Speed', '1', '2'],
    [rows2('"numericValues":{"Speed":[]}'), 'length_mismatch', 'numericValues.Speed', 'has 0'],
    [rows2('"numericValues":{"Speed":[null,null,null]}'), 'length_mismatch', 'numericValues.Speed', 'has 3'],
    [rows2('"stringValues":{"s":["a"]}'), 'length_mismatch', 'stringValues.s'],
    [rows2('"stringValues":{"s":["a","b","c"]}'), 'length_mismatch', 'stringValues.s', 'has 3'],
    [rows2('"binaryValues":{"b":["","",""]}'), 'length_mismatch', 'binaryValues.b', 'has 3'],
    [rows2('"tagValues":{"t":["a"]}'), 'length_mismatch', 'tagValues.t'],
    [rows2('"tagValues":{"t":["a","a","a"]}'), 'length_mismatch', 'tagValues.t', 'has 3'],
    [
      '{"numericValues":{"Speed":[1,2,3]},"timestamps":[1,2]}',
      'length_mismatch',
      'numericValues.Speed',
      'has 3',
      'has 2',
    ],
    [
      '{"timestamps":[],"numericValues":{"Speed":[1]}}',
      'length_mismatch',
      'numericValues.Speed',
      'has 1',
      'has 0',
    ],
  ]);
  const both = rows2('"numericValues":{"a":[1],"b":[1,2]},"tagValues":{"t":[]}');
  refuses([[both, 'length_mismatch', 'numericValues.a', 'numericValues.a has 1', 'tagValues.t has 0']]);
});

test('names the timestamp that is not a 64-bit integer', () => {
  const bad = [
    '1.5',
    '"x"',
    '""',
    '"1.0"',
    '"1e3"',
    '" 1"',
    'null',
    'true',
    '{}',
    '[]',
    '1e19',
    '9223372036854775808',
    '-9223372036854775809',
    '"9223372036854775808"',
    '1e-1',
    '99999999999999999999',
    '1e400',
    '1591733989000000001.5',
    `"${'0'.repeat(2000)}"`,
    `1${'0'.repeat(100)}1`,
  ];
  for (const value of bad) {
    refuses([
      [`{"timestamps":[${value}]}`, 'bad_timestamp', 'timestamps[0]'],
      [`{"timestamps":[7,1591733989000000001,${value},9]}`, 'bad_timestamp', 'timestamps[2]'],
      [`{"timestamps":[],"epoch":${value === 'null' ? '0.1' : value}}`, 'bad_timestamp', 'epoch'],
    ]);
  }
});

test('names the timestamp that leaves int64 when epoch is added', () => {
  const values = '"numericValues":{"a":[1,2,3]}';
  refuses([
    [
      `{"timestamps":[1,2,3],"epoch":9223372036854775805,${values}}`,
      'bad_timestamp',
      'timestamps[2]',
      'epoch',
    ],
    [`{"epoch":-9223372036854775808,"timestamps":[1,-1,3],${values}}`, 'bad_timestamp', 'timestamps[1]'],
    [`{"timestamps":[0,1,9223372036854775807],"epoch":1,${values}}`, 'bad_timestamp', 'timestamps[2]'],
    ['{"timestamps":[9223372036854775807],"epoch":1}', 'bad_timestamp', 'timestamps[0]'],
  ]);
});

test('names the element of the wrong type', () => {
  refuses([
    [rows2('"numericValues":{"Speed":[1,"2"]}'), 'wrong_type', 'numericValues.Speed[1]', 'a string'],
    [rows2('"numericValues":{"Speed":[true,2]}'), 'wrong_type', 'numericValues.Speed[0]', 'true'],
    [rows2('"numericValues":{"Speed":[[1],2]}'), 'wrong_type', 'numericValues.Speed[0]', 'an array'],
    [rows2('"numericValues":{"Speed":["nan",2]}'), 'wrong_type', 'numericValues.Speed[0]'],
    [rows2('"stringValues":{"s":["a",5]}'), 'wrong_type', 'stringValues.s[1]', 'a number'],
    [rows2('"binaryValues":{"b":[{},""]}'), 'wrong_type', 'binaryValues.b[0]', 'an object'],
    [rows2('"tagValues":{"t":["a",1]}'), 'wrong_type', 'tagValues.t[1]', 'a number'],
    [rows2('"numericValues":{"Speed":5}'), 'wrong_type', 'numericValues.Speed', 'an array', 'a number'],
    [rows2('"numericValues":[]'), 'wrong_type', 'numericValues', 'an object', 'an array'],
    ['{"timestamps":{}}', 'wrong_type', 'timestamps', 'an array'],
    ['[]', 'wrong_type', '', 'an object'],
    ['"x"', 'wrong_type', '', 'an object'],
    [rows2('"numericValues":{"Speed":[1,1e400]}'), 'invalid_value', 'numericValues.Speed[1]'],
    [rows2('"numericValues":{"Speed":[-1e999,1]}'), 'invalid_value', 'numericValues.Speed[0]'],
  ]);
});

test('names what is unknown with the nearest known one, and what is missing', () => {
  refuses([
    ['{"timestamps":[],"numericValue":{}}', 'unknown_property', '', '"numericValue"', '"numericValues"'],
    ['{"timestamps":[],"streamId":"s"}', 'unknown_property', '', '"streamId"'],
    ['{"TIMESTAMPS":[]}', 'unknown_property', '', '"timestamps"'],
    ['{"__proto__":[]}', 'unknown_property', '', '__proto__'],
    ['{}', 'missing_property', 'timestamps'],
    ['{"timestamps":null}', 'missing_property', 'timestamps'],
    ['{"numericValues":{"a":[1]}}', 'missing_property', 'timestamps'],
  ]);
});

test('names what stands twice', () => {
  refuses([
    ['{"timestamps":[],"timestamps":[]}', 'duplicate_property', 'timestamps'],
    ['{"timestamps":[],"Timestamps":[]}', 'duplicate_property', 'timestamps'],
    ['{"timestamps":[],"epoch":null,"epoch":1}', 'duplicate_property', 'epoch'],
    ['{"timestamps":[],"numericValues":{"a":[],"a":[]}}', 'duplicate_property', 'numericValues', '"a"'],
    [
      '{"timestamps":[],"numericValues":{"a":null,"\\u0061":[]}}',
      'duplicate_property',
      'numericValues',
      '"a"',
    ],
    [
      '{"timestamps":[],"tagValues":{"__proto__":[],"__proto__":[]}}',
      'duplicate_property',
      'tagValues',
      '__proto__',
    ],
  ]);
});

test('refuses bad names', () => {
  refuses([
    ['{"timestamps":[],"numericValues":{"":[]}}', 'bad_name', 'numericValues', 'empty'],
    ['{"timestamps":[],"stringValues":{"a\\n":[]}}', 'bad_name', 'stringValues', '\\n'],
    [`{"timestamps":[],"binaryValues":{"${'é'.repeat(257)}":[]}}`, 'bad_name', 'binaryValues', '514'],
    ['{"timestamps":[],"tagValues":{"":[]}}', 'bad_name', 'tagValues'],
  ]);
});

test('refuses what is not base64', () => {
  for (const value of ['A', 'A===', 'AA=', 'A A=', 'AA-_', '====', 'AB==', '\\u0000AAA']) {
    refuses([[rows2(`"binaryValues":{"b":[null,"${value}"]}`), 'bad_base64', 'binaryValues.b[1]']]);
  }
});

test('has a limit and a code for everything that can be too much', () => {
  const tight = new ParameterDataDecoder({
    maxParameters: 3,
    maxTags: 2,
    maxTimestamps: 4,
    maxStringBytes: 5,
    maxBinaryBytes: 3,
    maxNameBytes: 4,
  });
  const within = `{"timestamps":[1,2,3,4],"numericValues":{"a":[1,2,3,4],"long":[1,2,3,4]},"stringValues":{"a":["12345","éé5",null,""]},
    "binaryValues":{},"tagValues":{"a":["12345","1","1","1"],"b":["1","1","1","1"]}}`;
  tight.decode(bytesOf(within));
  refuses(
    [
      ['{"timestamps":[1,2,3,4,5]}', 'too_many_timestamps', 'timestamps', '4'],
      [
        '{"timestamps":[],"numericValues":{"a":[],"b":[]},"stringValues":{"a":[]},"binaryValues":{"a":[]}}',
        'too_many_parameters',
        '',
        '3',
      ],
      ['{"timestamps":[],"tagValues":{"a":[],"b":[],"c":[]}}', 'too_many_tags', 'tagValues', '2'],
      [
        '{"timestamps":[1],"stringValues":{"a":["123456"]}}',
        'string_too_long',
        'stringValues.a[0]',
        '6',
        '5',
      ],
      ['{"timestamps":[1],"stringValues":{"a":["ééé"]}}', 'string_too_long', 'stringValues.a[0]', '6'],
      ['{"timestamps":[1],"stringValues":{"a":["12345\\n"]}}', 'string_too_long', 'stringValues.a[0]', '6'],
      [
        '{"timestamps":[1],"binaryValues":{"a":["AAAAAA"]}}',
        'binary_too_long',
        'binaryValues.a[0]',
        '4',
        '3',
      ],
      ['{"timestamps":[1],"tagValues":{"a":["ééé"]}}', 'string_too_long', 'tagValues.a[0]', '6'],
      ['{"timestamps":[1],"numericValues":{"abcde":[1]}}', 'bad_name', 'numericValues', '5'],
      [
        '{"numericValues":{"a":[1,2,3,4,5,6,7,8]},"timestamps":[1]}',
        'length_mismatch',
        'numericValues.a',
        'has 8',
      ],
    ],
    tight,
  );
});

test('refuses what is not JSON, with the byte', () => {
  refuses([
    ['', 'bad_json', ''],
    ['{"timestamps":[1,]}', 'bad_json', '', 'byte 17'],
    ['{"timestamps":[01]}', 'bad_json', '', 'byte 15'],
    ['{"timestamps":[7,01]}', 'bad_json', '', 'byte 17'],
    ['{"timestamps":[1 2]}', 'bad_json', '', 'byte 17'],
    ['{"timestamps":[1]}x', 'bad_json', '', 'byte 18'],
    ['{timestamps:[1]}', 'bad_json', '', 'byte 1'],
    ['{"timestamps":[],}', 'bad_json', '', 'byte 17'],
    ["{'timestamps':[]}", 'bad_json', '', 'byte 1'],
    ['{"timestamps":[1],"numericValues":{"a":[+1]}}', 'bad_json', ''],
    ['{"timestamps":[1],"numericValues":{"a":[.5]}}', 'bad_json', ''],
    ['{"timestamps":[1],"numericValues":{"a":[NaN]}}', 'bad_json', ''],
    ['{"timestamps":[1],"stringValues":{"a":["\u0001"]}}', 'bad_json', ''],
    ['{"timestamps":[1],"stringValues":{"a":["\\ud800"]}}', 'bad_json', '', 'surrogate'],
    ['{"timestamps":[1],"stringValues":{"a":["\\x"]}}', 'bad_json', ''],
    ['{"timestamps":[1],"numericValues":{"a":[nul]}}', 'bad_json', ''],
  ]);
});

test('names the entry of a batch', () => {
  const refusesBatch = (text: string, code: ErrorCode, path: string) =>
    assertFault(() => decoder.decodeBatch(bytesOf(text)), code, path);
  const good = '{"streamId":"s","timestamps":[]}';
  refusesBatch('{}', 'wrong_type', '');
  refusesBatch(`[${good},5]`, 'wrong_type', '[1]');
  refusesBatch(`[${good},{"timestamps":[]}]`, 'missing_property', '[1].streamId');
  refusesBatch(`[${good},{"streamId":"s"}]`, 'missing_property', '[1].timestamps');
  refusesBatch('[{"streamId":"","timestamps":[]}]', 'bad_name', '[0].streamId');
  refusesBatch('[{"streamId":5,"timestamps":[]}]', 'wrong_type', '[0].streamId');
  refusesBatch(
    `[${good},{"streamId":"s","timestamps":[1],"numericValues":{"a":["x"]}}]`,
    'wrong_type',
    '[1].numericValues.a[0]',
  );
  refusesBatch(
    `[${good},{"streamId":"s","timestamps":[1],"numericValues":{"a":[]}}]`,
    'length_mismatch',
    '[1].numericValues.a',
  );
  refusesBatch(`[${good},{"stream":"s"}]`, 'unknown_property', '[1]');
  refusesBatch(`[${good},{"streamId":"s","timestamps":[0.5]}]`, 'bad_timestamp', '[1].timestamps[0]');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeCloseStream,
  decodeCreateStream,
  decodeStreamProperties,
} from '../../../src/wire/rows/stream-request.ts';
import { assertFault, bytesOf, isInputError } from '../faults.ts';

const limit = { maxNameBytes: 512, maxStringBytes: 65_536 };
const properties = (text: string) => decodeStreamProperties(bytesOf(text), limit);
const create = (text: string) => decodeCreateStream(bytesOf(text), limit);
const close = (text: string) => decodeCloseStream(bytesOf(text));

test('reads all properties, in camelCase and PascalCase', () => {
  const expected = {
    name: 'Lap 1',
    location: '/one/two',
    metadata: Object.fromEntries([
      ['driver', 'é'],
      ['__proto__', 'x'],
    ]),
    parents: ['p1', 'p2'],
    timeOfRecording: Date.UTC(2024, 4, 31, 12, 30),
  };
  const text = JSON.stringify({ ...expected, location: 'one/two', timeOfRecording: '2024-05-31T12:30:00Z' });
  assert.deepEqual(properties(text), expected);
  assert.deepEqual(properties(text.replace('"name"', '"Name"').replace('"timeOf', '"TimeOf')), expected);
});

test('takes null, an empty array and an empty body for nothing', () => {
  for (const text of [
    '',
    ' \n',
    '{}',
    '{"name":null,"metadata":null,"parents":[],"location":null,"timeOfRecording":null}',
  ]) {
    assert.deepEqual(properties(text), {});
  }
  assert.deepEqual(properties('{"metadata":{"a":null}}'), { metadata: {} });
});

test('names what is wrong and where', () => {
  assertFault(() => properties('{"nmae":"x"}'), 'unknown_property', '', '"nmae"', '"name"');
  assertFault(() => properties('{"streamId":"x"}'), 'unknown_property', '');
  assertFault(() => properties('{"name":"x","Name":"y"}'), 'duplicate_property', 'name');
  assertFault(() => properties('{"name":5}'), 'wrong_type', 'name', 'a string', 'a number');
  assertFault(() => properties('{"name":""}'), 'bad_name', 'name');
  assertFault(() => properties('{"parents":["a",{}]}'), 'wrong_type', 'parents[1]', 'an object');
  assertFault(() => properties('{"parents":["a\\n"]}'), 'bad_name', 'parents[0]');
  assertFault(() => properties('{"metadata":[]}'), 'wrong_type', 'metadata');
  assertFault(() => properties('{"metadata":{"a":1}}'), 'wrong_type', 'metadata.a');
  assertFault(() => properties('{"metadata":{"":"x"}}'), 'bad_name', 'metadata');
  assertFault(() => properties('[]'), 'wrong_type', '');
  assertFault(
    () => decodeStreamProperties(bytesOf('{"name":"abcd"}'), { ...limit, maxNameBytes: 3 }),
    'bad_name',
    'name',
  );
  for (const [body, path] of [
    ['{"location":"/abcd"}', 'location'],
    ['{"metadata":{"a":"abcde"}}', 'metadata.a'],
  ] as const) {
    const decode = () => decodeStreamProperties(bytesOf(body), { ...limit, maxStringBytes: 4 });
    assertFault(decode, 'string_too_long', path);
  }
});

test('reads moments as ISO 8601, UTC where no offset stands', () => {
  const moment = (text: string) => properties(JSON.stringify({ timeOfRecording: text })).timeOfRecording;
  const noon = Date.UTC(2024, 1, 29, 12);
  for (const text of [
    '2024-02-29T12:00:00Z',
    '2024-02-29T12:00:00',
    '2024-02-29T12:00',
    '2024-02-29 12:00:00.000',
    '2024-02-29T14:00:00+02:00',
    '2024-02-29t12:00:00z',
  ]) {
    assert.equal(moment(text), noon, text);
  }
  assert.equal(moment('2024-02-29T12:00:00.1234567Z'), noon + 123);
  assert.equal(moment('2024-02-29'), Date.UTC(2024, 1, 29));
  for (const text of [
    '',
    'yesterday',
    '2023-02-29',
    '2024-13-01',
    '2024-02-29T25:00Z',
    '2024-02-29T12:60Z',
    // Half a minute, as ISO 8601 has it.
    '2024-02-29T12:30.5Z',
    '1709208000000',
    '2024-02-29T12:00:00+99:00',
  ]) {
    assertFault(() => moment(text), 'invalid_value', 'timeOfRecording');
  }
  assertFault(() => properties('{"timeOfRecording":1709208000000}'), 'wrong_type', 'timeOfRecording');
});

test('takes a stream id with the properties of a new stream', () => {
  assert.deepEqual(create(''), {});
  assert.deepEqual(create('{"streamId":"s"}'), { streamId: 's' });
  assert.deepEqual(create('{"name":"n"}'), { properties: { name: 'n' } });
  assertFault(() => create('{"streamId":""}'), 'bad_name', 'streamId');
  const text = bytesOf('{"streamId":"s","metadata":{"a":"b"}}');
  for (let length = 1; length < text.length; length++) {
    assert.throws(() => decodeCreateStream(text.subarray(0, length), limit), isInputError);
  }
});

test('closes as Closed unless the body says otherwise', () => {
  assert.equal(close(''), 'Closed');
  assert.equal(close('{}'), 'Closed');
  assert.equal(close('{"endType":"Aborted"}'), 'Aborted');
  assert.equal(close('{"EndType":"terminated"}'), 'Terminated');
  assertFault(() => close('{"endType":"Open"}'), 'invalid_value', 'endType', 'Closed, Aborted, Terminated');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { whole } from '../../../src/turns/steps.ts';
import { decodeEventValue, eventSteps } from '../../../src/wire/rows/event-data.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { assertFault, assertTruncationsFail, bytesOf } from '../faults.ts';

const decode = (text: string) => whole(eventSteps(bytesOf(text), defaultPayloadLimits));

test('reads an array of events, or one, in camelCase and PascalCase', () => {
  const one = { id: 'pit', timestamp: 1591733989000000001n, value: 'in', tags: tagSet([['lap', '7']]) };
  assert.deepEqual(decode('[]'), []);
  assert.deepEqual(decode('{"id":"pit","timestamp":1591733989000000001,"value":"in","tags":{"lap":"7"}}'), [
    one,
  ]);
  assert.deepEqual(
    decode('[{"Tags":{"lap":"7","x":null},"Timestamp":"1591733989000000001","Id":"pit","Value":"in"}]'),
    [one],
  );
});

test('a value and tags are optional, and null is the same as absent', () => {
  const bare = { id: 'e', timestamp: -1n, value: '', tags: noTags };
  assert.deepEqual(decode('{"id":"e","timestamp":-1}'), [bare]);
  assert.deepEqual(decode('{"id":"e","timestamp":-1,"value":null,"tags":null}'), [bare]);
});

test('reads generated events as they were', () => {
  const name = fc.stringMatching(/^[a-zA-Zäß_]{1,8}$/);
  const event = fc.record({
    id: name,
    timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    value: fc.string({ unit: 'grapheme' }),
    tags: fc.uniqueArray(fc.tuple(name, fc.string()), { maxLength: 3, selector: ([tag]) => tag }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const texts = events.map(
        ({ id, timestamp, value, tags }) =>
          `{"id":${JSON.stringify(id)},"timestamp":${timestamp},"value":${JSON.stringify(value)},"tags":${JSON.stringify(Object.fromEntries(tags))}}`,
      );
      assert.deepEqual(
        decode(`[${texts}]`),
        events.map(({ tags, ...rest }) => ({ ...rest, tags: tagSet(tags) })),
      );
    }),
  );
});

test('refuses what is not an event and says where', () => {
  assertFault(() => decode('3'), 'wrong_type', '', 'an object');
  assertFault(() => decode('[[]]'), 'wrong_type', '[0]', 'an object');
  assertFault(() => decode('[{"id":"e"}]'), 'missing_property', '[0].timestamp');
  assertFault(() => decode('{"timestamp":1}'), 'missing_property', 'id');
  assertFault(() => decode('[{"id":"","timestamp":1}]'), 'bad_name', '[0].id');
  assertFault(() => decode('{"id":"e","timestamp":1.5}'), 'bad_timestamp', 'timestamp');
  assertFault(() => decode('{"id":"e","timestamp":1,"value":5}'), 'wrong_type', 'value', 'a string');
  assertFault(() => decode('{"id":"e","timestamp":1,"tags":{"a":5}}'), 'wrong_type', 'tags.a', 'a string');
  assertFault(() => decode('{"id":"e","timestamp":1,"tags":[]}'), 'wrong_type', 'tags', 'an object');
  assertFault(() => decode('{"id":"e","timestamp":1,"tags":{"":"x"}}'), 'bad_name', 'tags');
  assertFault(() => decode('{"id":"e","timestamp":1,"vlaue":""}'), 'unknown_property', '', '"value"');
  assertFault(() => decode('{"id":"e","Id":"e","timestamp":1}'), 'duplicate_property', 'id');
  assertTruncationsFail('[{"id":"e","timestamp":1,"value":"x","tags":{"a":"b"}}]', (body) =>
    whole(eventSteps(body, defaultPayloadLimits)),
  );
});

test('keeps the limits, each with its code', () => {
  const limits = {
    ...defaultPayloadLimits,
    maxTimestamps: 3,
    maxParameters: 2,
    maxTags: 1,
    maxStringBytes: 4,
    maxNameBytes: 2,
  };
  const withLimits = (text: string) => whole(eventSteps(bytesOf(text), limits));
  const event = (id: string, rest = '') => `{"id":"${id}","timestamp":1${rest}}`;
  assert.equal(withLimits(`[${event('a')},${event('b')},${event('a')}]`).length, 3);
  const four = `[${[1, 2, 3, 4].map(() => event('a'))}]`;
  assertFault(() => withLimits(four), 'too_many_timestamps', '', '3');
  assertFault(
    () => withLimits(`[${event('a')},${event('b')},${event('c')}]`),
    'too_many_parameters',
    '',
    '2',
  );
  assert.equal(withLimits(event('a', ',"value":"éé"'))[0]!.value, 'éé');
  assertFault(() => withLimits(event('a', ',"value":"ééé"')), 'string_too_long', 'value', '6', '4');
  assertFault(() => withLimits(event('a', ',"tags":{"t":"12345"}')), 'string_too_long', 'tags.t');
  assertFault(() => withLimits(event('a', ',"tags":{"t":"1","u":"2"}')), 'too_many_tags', 'tags', '1');
  assertFault(() => withLimits(event('abc')), 'bad_name', 'id');
});

test('takes the value of an event as it is', () => {
  const value = (bytes: Uint8Array) =>
    decodeEventValue(bytes, { ...defaultPayloadLimits, maxStringBytes: 4 });
  assert.equal(value(bytesOf('')), '');
  assert.equal(value(bytesOf('\ufeffa')), '\ufeffa');
  assert.equal(value(bytesOf('{"a"')), '{"a"');
  assertFault(() => value(bytesOf('12345')), 'string_too_long', '');
  assert.throws(() => value(Uint8Array.of(0xc3)), /UTF-8/);
});

test('takes the value of an event in the charset that its media type names', () => {
  const value = (type: string, ...bytes: number[]) =>
    decodeEventValue(Uint8Array.from(bytes), { ...defaultPayloadLimits, maxStringBytes: 4 }, type);
  for (const type of [
    'text/plain',
    'text/plain; charset=UTF-8',
    'text/plain;charset="utf8"',
    'a/b; x=charset',
  ])
    assert.equal(value(type, 0xc3, 0xa9), 'é', type);
  for (const type of ['text/plain; charset=iso-8859-1', 'text/plain; format=flowed; Charset="Latin1"'])
    assert.equal(value(type, 0xc3, 0xa9), 'Ã©', type);
  assert.equal(value('text/plain; charset=utf-16le', 0x68, 0, 0x69, 0, 0xe9, 0), 'hié');
  assert.equal(value('text/plain; charset=utf-16', 0xff, 0xfe, 0x68, 0), 'h');
  assert.throws(() => value('text/plain; charset=utf-16le', 0x00, 0xd8), /must be text in utf-16le/);
  assert.throws(() => value('text/plain; charset=klingon', 0x68), { code: 'unsupported_media_type' });
  assertFault(() => value('text/plain; charset=latin1', 0xe9, 0xe9, 0xe9), 'string_too_long', '', '6', '4');
  assertFault(() => value('text/plain; charset=latin1', ...Array(9).fill(0x61)), 'string_too_long', '');
});

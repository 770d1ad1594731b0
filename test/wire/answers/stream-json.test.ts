import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stream } from '../../../src/domain/stream.ts';
import { encodeStreams } from '../../../src/wire/answers/stream-json.ts';

const stream: Stream = {
  streamId: 's"1',
  name: 'né',
  topic: 'cars',
  createdAt: 1_700_000_000_123,
  lastUpdate: 1_700_000_001_000,
  timeOfRecording: undefined,
  dataStart: undefined,
  dataEnd: undefined,
  status: 'Open',
  metadata: Object.fromEntries([['__proto__', 'x']]),
  parents: ['p'],
  location: '/',
};
const textOf = (streams: readonly Stream[], int64AsString = false) =>
  Buffer.concat([...encodeStreams(streams, { int64AsString })]).toString();

test('writes a stream without data', () => {
  assert.equal(
    textOf([stream]),
    '[{"streamId":"s\\"1","name":"né","topic":"cars","createdAt":"2023-11-14T22:13:20.123Z","lastUpdate":"2023-11-14T22:13:21.000Z",' +
      '"status":"Open","metadata":{"__proto__":"x"},"parents":["p"],"location":"/"}]',
  );
});

test('writes the times of data exactly, as digits or as strings', () => {
  const full = {
    ...stream,
    dataStart: 1_591_733_989_000_000_001n,
    dataEnd: -(2n ** 63n),
    timeOfRecording: 0,
  };
  assert.ok(
    textOf([full]).includes(
      '"timeOfRecording":"1970-01-01T00:00:00.000Z","dataStart":1591733989000000001,"dataEnd":-9223372036854775808,"status"',
    ),
  );
  assert.ok(
    textOf([full], true).includes('"dataStart":"1591733989000000001","dataEnd":"-9223372036854775808",'),
  );
});

test('writes any number of streams', () => {
  assert.equal(textOf([]), '[]');
  const many = Array.from({ length: 2000 }, (_, i) => ({ ...stream, streamId: `s${i}` }));
  const found = JSON.parse(textOf(many)) as { streamId: string }[];
  assert.deepEqual(
    found.map(({ streamId }) => streamId),
    many.map(({ streamId }) => streamId),
  );
});

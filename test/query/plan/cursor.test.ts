import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import { decodeCursor, encodeCursor, maxCursorLength } from '../../../src/query/plan/cursor.ts';

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a cursor', () => {
  it('comes back as it was, to the last nanosecond', () => {
    const position = {
      timestamp: -9_223_372_036_854_775_808n,
      topic: 'cars',
      streamId: 'lap 7 😀',
      tags: '[["lap","7"]]',
    };
    assert.deepEqual(decodeCursor(encodeCursor(position)), position);
  });

  it('carries a state where it has room', () => {
    const position = { timestamp: 1n, topic: 't', streamId: 's', tags: '[]' };
    const room = maxCursorLength - encodeCursor(position).length - 1;
    const full = { ...position, state: 'x-_1'.repeat(1000).slice(0, room) };
    assert.equal(encodeCursor(full).length, maxCursorLength);
    assert.deepEqual(decodeCursor(encodeCursor(full)), full);
    assert.deepEqual(decodeCursor(encodeCursor({ ...full, state: `${full.state}x` })), position);
  });

  for (const [what, cursor] of [
    ['no JSON', 'AAAA'],
    ['no array', encoded({})],
    ['too short', encoded(['1', 's', 't'])],
    ['no timestamp', encoded(['soon', 's', 't', '[]'])],
    ['a time after all times', encoded(['9223372036854775808', 's', 't', '[]'])],
    ['a number for a text', encoded(['1', 2, 't', '[]'])],
    ['tags that are no pairs', encoded(['1', 's', 't', '[1]'])],
    ['tags of three', encoded(['1', 's', 't', '[["a","b","c"]]'])],
    ['tags that are no JSON', encoded(['1', 's', 't', '[["a"'])],
    ['an empty state', `${encoded(['1', 's', 't', '[]'])}.`],
    ['a state that is no base64', `${encoded(['1', 's', 't', '[]'])}.a=b`],
    ['two states', `${encoded(['1', 's', 't', '[]'])}.aa.bb`],
    ['a state that is too long', `${encoded(['1', 's', 't', '[]'])}.${'a'.repeat(maxCursorLength + 1)}`],
  ] as const) {
    it(`with ${what} is refused by name`, () => {
      assert.throws(
        () => decodeCursor(cursor),
        (error) => error instanceof PitwallError && error.errors[0]?.path === 'cursor',
      );
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { decodeCursor, encodeCursor } from '../../src/query/cursor.ts';

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

  for (const [what, cursor] of [
    ['no JSON', 'AAAA'],
    ['no array', encoded({})],
    ['too short', encoded(['1', 's', 't'])],
    ['no timestamp', encoded(['soon', 's', 't', '[]'])],
    ['a number for a text', encoded(['1', 2, 't', '[]'])],
    ['tags that are no pairs', encoded(['1', 's', 't', '[1]'])],
    ['tags of three', encoded(['1', 's', 't', '[["a","b","c"]]'])],
    ['tags that are no JSON', encoded(['1', 's', 't', '[["a"'])],
  ] as const) {
    it(`with ${what} is refused by name`, () => {
      assert.throws(
        () => decodeCursor(cursor),
        (error) => error instanceof PitwallError && error.errors[0]?.path === 'cursor',
      );
    });
  }
});

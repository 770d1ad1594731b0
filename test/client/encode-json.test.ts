import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeJson } from '../../src/client/encode-json.ts';

describe('JSON of the client', () => {
  it('keeps the digits of integers, and the sign of 0', () => {
    const value = {
      at: 2n ** 63n - 1n,
      list: [-0, 0, -1n],
      text: '-0',
      none: undefined,
      date: new Date(0),
      boxed: Object(1),
    };
    assert.equal(
      encodeJson(value),
      '{"at":"9223372036854775807","list":[-0,0,"-1"],"text":"-0","date":"1970-01-01T00:00:00.000Z","boxed":1}',
    );
  });

  it('makes nothing else of a value that it has no form for, and names its place', () => {
    const faults: readonly [unknown, string][] = [
      [{ limit: Number.NaN }, 'limit is NaN, which JSON has not'],
      [
        [{ id: 'a' }, { id: 'p', maximumValue: Infinity }],
        '[1].maximumValue is Infinity, which JSON has not',
      ],
      [
        { tagFilters: [{ tag: 'a', value: [1, -Infinity] }] },
        'tagFilters[0].value[1] is -Infinity, which JSON has not',
      ],
      [{ metadata: new Map([['a', 'b']]) }, 'metadata is a Map, which JSON has not'],
      [{ streamIds: new Set(['a']) }, 'streamIds is a Set, which JSON has not'],
      [new Map(), 'the value is a Map, which JSON has not'],
      [{ metadata: Promise.resolve({ a: 'b' }) }, 'metadata is a Promise, which JSON has not'],
      [[{ id: 'e', value: () => 'x' }], '[0].value is a function, which JSON has not'],
      [{ streamIds: [Symbol('a')] }, 'streamIds[0] is a symbol, which JSON has not'],
      [{ state: { match: /a/ } }, 'state.match is a RegExp, which JSON has not'],
      [{ state: [new Error('a')] }, 'state[0] is an Error, which JSON has not'],
      [{ state: new ArrayBuffer(2) }, 'state is an ArrayBuffer, which JSON has not'],
      [{ state: Uint8Array.of(1) }, 'state is a Uint8Array, which JSON has not'],
      [{ timeOfRecording: new Date('no') }, 'timeOfRecording is an invalid Date, which JSON has not'],
    ];
    for (const [value, message] of faults)
      assert.throws(() => encodeJson(value), { name: 'TypeError', message });
  });
});

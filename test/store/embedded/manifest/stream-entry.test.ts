import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { endTypes, type StreamProperties } from '../../../../src/domain/stream.ts';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import {
  decodeStream,
  encodeStream,
  type StreamEntry,
} from '../../../../src/store/embedded/manifest/stream-entry.ts';
import { binaryText } from '../../../binary-text.ts';

const text = binaryText({ maxLength: 20 });
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const properties: fc.Arbitrary<StreamProperties> = fc.record(
  {
    name: text,
    location: text,
    metadata: fc.dictionary(fc.oneof(text, fc.constant('__proto__')), text, {
      maxKeys: 5,
      noNullPrototype: true,
    }),
    parents: fc.array(text, { maxLength: 4 }),
    timeOfRecording: fc.double({ noNaN: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const entry: fc.Arbitrary<StreamEntry> = fc.record(
  {
    topic: number,
    id: text,
    createdAt: fc.double({ noNaN: true }),
    lastUpdate: fc.double({ noNaN: true }),
    lastWrite: maybe(fc.double({ noNaN: true })),
    data: maybe(fc.tuple(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n))),
    ended: maybe(fc.constantFrom(...endTypes)),
    softDeleted: maybe(fc.constant(true as const)),
    parameters: fc.uniqueArray(number, { maxLength: 8 }).map((list) => list.sort((a, b) => a - b)),
    properties: maybe(properties),
    definitions: maybe(fc.tuple(number, number)),
  },
  { noNullPrototype: true },
);

describe('a stream in the manifest', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (entries) => {
        const stored = entries.map((one) => Buffer.from(encodeStream(one)));
        const bytes = Buffer.concat(stored);
        let start = 0;
        for (const [i, { length }] of stored.entries()) {
          assert.deepEqual(decodeStream(new ByteReader(bytes, start, start + length)), entries[i]);
          start += length;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('has the list of the one before where it is the same', () => {
    const bytes = [
      [1, 300],
      [1, 300],
      [1, 301],
    ].map((parameters, i) =>
      Buffer.from(encodeStream({ topic: 1, id: `${i}`, createdAt: 1, lastUpdate: 1, parameters })),
    );
    const [a, b, c] = bytes.map((one) => decodeStream(new ByteReader(one)).parameters);
    assert.equal(a, b);
    assert.deepEqual(c, [1, 301]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { createTranscript, jsonOfPacked } from '../../../src/hub/protocol/messagepack-json.ts';

function pack(value: unknown) {
  return { bytes: Buffer.from(encode(value, { useBigInt64: true })), at: 0 };
}

const long = fc.integer({ min: 3000, max: 10_000 });

/** Texts of some thousand bytes, with all that JSON escapes, and characters of several bytes. */
const text = fc
  .tuple(
    long,
    fc.array(fc.constantFrom('a', 'é', '😀', '"', '\\', '\n', '\u0001', '\u001f'), { minLength: 1 }),
  )
  .map(([length, pieces]) => pieces.join('').repeat(Math.ceil(length / pieces.length)));

describe('long texts in MessagePack', () => {
  it('say in JSON what they say, as names and as values, the same as short ones', () => {
    const value = fc.oneof(text, fc.string(), fc.integer());
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(text, fc.string()), fc.array(value), { noNullPrototype: true }),
        (data) => {
          assert.equal(Buffer.from(jsonOfPacked(pack(data), 64)).toString(), JSON.stringify(data));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('may be binary data', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 0, max: 255 }), (length, seed) => {
        const data = Buffer.from(Array.from({ length }, (_, i) => (i * 7 + seed) & 0xff));
        const json = Buffer.from(jsonOfPacked(pack({ binaryValues: { a: [data, data] } }), 64)).toString();
        const base64 = data.toString('base64');
        assert.deepEqual(JSON.parse(json), { binaryValues: { a: [base64, base64] } });
      }),
      { numRuns: 50 },
    );
  });

  const bytes = 6 * 2 ** 20;
  const whole: [what: string, value: unknown][] = [
    ['a text', ['\u0001'.repeat(bytes)]],
    ['a name', { ['a'.repeat(bytes)]: 1 }],
    ['binary data', { binaryValues: { a: [new Uint8Array(bytes)] } }],
    ['texts of some length', new Array(100).fill('a'.repeat(bytes / 100))],
  ];
  for (const [what, value] of whole) {
    it(`become JSON in short steps, whose memory counts: ${what}`, () => {
      let taken = 0;
      let most = 0;
      let before = 0;
      const share = {
        take(count: number) {
          taken += count;
        },
      };
      const packed = pack(value);
      const transcript = createTranscript(packed, { maxDepth: 64, maxBytes: 64 * bytes, share });
      for (let more = true, at = 0; more; at = packed.at) {
        more = transcript.step();
        assert.ok(packed.at - at < 2 ** 17, `a step reads ${packed.at - at} bytes`);
        most = Math.max(most, taken - before);
        before = taken;
      }
      const json = transcript.json();
      assert.ok(most < 2 ** 20, `a step writes ${most} bytes`);
      assert.ok(json.length - taken < 2 ** 17, `${taken} bytes of ${json.length} count`);
    });
  }
});

describe('floats of 32 bits in MessagePack', () => {
  const json = (value: unknown) =>
    Buffer.from(
      jsonOfPacked({ bytes: Buffer.from(encode(value, { forceFloat32: true })), at: 0 }, 64),
    ).toString();

  it('are no timestamps: they would be a minute beside', () => {
    for (const [value, path] of [
      [{ timestamps: [1.7e18] }, 'timestamps'],
      [{ Epoch: -1.7e18, timestamps: [0] }, 'Epoch'],
      [[{ id: 'pit', timestamp: 1.7e18 }], 'timestamp'],
      [{ id: 'pit', timestamp: 1.7e18 }, 'timestamp'],
    ] as const)
      assert.throws(() => json(value), {
        code: 'bad_timestamp',
        message: `${path} holds a float of 32 bits, which has no room for a timestamp`,
      });
  });

  it('are numbers everywhere else', () => {
    const value = { timestamps: [1, 0.5], numericValues: { timestamps: [1.7e18, 0.25] } };
    assert.equal(
      json(value),
      '{"timestamps":[1,0.5],"numericValues":{"timestamps":[1700000007681212400,0.25]}}',
    );
  });
});

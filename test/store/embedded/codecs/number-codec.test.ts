import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../../../src/store/embedded/codecs/byte-reader.ts';
import { ByteWriter } from '../../../../src/store/embedded/codecs/byte-writer.ts';
import { decodeNumbers, encodeNumbers } from '../../../../src/store/embedded/codecs/number-codec.ts';
import { hardDoubles } from '../row-groups.ts';

const numberOfForm = { decimal: 0, single: 1, double: 2, split: 3 } as const;

function encoded(values: readonly number[]): Buffer {
  const out = new ByteWriter(1);
  encodeNumbers(out, Float64Array.from(values), values.length);
  return out.written();
}

/** assert.deepEqual of node:assert/strict tells -0 from 0 and takes NaN for equal. */
function assertRoundTrip(values: readonly number[]): void {
  const reader = new ByteReader(encoded(values));
  assert.deepEqual(Array.from(decodeNumbers(reader, values.length)), values);
  assert.equal(reader.position, reader.end);
}

function assertForm(form: keyof typeof numberOfForm, values: readonly number[]): void {
  assert.equal(encoded(values)[0]! & 3, numberOfForm[form]);
  assertRoundTrip(values);
}

function walk(count: number, step: (i: number) => number, start = 0): number[] {
  let value = start;
  return Array.from({ length: count }, (_, i) => {
    value += step(i);
    return value;
  });
}

const noise = (i: number): number => Math.sin(i * 12.9898) * 43758.5453;

describe('number codec', () => {
  it('gives back hard doubles, alone, together and among ordinary ones', () => {
    for (const value of hardDoubles) assertRoundTrip([value]);
    assertRoundTrip(hardDoubles);
    for (const value of hardDoubles)
      assertRoundTrip([...walk(200, (i) => i % 3), value, ...walk(200, () => 0.5)]);
  });

  it('gives back whole numbers around the limits of exact arithmetic', () => {
    for (const edge of [2 ** 31, 2 ** 32, 2 ** 51, 2 ** 52, 2 ** 53]) {
      assertRoundTrip([edge - 1, edge, edge + 1, -edge, 1 - edge, -1 - edge]);
    }
  });

  it('gives back any doubles, decimals and singles', () => {
    const decimal = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 9 })).map(([m, e]) => m / 10 ** e);
    for (const value of [fc.double(), fc.float(), decimal, fc.oneof(fc.double(), fc.integer())]) {
      fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), assertRoundTrip));
    }
  });

  it('stores decimals as integers, up to nine places', () => {
    for (let places = 0; places <= 9; places++) {
      const values = Array.from({ length: 500 }, (_, i) => (i * 7919 - 12345) / 10 ** places);
      assertForm('decimal', values);
      assert.equal(encoded(values)[0]! >> 4, places);
    }
  });

  it('keeps its compression when a few values have no decimal form', () => {
    const values = walk(1000, (i) => (i % 3) - 1, 50);
    const plain = encoded(values).length;
    for (const [i, value] of [NaN, -0, Infinity, 1 / 3].entries()) values[100 + 200 * i] = value;
    assertForm('decimal', values);
    assert.ok(encoded(values).length < plain + 60);
  });

  it('stores singles in four bytes when that is shorter', () => {
    const values = Array.from({ length: 300 }, (_, i) => Math.fround(noise(i)));
    values[5] = -0;
    values[6] = NaN;
    assertForm('single', values);
    assert.equal(encoded(values).length, 1 + 4 * 300);
  });

  it('stores other doubles with their top bits apart where these repeat, whole where not', () => {
    assertForm(
      'split',
      Array.from({ length: 300 }, (_, i) => 100 + noise(i) / 1e5),
    );
    assertForm(
      'double',
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? -1 : 1) * Math.PI ** (100 * i - 480)),
    );
  });

  it('stores what is written in about half a byte (integers 0..100) and 1.7 bytes (three decimals) a value', () => {
    const integers = walk(8192, (i) => Math.round(noise(i)) % 2, 50);
    const decimals = walk(8192, (i) => Math.round(noise(i)) % 1000, 50_000).map((m) => m / 1000);
    assert.ok(encoded(integers).length <= 0.5 * 8192);
    assert.ok(encoded(decimals).length <= 1.7 * 8192);
  });

  it('refuses exceptions and exponents that cannot be', () => {
    assert.throws(
      () => decodeNumbers(new ByteReader(Buffer.from([0x04, 1, 5, ...Buffer.alloc(11)])), 3),
      RangeError,
    );
    assert.throws(() => decodeNumbers(new ByteReader(Buffer.from([0xa0, 0, 0])), 1), RangeError);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Column, Kind, type Rows } from '../../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import type { LiveContent } from '../../../src/live/live-package.ts';
import { decodePackage, encodePackage } from '../../../src/live/nats/package.ts';

const place = { workspace: 'w', topic: 'Cars é', streamId: 'car *.> 1' };

function roundTrip(content: LiveContent): LiveContent {
  const { content: read, ...rest } = decodePackage(encodePackage({ ...place, content }));
  assert.deepEqual(rest, place);
  return read;
}

function numbers(values: readonly number[], present?: Uint8Array): Rows {
  return rowsOf(values.length, [
    { kind: Kind.Numeric, name: 'Speed', values: Float64Array.from(values), present },
  ]);
}

function rowsOf(count: number, columns: readonly Column[]): Rows {
  const offsets = Float64Array.from({ length: count }, (_, i) => i * 1000);
  return { count, base: -9223372036854775808n, offsets, tagSets: [noTags], tagIndex: undefined, columns };
}

function sizeOf(values: readonly number[]): number {
  return encodePackage({ ...place, content: { type: 'parameterData', rows: [numbers(values)] } }).length;
}

describe('packages between nodes', () => {
  it('keep every double to the bit', () => {
    const special = [0, -0, 1, -1, 0.1, 1.5, Number.MAX_VALUE, Number.MIN_VALUE, Infinity, -Infinity, NaN];
    const edges = [127, 128, -128, -129, 32767, 32768, -32769, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31)];
    const value = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(...special, ...edges));
    const decimal = fc.tuple(fc.integer(), fc.nat(12)).map(([whole, digits]) => whole / 10 ** digits);
    const some = fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 40 }),
      fc.array(decimal, { minLength: 1, maxLength: 40 }),
      fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 40 }),
      fc.array(fc.oneof({ weight: 30, arbitrary: decimal }, value), { minLength: 9, maxLength: 40 }),
    );
    fc.assert(
      fc.property(some, (values) => {
        const rows = [numbers(values)];
        assert.deepEqual(roundTrip({ type: 'parameterData', rows }), { type: 'parameterData', rows });
      }),
      { numRuns: 2000 },
    );
  });

  it('take the narrowest form that is exact', () => {
    const many = (value: (i: number) => number) => Array.from({ length: 1000 }, (_, i) => value(i));
    const head = sizeOf(many((i) => i));
    assert.ok(head < 150, `a sequence takes ${head} bytes`);
    assert.ok(sizeOf(many((i) => (i * 7) % 100)) < 1150);
    assert.ok(sizeOf(many((i) => (i * 7) % 1000)) < 2150);
    assert.ok(sizeOf(many((i) => ((i * 7) % 100) / 4)) < 4150);
    // Differences of decimals, of large integers, and of what is no decimal.
    assert.ok(sizeOf(many((i) => ((i * 7) % 10) / 10)) < 1150);
    assert.ok(sizeOf(many((i) => ((i * 7919) % 20000) / 1000)) < 2150);
    assert.ok(sizeOf(many((i) => 2 ** 40 + i * 1000 + (i % 3))) < 2150);
    assert.ok(sizeOf(many((i) => ((i * 7919) % 2 ** 30) / 1000)) < 4150);
    assert.ok(sizeOf(many((i) => Math.sqrt(i))) < 8150);
  });

  it('that claim more than they have are refused before memory is taken for it', () => {
    const whole = encodePackage({
      ...place,
      content: { type: 'parameterData', rows: [numbers([1, 2, 3, 4])] },
    });
    // The count of the rows stands behind the names and the number of Rows.
    const at = whole.indexOf(Buffer.from('car *.> 1')) + 'car *.> 1'.length + 1;
    assert.equal(whole[at], 4);
    const claim = Buffer.from([0xff, 0xff, 0xff, 0x3f]);
    const forged = Buffer.concat([whole.subarray(0, at), claim, whole.subarray(at + 1)]);
    const before = process.memoryUsage().arrayBuffers;
    assert.throws(() => decodePackage(forged), /claims more than any node sends/);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 20);
    const lists = Buffer.concat([
      whole.subarray(0, at - 1),
      Buffer.from([0xff, 0xff, 0xff, 0x7f]),
      whole.subarray(at),
    ]);
    assert.throws(() => decodePackage(lists), RangeError);
  });

  it('keep rows with every kind, gaps, tags and any timestamps', () => {
    const rows: Rows = {
      count: 9,
      base: 1591733989000000001n,
      offsets: Float64Array.of(3, 0, 7, 2 ** 53 - 1, 1, 1, 0, 5, 6),
      tagSets: [tagSet([['driver', 'ä"\\']]), noTags],
      tagIndex: Uint32Array.of(0, 1, 1, 0, 1, 1, 0, 0, 1),
      columns: [
        {
          kind: Kind.Numeric,
          name: 'Speed',
          values: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9.5),
          present: Uint8Array.of(0b10101010, 1),
        },
        {
          kind: Kind.String,
          name: 'Gear',
          bytes: new Uint8Array(Buffer.from('éabc')),
          ends: Uint32Array.of(2, 2, 3, 3, 3, 3, 3, 5, 5),
          present: undefined,
        },
        {
          kind: Kind.Binary,
          name: 'Frame',
          bytes: Uint8Array.of(0, 255, 10, 13),
          ends: Uint32Array.of(0, 0, 0, 4, 4, 4, 4, 4, 4),
          present: Uint8Array.of(8, 0),
        },
      ],
    };
    const content: LiveContent = { type: 'parameterData', rows: [rows, numbers([1])] };
    assert.deepEqual(roundTrip(content), content);
  });

  it('keep events, definitions, properties and ends', () => {
    const contents: LiveContent[] = [
      {
        type: 'eventData',
        events: [
          { id: 'lap', timestamp: 9223372036854775807n, value: '{"a":"é"}', tags: tagSet([['a', 'b']]) },
          { id: 'pit', timestamp: -1n, value: '', tags: noTags },
        ],
      },
      { type: 'parameterDefinitions', definitions: [{ id: 'Speed', minimumValue: -0.1, unit: 'km/h' }] },
      { type: 'eventDefinitions', definitions: [{ id: 'lap', level: 'Critical' }] },
      { type: 'stream', properties: { name: 'a', metadata: { b: 'c' }, timeOfRecording: 5 } },
      { type: 'stream', properties: undefined },
      { type: 'close', endType: 'Aborted' },
    ];
    for (const content of contents) assert.deepEqual(roundTrip(content), content);
  });

  it('are refused where they are cut, longer, or of another version', () => {
    const whole = encodePackage({ ...place, content: { type: 'parameterData', rows: [numbers([1, 5, 2])] } });
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => decodePackage(whole.subarray(0, length)), RangeError);
    assert.throws(() => decodePackage(Buffer.concat([whole, Buffer.of(0)])), /after its end/);
    assert.throws(() => decodePackage(Buffer.concat([Buffer.of(1), whole.subarray(1)])), /version 1/);
  });
});

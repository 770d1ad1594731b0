import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanLimit } from '../../../src/domain/timestamp.ts';
import { whole } from '../../../src/turns/steps.ts';
import {
  ParameterDataDecoder,
  parameterDataBatchSteps,
  parameterDataSteps,
} from '../../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { assertTruncationsFail, bytesOf } from '../faults.ts';
import { closeTimes, expectedRows, farTimes, payloads, plainRows, spell, spellings } from '../payloads.ts';

const decoder = new ParameterDataDecoder(defaultPayloadLimits);
const decode = (text: string) => decoder.decode(bytesOf(text));

test('gives back every row of a payload, however it is spelt', () => {
  fc.assert(
    fc.property(payloads(closeTimes, 40), spellings, (payload, spelling) => {
      const parts = decode(spell(payload, spelling));
      assert.deepEqual(plainRows(parts), expectedRows(payload));
      for (const { base, offsets } of parts) {
        assert.equal(Math.min(...offsets), 0);
        assert.ok(plainRows(parts).every(({ time }) => time >= base));
      }
    }),
    { numRuns: 500 },
  );
});

test('reads the same step by step, and refuses it for the same reason', () => {
  const outcomeOf = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      const { code, message, errors } = error as { code: string; message: string; errors: unknown };
      return { code, message, errors };
    }
  };
  fc.assert(
    fc.property(
      fc.oneof(payloads(closeTimes, 25), payloads(farTimes, 25)),
      spellings,
      fc.integer({ min: 1, max: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (payload, spelling, every, cut) => {
        const text = spell(payload, spelling);
        const entry = text.replace('{', '{"streamId":"s",');
        for (const single of [text, text.slice(0, Math.floor(text.length * cut)), text.replace('0', 'x')]) {
          assert.deepEqual(
            outcomeOf(() =>
              whole(parameterDataSteps(bytesOf(single), defaultPayloadLimits, undefined, { every })),
            ),
            outcomeOf(() => decode(single)),
          );
        }
        for (const batch of [`[${entry},${entry}]`, `[${entry},${text}]`]) {
          assert.deepEqual(
            outcomeOf(() =>
              whole(parameterDataBatchSteps(bytesOf(batch), defaultPayloadLimits, undefined, { every })),
            ),
            outcomeOf(() => decoder.decodeBatch(bytesOf(batch))),
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('splits a payload of any span into parts below 2^53 ns, each in the order of the payload', () => {
  fc.assert(
    fc.property(payloads(farTimes, 25), spellings, (payload, spelling) => {
      const expected = expectedRows(payload);
      const parts = decode(spell(payload, spelling));
      for (const part of parts) {
        assert.equal(Math.min(...part.offsets), 0);
        assert.ok(Math.max(...part.offsets) < spanLimit);
        const own = plainRows([part]);
        const isOwn = (time: bigint) => own.some((row) => row.time === time);
        assert.deepEqual(
          own,
          expected.filter(({ time }) => isOwn(time)),
        );
      }
      assert.equal(
        parts.reduce((sum, { count }) => sum + count, 0),
        expected.length,
      );
    }),
    { numRuns: 500 },
  );
});

test('keeps timestamps exact at the ends of int64 and around 2^53', () => {
  const times = [
    '-9223372036854775808',
    '9223372036854775807',
    '-1',
    '0',
    '9007199254740992',
    '9007199254740993',
    '1000000000',
  ];
  const rows = plainRows(decode(`{"timestamps":[${times}],"numericValues":{"a":[0,1,2,3,4,5,6]}}`));
  const found = rows
    .sort((a, b) => Number(a.values['0:a']) - Number(b.values['0:a']))
    .map(({ time }) => String(time));
  assert.deepEqual(found, times);
});

test('reads timestamps of every length, whatever the first one is', () => {
  const time = fc
    .integer({ min: 0, max: 62 })
    .chain((bits) => fc.bigInt({ min: -(2n ** BigInt(bits)), max: 2n ** BigInt(bits) }));
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 20 }), (times) => {
      const rows = plainRows(
        decode(`{"timestamps":[${times}],"numericValues":{"a":[${times.map((_, i) => i)}]}}`),
      );
      for (const { time: found, values } of rows) assert.equal(found, times[Number(values['0:a'])]);
      assert.equal(rows.length, times.length);
    }),
  );
});

test('adds the epoch exactly', () => {
  const [rows] = decode(
    '{"epoch":1591733989000000001,"timestamps":[-1,0,"5"],"numericValues":{"a":[1,2,3]}}',
  );
  assert.equal(rows!.base, 1591733989000000000n);
  assert.deepEqual([...rows!.offsets], [0, 1, 6]);
});

test('stores nothing for nulls: no column, no row, no rows at all', () => {
  assert.deepEqual(
    decode('{"timestamps":[1,2],"numericValues":{"a":[null,null],"b":null},"tagValues":{"t":["x","y"]}}'),
    [],
  );
  assert.deepEqual(decode('{"timestamps":[],"numericValues":{"a":[]},"stringValues":null}'), []);
  const [rows] = decode(
    '{"timestamps":[1,2,3],"numericValues":{"a":[null,7,null]},"stringValues":{"s":[null,null,"x"]}}',
  );
  assert.equal(rows!.count, 2);
  assert.equal(rows!.base, 2n);
});

test('leaves presence undefined where every row has a value', () => {
  const [rows] = decode('{"timestamps":[1,2],"numericValues":{"a":[1,2],"b":[1,null]}}');
  assert.equal(rows!.columns[0]!.present, undefined);
  assert.deepEqual(rows!.columns[1]!.present, Uint8Array.of(1));
});

test('takes one name in two groups as two columns', () => {
  const [rows] = decode('{"timestamps":[1],"numericValues":{"a":[1]},"stringValues":{"a":["x"]}}');
  assert.deepEqual(plainRows([rows!])[0]!.values, { '0:a': 1, '1:a': 'x' });
});

test('codes tag sets once each, and leaves the index out where there is one', () => {
  const [rows] = decode(
    '{"timestamps":[1,2,3,4],"numericValues":{"a":[1,2,3,4]},"tagValues":{"b":["x","x","y","x"],"a":["1","1","1","1"],"c":[null,null,null,null]}}',
  );
  assert.deepEqual(
    rows!.tagSets.map(({ key }) => key),
    ['[["a","1"],["b","x"]]', '[["a","1"],["b","y"]]'],
  );
  assert.deepEqual([...rows!.tagIndex!], [0, 0, 1, 0]);
  const [constant] = decode('{"timestamps":[1,2],"numericValues":{"a":[1,2]},"tagValues":{"b":["x","x"]}}');
  assert.equal(constant!.tagIndex, undefined);
});

test('grows with what comes: a column of many rows, long strings and many columns', () => {
  const many = Array.from({ length: 50_000 }, (_, i) => i);
  const long = 'é'.repeat(30_000);
  const text = JSON.stringify({
    stringValues: { s: many.map((i) => (i % 10_000 === 0 ? long : 'short')) },
    numericValues: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, many.map((i) => i / 8)])),
    timestamps: many,
    tagValues: { t: many.map((i) => String(i >> 3)) },
  });
  const [rows] = decode(text);
  assert.equal(rows!.count, many.length);
  const plain = plainRows([rows!]);
  for (const i of [0, 1, 9_999, 10_000, 49_999]) {
    const values = { '0:a': i / 8, '0:b': i / 8, '0:c': i / 8, '1:s': i % 10_000 === 0 ? long : 'short' };
    assert.deepEqual(plain[i], { time: BigInt(i), tags: `[["t","${i >> 3}"]]`, values });
  }
});

test('reads a batch whose entries are valid together', () => {
  const entry = (id: string, value: number) =>
    `{"numericValues":{"a":[${value}]},"StreamId":"${id}","timestamps":[${value}]}`;
  const batch = decoder.decodeBatch(bytesOf(`[${entry('one', 1)},${entry('two', 2)},${entry('one', 3)}]`));
  assert.deepEqual(
    batch.map(({ streamId, rows }) => [streamId, plainRows(rows)[0]!.values['0:a'], rows[0]!.base]),
    [
      ['one', 1, 1n],
      ['two', 2, 2n],
      ['one', 3, 3n],
    ],
  );
  assert.deepEqual(decoder.decodeBatch(bytesOf(' [ ] ')), []);
});

test('refuses a payload that is cut off anywhere', () => {
  const text =
    '{"timestamps":[1,"2",3e0],"epoch":-5,"numericValues":{"a":[1.5,null,"NaN"]},"stringValues":{"s":["é\\n","",null]},' +
    '"binaryValues":{"b":["AAEC","AA==",null]},"tagValues":{"t":["x","x",null]}}';
  assertTruncationsFail(text, (body) => decoder.decode(body));
  assertTruncationsFail(`[{"streamId":"s",${text.slice(1)},{"timestamps":[],"streamId":"t"}]`, (body) =>
    decoder.decodeBatch(body),
  );
});

test('never reads beyond the end of its bytes', () => {
  const whole = bytesOf('{"timestamps":[12],"numericValues":{"a":[34]}}');
  for (let length = 0; length < whole.length; length++) {
    // The bytes after it would complete the text.
    assert.throws(() => decoder.decode(new Uint8Array(whole.buffer, whole.byteOffset, length)));
  }
});

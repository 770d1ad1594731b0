import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBytes } from '../../../../src/store/clickhouse/read/byte-reader.ts';

/** The bytes in chunks that end at the given places. */
async function* cut(bytes: Uint8Array, ends: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const end of [...ends].sort((a, b) => a - b)) {
    yield bytes.subarray(from, Math.min(end, bytes.length));
    from = Math.min(end, bytes.length);
  }
  yield bytes.subarray(from);
}

const texts = fc.array(fc.oneof(fc.string(), fc.string({ minLength: 120, maxLength: 300 })), {
  maxLength: 12,
});
const places = fc.array(fc.nat(2000), { maxLength: 30 });

function varuint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varuint(value >> 7)];
}

function encoded(text: string): Buffer {
  const utf8 = Buffer.from(text);
  return Buffer.concat([Buffer.from(varuint(utf8.length)), utf8]);
}

test('reads texts, strings and numbers wherever chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.double()), places, async (strings, numbers, ends) => {
      const doubles = Float64Array.from(numbers);
      const all = Buffer.concat([
        encoded('a name'),
        Buffer.concat(strings.map(encoded)),
        Buffer.from(doubles.buffer),
        encoded('the end'),
      ]);
      const reader = readBytes(cut(all, ends));
      assert.equal(await reader.isAtEnd(), false);
      assert.equal(await reader.text(), 'a name');
      const { bytes, ends: stringEnds } = await reader.strings(strings.length);
      const found = Array.from(stringEnds, (end, i) =>
        Buffer.from(bytes.subarray(i === 0 ? 0 : stringEnds[i - 1]!, end)).toString(),
      );
      assert.deepEqual(found, strings);
      const words = await reader.bytes(8 * numbers.length);
      assert.deepEqual(new Float64Array(words.buffer, words.byteOffset, numbers.length), doubles);
      assert.equal(await reader.text(), 'the end');
      assert.equal(await reader.isAtEnd(), true);
    }),
  );
});

test('says how much is missing where bytes end too early', async () => {
  const reader = readBytes(cut(Buffer.from([1, 2, 3]), [1]));
  await assert.rejects(reader.bytes(8), { message: 'the answer ends 5 bytes too early' });
  await assert.rejects(readBytes(cut(Buffer.from([200]), [])).varuint(), {
    message: 'the answer ends too early',
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '../../../src/wire/json/base64.ts';

function decode(text: string): Buffer | undefined {
  const input = Buffer.from(`<<${text}>>`);
  const out = Buffer.alloc(text.length + 8);
  const size = decodeBase64(input, 2, input.length - 2, out, 3);
  return size < 0 ? undefined : out.subarray(3, 3 + size);
}

test('decodes and encodes any bytes, with padding and without', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      assert.deepEqual(decode(text), Buffer.from(bytes));
      assert.deepEqual(decode(text.replaceAll('=', '')), Buffer.from(bytes));
      const out = Buffer.alloc(100);
      assert.equal(out.toString('latin1', 1, encodeBase64(bytes, 0, bytes.length, out, 1)), text);
    }),
  );
});

test('refuses wrong lengths, wrong padding, other alphabets and unused bits that are set', () => {
  for (const text of [
    'A',
    'AAAAA',
    '=',
    '==',
    '====',
    'A===',
    'AA=',
    'AA=A',
    'AAA==',
    'AAAA=',
    'AAAA====',
    'AA-_',
    'AA A',
    'AB==',
    'AAB=',
    'é',
  ]) {
    assert.equal(decode(text), undefined, text);
  }
});

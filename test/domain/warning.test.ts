import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeWarning } from '../../src/client/warning.ts';
import { encodeWarning } from '../../src/domain/warning.ts';
import { binaryText } from '../binary-text.ts';

test('any text is the value of a header, and comes back', () => {
  fc.assert(
    fc.property(binaryText({ maxLength: 300 }), (text) => {
      const value = encodeWarning(text);
      assert.match(value, /^[ -~]*$/);
      assert.equal(decodeWarning(value), text);
    }),
  );
  assert.equal(encodeWarning('a\r\nSet-Cookie: b\\u0041 ü'), 'a\\u000d\\u000aSet-Cookie: b\\\\u0041 \\u00fc');
});

test('a long text is cut, between two characters', () => {
  const value = encodeWarning('ü'.repeat(100_000));
  assert.ok(value.length <= 2003);
  assert.match(decodeWarning(value), /^ü+\.\.\.$/);
});

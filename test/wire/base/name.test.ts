import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMemberName, checkName } from '../../../src/wire/base/name.ts';
import { assertFault } from '../faults.ts';

test('takes 1 to 512 bytes of UTF-8', () => {
  for (const name of ['a', '__proto__', 'Speed [km/h]', 'x'.repeat(512), 'é'.repeat(256), '😀'.repeat(128)]) {
    assert.equal(checkName(name, 'p'), name);
  }
  assertFault(() => checkName('', 'p'), 'bad_name', 'p', 'empty');
  assertFault(() => checkName('x'.repeat(513), 'p'), 'bad_name', 'p', '513');
  assertFault(() => checkName('é'.repeat(257), 'p'), 'bad_name', 'p', '514');
});

test('refuses control characters and lone surrogates', () => {
  for (const name of ['a\nb', '\u0000', '\u007f', '\u0085', '\ud800']) {
    assertFault(() => checkName(name, 'p'), 'bad_name', 'p');
  }
});

test('goes by the limit that is configured', () => {
  assertFault(() => checkName('abcd', 'p', 3), 'bad_name', 'p', '3 are allowed');
});

test('says of the name of a property that its object has it', () => {
  assert.equal(checkMemberName('Speed', 'numericValues'), 'Speed');
  assertFault(() => checkMemberName('', 'numericValues'), 'bad_name', 'numericValues', 'has an empty name');
  assertFault(() => checkMemberName('a\n', 'metadata'), 'bad_name', 'metadata', 'has a name with a control');
  assertFault(() => checkMemberName('abcd', 'tags', 3), 'bad_name', 'tags', 'has a name of 4 bytes');
});

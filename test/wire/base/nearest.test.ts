import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editDistance, nearest } from '../../../src/wire/base/nearest.ts';

test('finds the word that was meant', () => {
  const known = ['timestamps', 'epoch', 'numericValues', 'stringValues', 'binaryValues', 'tagValues'];
  assert.equal(nearest('timestamp', known), 'timestamps');
  assert.equal(nearest('NumericValue', known), 'numericValues');
  assert.equal(nearest('tags', known), 'tagValues');
  assert.equal(nearest('epcoh', known), 'epoch');
});

test('counts edits', () => {
  assert.equal(editDistance('kitten', 'sitting'), 3);
  assert.equal(editDistance('ab', 'ba'), 1);
  assert.equal(editDistance('', 'abc'), 3);
});

test('is a symmetric distance, zero only for equal words', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.equal(editDistance(a, b) === 0, a === b);
    }),
  );
});

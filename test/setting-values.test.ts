import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeName } from '../src/setting-values.ts';

describe('the name of a node', () => {
  it('may stand in an address before a dot, unescaped', () => {
    for (const name of ['node1', 'eu-west_2', 'A'.repeat(64)]) assert.equal(nodeName(name), name);
    for (const name of ['', 'a.b', 'a b', 'ä', 'a/b', 'A'.repeat(65)]) {
      assert.throws(() => nodeName(name), /letters, digits/, name);
    }
  });
});

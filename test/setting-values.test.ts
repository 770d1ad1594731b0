import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { durationOrOff, nodeName } from '../src/setting-values.ts';

describe('the name of a node', () => {
  it('may stand in an address before a dot, unescaped', () => {
    for (const name of ['node1', 'eu-west_2', 'A'.repeat(64)]) assert.equal(nodeName(name), name);
    for (const name of ['', 'a.b', 'a b', 'ä', 'a/b', 'A'.repeat(65)]) {
      assert.throws(() => nodeName(name), /letters, digits/, name);
    }
  });
});

describe('a time that may be off', () => {
  it('is off with the word or with 0 of any unit, else a time', () => {
    for (const off of ['off', '0', '0ms', '0s', '0m', '0h', '0d'])
      assert.equal(durationOrOff(off), undefined);
    assert.equal(durationOrOff('1500ms'), 1500);
    assert.equal(durationOrOff('10s'), 10_000);
    for (const wrong of ['', 'Off', '-1s', '5', '0x', '1.5s'])
      assert.throws(() => durationOrOff(wrong), /must be a time such as .*, or off/);
  });
});

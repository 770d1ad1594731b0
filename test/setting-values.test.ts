import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowedHosts, durationOrOff, nodeName } from '../src/setting-values.ts';

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

describe('hosts that may be called', () => {
  it('are names or addresses, with a port or without, and networks', () => {
    assert.deepEqual(allowedHosts('A.example, b.example:8080,::1,[::1]:9,10.0.0.0/8,fd00::/8'), [
      { host: 'a.example', port: undefined },
      { host: 'b.example', port: 8080 },
      { host: '[::1]', port: undefined },
      { host: '[::1]', port: 9 },
      { network: '10.0.0.0', prefix: 8 },
      { network: 'fd00::', prefix: 8 },
    ]);
    assert.deepEqual(allowedHosts(''), []);
    for (const wrong of [
      'a,,b',
      '*.example',
      'http://a',
      'a:0',
      'a:70000',
      '10.0.0.0/33',
      'a/8',
      'me@a',
      'a b',
    ])
      assert.throws(() => allowedHosts(wrong), /must be/, wrong);
  });
});

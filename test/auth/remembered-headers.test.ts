import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rememberedHeaders } from '../../src/auth/remembered-headers.ts';
import { hashToken } from '../../src/auth/token.ts';

describe('remembered headers', () => {
  const headers = rememberedHeaders('the-operators-own');

  it('say which token is shown, and whether it is the operator’s', () => {
    assert.deepEqual(headers.read('Bearer pw_a'), { hash: hashToken('pw_a'), isOperators: false });
    const { isOperators } = headers.read('bearer the-operators-own');
    assert.equal(isOperators, true);
    assert.equal(headers.read('Bearer the-operators-ow').isOperators, false);
    assert.equal(rememberedHeaders(undefined).read('Bearer the-operators-own').isOperators, false);
  });

  it('are those that somebody asked to remember, and no others', () => {
    const first = headers.read('Bearer pw_b');
    assert.notEqual(headers.read('Bearer pw_b'), first, 'read anew');
    headers.remember('Bearer pw_b', first);
    assert.equal(headers.read('Bearer pw_b'), first, 'the same object');
  });

  it('are a thousand at most', () => {
    const first = headers.read('Bearer pw_c');
    headers.remember('Bearer pw_c', first);
    for (let i = 0; i < 1000; i++) headers.remember(`Bearer pw_${i}`, first);
    assert.notEqual(headers.read('Bearer pw_c'), first);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashToken, makeToken, makeTokenId } from '../../src/auth/token.ts';

describe('a token', () => {
  it('has 256 random bits behind its prefix', () => {
    assert.match(makeToken(), /^pw_[A-Za-z0-9_-]{43}$/);
    assert.notEqual(makeToken(), makeToken());
  });

  it('is stored as its SHA-256', () => {
    assert.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('has an id that never looks like a flag', () => {
    assert.match(makeTokenId(), /^[0-9a-f]{16}$/);
  });
});

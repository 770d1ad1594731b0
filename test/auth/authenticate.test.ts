import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuthenticate, requireScope } from '../../src/auth/authenticate.ts';
import { hashToken } from '../../src/auth/token.ts';
import type { TokenRecord } from '../../src/domain/principal.ts';
import { PitwallError } from '../../src/errors.ts';

let time = 1000;
const record: TokenRecord = {
  id: 'a1',
  hash: hashToken('pw_known'),
  workspace: 'racing',
  scopes: ['read'],
  createdAt: 0,
  expires: 2000,
};
const authenticate = createAuthenticate({
  tokenByHash: (hash) => (hash === record.hash ? record : undefined),
  operatorToken: 'operators-own',
  now: () => time,
});
const isRefused = (header: string | undefined, detail: RegExp): void => {
  assert.throws(
    () => authenticate(header),
    (error) => {
      assert.ok(error instanceof PitwallError);
      assert.equal(error.code, 'unauthorized');
      assert.match(error.message, detail);
      return true;
    },
  );
};

describe('authentication', () => {
  it('takes a known token, the scheme in any case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const principal = authenticate(`${scheme} pw_known`);
      assert.deepEqual(principal, { tokenId: 'a1', workspace: 'racing', scopes: ['read'] });
    }
  });

  it("takes the operator's token as an admin of the default workspace", () => {
    const principal = authenticate('Bearer operators-own');
    assert.deepEqual(principal, { tokenId: 'operator', workspace: 'default', scopes: ['admin'] });
  });

  it('refuses a missing or malformed header', () => {
    isRefused(undefined, /no Authorization header/);
    isRefused('', /no Authorization header/);
    for (const header of ['pw_known', 'Bearer', 'Bearer ', 'Basic pw_known', 'Bearer a b', 'Bearer ä']) {
      isRefused(header, /must be 'Bearer <token>'/);
    }
  });

  it('refuses an unknown token without repeating it', () => {
    isRefused('Bearer pw_other', /^this token is not known/);
  });

  it('refuses a token from the moment at which it expires', () => {
    time = 1999;
    authenticate('Bearer pw_known');
    time = 2000;
    isRefused('Bearer pw_known', /expired at 1970-01-01T00:00:02.000Z/);
  });

  it('knows no operator where none is configured', () => {
    const strict = createAuthenticate({
      tokenByHash: () => undefined,
      operatorToken: undefined,
      now: () => 0,
    });
    assert.throws(() => strict('Bearer undefined'), PitwallError);
  });
});

describe('a scope', () => {
  const as = (...scopes: ('read' | 'write' | 'admin')[]) => ({ tokenId: 'a1', workspace: 'racing', scopes });

  it('allows what it names; admin includes the others', () => {
    requireScope(as('read'), 'read');
    requireScope(as('read', 'write'), 'write');
    requireScope(as('admin'), 'read');
    requireScope(as('admin'), 'write');
  });

  it('refuses what it does not name with 403', () => {
    const isForbidden = (error: unknown) => error instanceof PitwallError && error.status === 403;
    assert.throws(() => requireScope(as('read'), 'write'), isForbidden);
    assert.throws(() => requireScope(as('write'), 'read'), isForbidden);
    assert.throws(() => requireScope(as('read', 'write'), 'admin'), isForbidden);
    assert.throws(() => requireScope(as(), 'read'), isForbidden);
  });
});

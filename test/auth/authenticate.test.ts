import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuthenticate, requireScope } from '../../src/auth/authenticate.ts';
import { hashToken } from '../../src/auth/token.ts';
import type { TokenRecord, WorkspaceRecord } from '../../src/domain/principal.ts';
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
const noShares = { document: () => undefined, workspaces: () => [] };
const racing: WorkspaceRecord = { name: 'racing', createdAt: 0 };
const authenticate = createAuthenticate({
  catalog: {
    tokenByHash: (hash) => (hash === record.hash ? record : undefined),
    workspace: () => racing,
    refresh: () => undefined,
    ...noShares,
  },
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
      assert.deepEqual(principal, { tokenId: 'a1', workspace: 'racing', scopes: ['read'], expires: 2000 });
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

  it('refuses a header that is longer than any token, unread', () => {
    isRefused(`Bearer ${'x'.repeat(2048)}`, /2048 characters at most/);
    isRefused(`Bearer pw_known${' '.repeat(2048)}`, /2048 characters at most/);
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
      catalog: {
        tokenByHash: () => undefined,
        workspace: () => undefined,
        refresh: () => undefined,
        ...noShares,
      },
      operatorToken: undefined,
      now: () => 0,
    });
    assert.throws(() => strict('Bearer undefined'), PitwallError);
  });
});

describe('authentication where several nodes share the store', () => {
  /** A catalogue that learns of the token, and of its workspace, when it looks; or fails to look. */
  function setUp(failure?: Error) {
    let looks = 0;
    const authenticate = createAuthenticate({
      catalog: {
        ...noShares,
        tokenByHash: (hash) => (looks > 0 && hash === record.hash ? record : undefined),
        workspace: () => (looks > 1 ? racing : undefined),
        async refresh() {
          looks++;
          if (failure !== undefined) throw failure;
        },
      },
      operatorToken: 'operators-own',
      now: () => 0,
    });
    return { authenticate, looks: () => looks };
  }

  it('looks for a token that is not known, and for the workspace of one that is', async () => {
    const { authenticate, looks } = setUp();
    const principal = { tokenId: 'a1', workspace: 'racing', scopes: ['read'], expires: 2000 };
    const first = authenticate('Bearer pw_known');
    assert.ok(first instanceof Promise);
    assert.deepEqual(await first, principal);
    assert.deepEqual(await authenticate('Bearer pw_known'), principal);
    assert.equal(looks(), 2);
    assert.deepEqual(authenticate('Bearer pw_known'), principal, 'now it is known');
    assert.equal(looks(), 2);
  });

  it('refuses one that nobody has made, after it has looked', async () => {
    const { authenticate } = setUp();
    await assert.rejects(
      async () => await authenticate('Bearer pw_other'),
      (error) => error instanceof PitwallError && error.code === 'unauthorized',
    );
  });

  it('says that the store failed, not that the token is wrong, where it cannot look', async () => {
    const { authenticate } = setUp(new PitwallError('storage_failed'));
    await assert.rejects(
      async () => await authenticate('Bearer pw_known'),
      (error) => error instanceof PitwallError && error.code === 'storage_failed',
    );
  });

  it("needs no look for the operator's token, nor for a header that is wrong in itself", () => {
    const { authenticate, looks } = setUp();
    authenticate('Bearer operators-own');
    assert.throws(() => authenticate('pw_known'), PitwallError);
    assert.equal(looks(), 0);
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

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuthenticate } from '../../src/auth/authenticate.ts';
import { operatorProof, operatorTokenId } from '../../src/auth/shares.ts';
import { hashToken } from '../../src/auth/token.ts';
import { documentTable } from '../../src/domain/document.ts';
import type { TokenRecord } from '../../src/domain/principal.ts';
import { type ShareRecord, shareBody } from '../../src/domain/share.ts';
import { viewBody } from '../../src/domain/view.ts';
import { PitwallError } from '../../src/errors.ts';

const shareHash = hashToken('pw_shared');
const maker: TokenRecord = {
  id: 'maker',
  hash: hashToken('pw_maker'),
  workspace: 'racing',
  scopes: ['write'],
  createdAt: 0,
  expires: 5000,
};
const record: ShareRecord = {
  id: 's1',
  view: 'v',
  viewCreatedAt: 10,
  topic: 'cars',
  streamIds: ['a', 'b'],
  maker: 'maker',
  makerHash: maker.hash,
  createdAt: 20,
  expires: 9000,
};

/** A catalogue with a view that was made at a time, and a share of the view of that record. */
function world(share: ShareRecord, viewCreatedAt = 10, operatorToken = 'the-operators-own') {
  const kept = documentTable();
  const state = { time: 1000, tokens: [maker] as readonly TokenRecord[], kept };
  const view = viewBody({ name: 'V', createdAt: viewCreatedAt }, 'null');
  kept.put('racing', { kind: 'view', topic: undefined, id: 'v', body: view, updatedAt: 10 });
  const body = shareBody(share);
  kept.put('racing', { kind: 'share', topic: undefined, id: shareHash, body, updatedAt: 20 });
  const authenticate = createAuthenticate({
    catalog: {
      tokenByHash: (hash) => state.tokens.find((token) => token.hash === hash),
      workspace: (name) => ({ name, createdAt: 0 }),
      workspaces: () => ['default', 'racing'].map((name) => ({ name, createdAt: 0 })),
      document: (workspace, kind, topic, id) => kept.get(workspace, { kind, topic, id }),
      refresh: () => undefined,
    },
    operatorToken,
    now: () => state.time,
  });
  return { state, ask: () => authenticate('Bearer pw_shared') };
}

const isRefused = (ask: () => unknown, detail: RegExp): void => {
  assert.throws(ask, (error) => {
    assert.ok(error instanceof PitwallError);
    assert.equal(error.code, 'unauthorized');
    assert.match(error.message, detail);
    return true;
  });
};

describe('the token of a share', () => {
  it('stands for its streams, without any scope', () => {
    assert.deepEqual(world(record).ask(), {
      tokenId: 's1',
      workspace: 'racing',
      scopes: [],
      expires: 9000,
      share: { view: 'v', topic: 'cars', streamIds: new Set(['a', 'b']) },
    });
  });

  it('ends at its time, and with the end or the revocation of the token that made it', () => {
    const { state, ask } = world({ ...record, expires: 2000 });
    state.time = 1999;
    ask();
    state.time = 2000;
    isRefused(ask, /share expired at/);
    const other = world(record);
    other.state.time = 5000;
    isRefused(other.ask, /the token that made this share has ended/);
    other.state.time = 1000;
    other.state.tokens = [];
    isRefused(other.ask, /the token that made this share has ended/);
  });

  it('ends with its view, also where another of that id has come', () => {
    const { state, ask } = world(record);
    state.kept.remove('racing', { kind: 'view', topic: undefined, id: 'v' });
    isRefused(ask, /the view of this share is gone/);
    isRefused(world(record, 11).ask, /the view of this share is gone/);
  });

  it("ends when the operator's own token, with which it was made, becomes another one", () => {
    const own = hashToken('the-operators-own');
    const made = { ...record, maker: operatorTokenId, makerHash: operatorProof(shareHash, own) };
    assert.equal((world(made).ask() as { tokenId: string }).tokenId, 's1');
    isRefused(world(made, 10, 'another-token-of-theirs').ask, /the token that made this share has ended/);
  });
});

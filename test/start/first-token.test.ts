import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashToken } from '../../src/auth/token.ts';
import { createTokenAdmin } from '../../src/auth/token-admin.ts';
import type { TokenRecord } from '../../src/domain/principal.ts';
import { makeFirstToken } from '../../src/start/first-token.ts';
import type { Batch, Store } from '../../src/store/store.ts';

/** What nodes share of their store, as far as tokens go; each node knows what it has looked up or written itself. */
function sharedTokens() {
  const shared = new Map<string, TokenRecord>();

  function node(isShared = true) {
    let known = new Map<string, TokenRecord>();
    const store = {
      async append({ changes }: Batch) {
        for (const change of changes) {
          if (change.type === 'token') shared.set(change.token.id, change.token);
          if (change.type === 'revokeToken') shared.delete(change.id);
        }
        known = new Map(shared);
      },
      catalog: {
        workspace: () => ({ name: 'default', createdAt: 0 }),
        tokens: () => [...known.values()],
        refresh: () =>
          isShared
            ? Promise.resolve().then(() => {
                known = new Map(shared);
              })
            : undefined,
      },
    } as unknown as Store;
    return { store, tokens: createTokenAdmin(store, () => 0) };
  }

  return { shared, node };
}

describe('the first token', () => {
  it('is made at once where the store is not shared, and not again', async () => {
    const { shared, node } = sharedTokens();
    const { store, tokens } = node(false);
    const token = await makeFirstToken(store, tokens, () => assert.fail('nobody else can make one'));
    assert.deepEqual(
      [...shared.values()].map(({ hash, scopes, workspace }) => [hash, scopes, workspace]),
      [[hashToken(token!.token), ['admin'], 'default']],
    );
    assert.equal(await makeFirstToken(store, tokens), undefined);
  });

  it('is one, where several nodes start at once, and that is the one that is shown', async () => {
    const { shared, node } = sharedTokens();
    const count = 5;
    let waiting = 0;
    let release = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const settle = () => {
      waiting++;
      if (waiting === count) release();
      return all;
    };
    const shown = await Promise.all(
      Array.from({ length: count }, () => {
        const { store, tokens } = node();
        return makeFirstToken(store, tokens, settle);
      }),
    );
    const [token, ...more] = shown.filter((made) => made !== undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [...shared.values()].map(({ hash }) => hash),
      [hashToken(token!.token)],
    );
  });

  it('is made anew where it was taken back', async () => {
    const { shared, node } = sharedTokens();
    const { store, tokens } = node(false);
    await (await makeFirstToken(store, tokens))!.takeBack();
    assert.equal(shared.size, 0);
    const { id } = (await makeFirstToken(store, tokens))!;
    assert.deepEqual([...shared.keys()], [id]);
  });

  it('is not made where another node has made any since', async () => {
    const { node } = sharedTokens();
    const other = node();
    const late = node();
    await other.tokens.create(
      { tokenId: 'x', workspace: 'default', scopes: ['admin'] },
      { scopes: ['read'] },
    );
    assert.equal(await makeFirstToken(late.store, late.tokens), undefined);
  });
});

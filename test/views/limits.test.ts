import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createShareAdmin, maxShares } from '../../src/auth/share-admin.ts';
import { hashToken } from '../../src/auth/token.ts';
import { documentTable } from '../../src/domain/document.ts';
import type { Principal, TokenRecord } from '../../src/domain/principal.ts';
import { type ShareRecord, shareBody } from '../../src/domain/share.ts';
import { viewBody } from '../../src/domain/view.ts';
import { PitwallError } from '../../src/errors.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { checkDocumentBytes } from '../../src/views/room.ts';
import { workspaceTurns } from '../../src/views/turns.ts';
import { createViews, maxViews } from '../../src/views/views.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';

const workspace = 'racing';
const always = { ifMatch: undefined, ifNoneMatch: undefined };
const view = { name: 'Laps', topic: 'cars', streamIds: ['lap-7'], state: 'null' };
const folder = storeFolder('view-limits');

async function opened() {
  // All of it fits into memory: nothing waits for a seal.
  const store = await folder.open({ headBytes: 64 << 20, slabBytes: 16 << 20 });
  await store.append({
    workspace: 'default',
    changes: ['racing', 'other'].map(
      (name): Change => ({ type: 'workspace', workspace: { name, createdAt: 1 } }),
    ),
  });
  return { store, turns: workspaceTurns(), now: () => folder.now };
}

const kept = (kind: 'view' | 'share', id: string, body: string): Change => ({
  type: 'keep',
  kind,
  topic: undefined,
  id,
  body,
});

/** A view, and what makes shares of it. */
async function sharing() {
  const { store, turns, now } = await opened();
  const views = createViews(store, turns, now);
  const shares = createShareAdmin({ store, views, turns, now, operatorToken: undefined });
  const token: TokenRecord = {
    id: 'maker',
    hash: hashToken('pw_maker'),
    workspace,
    scopes: ['write'],
    createdAt: 1,
  };
  const maker: Principal = { tokenId: token.id, workspace, scopes: token.scopes };
  await store.append({ workspace, changes: [{ type: 'token', token }] });
  const createdAt = now();
  await views.put(workspace, 'laps', view, always);
  const record = (id: string, expires: number, streamIds: readonly string[]): ShareRecord => ({
    id,
    view: 'laps',
    viewCreatedAt: createdAt,
    topic: 'cars',
    streamIds,
    maker: token.id,
    makerHash: token.hash,
    createdAt,
    expires,
  });
  const share = (id: string, expires: number, streamIds: readonly string[] = ['lap-7']) =>
    kept('share', hashToken(`pw_${id}`), shareBody(record(id, expires, streamIds)));
  return { store, shares, maker, share, createdAt };
}

/** Keeps many documents, a thousand in a batch. */
async function keepAll(store: Store, changes: readonly Change[]): Promise<void> {
  for (let from = 0; from < changes.length; from += 1000) {
    for (let full = store.room(); full !== undefined; full = store.room()) await full;
    await store.append({ workspace, changes: changes.slice(from, from + 1000) });
  }
}

const isTooMany = (message: RegExp) => (error: unknown) =>
  error instanceof PitwallError && error.code === 'too_many_views' && message.test(error.message);

describe('a workspace', () => {
  it('does not come back by a view that comes late', async () => {
    const { store, turns, now } = await opened();
    const views = createViews(store, turns, now);
    await store.append({ workspace: 'default', changes: [{ type: 'removeWorkspace', name: workspace }] });
    const isForbidden = (error: unknown) => error instanceof PitwallError && error.code === 'forbidden';
    await assert.rejects(views.put(workspace, 'late', view, always), isForbidden);
    assert.deepEqual(store.catalog.documents(workspace, 'view'), []);
  });

  it('has 10,000 views at most', async () => {
    const { store, turns, now } = await opened();
    const views = createViews(store, turns, now);
    const body = viewBody({ ...view, createdAt: 1 }, 'null');
    await keepAll(
      store,
      Array.from({ length: 9_999 }, (_, i) => kept('view', `v${i}`, body)),
    );
    await views.put(workspace, 'last', view, always);
    assert.equal((await views.list(workspace)).length, maxViews);
    const refused = isTooMany(/^the workspace 'racing' has 10000 views; delete some first$/);
    await assert.rejects(views.put(workspace, 'more', view, always), refused);
    // One that is there may change, and other workspaces have their own.
    await views.put(workspace, 'v0', { ...view, name: 'Changed' }, always);
    await views.put('other', 'more', view, always);
    await views.remove(workspace, 'v1', always);
    await views.put(workspace, 'more', view, always);
    await assert.rejects(views.put(workspace, 'v1', view, always), refused);
    assert.equal((await views.list(workspace)).length, maxViews);
  });

  it('has 1,000 shares at most, of those that have not ended', async () => {
    const { store, shares, maker, share, createdAt } = await sharing();
    const running = Array.from({ length: 999 }, (_, i) => share(`s${i}`, createdAt + 60_000));
    const ended = Array.from({ length: 5 }, (_, i) => share(`e${i}`, createdAt + 1));
    await keepAll(store, [...running, ...ended]);
    folder.now += 2;
    const { record: last } = await shares.create(maker, 'laps', {});
    assert.equal((await shares.list(maker, 'laps')).length, maxShares);
    await assert.rejects(
      shares.create(maker, 'laps', {}),
      isTooMany(/^the workspace 'racing' has 1000 shares; revoke some first$/),
    );
    await shares.revoke(maker, 'laps', last.id);
    await shares.create(maker, 'laps', {});
    assert.equal(store.catalog.documents(workspace, 'share').length, maxShares);
  });

  it('keeps shares that a clock took for ended which was ahead, and is set back', async () => {
    const { store, shares, maker, share, createdAt } = await sharing();
    await keepAll(store, [share('before', createdAt + 60_000)]);
    folder.now += 86_400_000;
    const { record } = await shares.create(maker, 'laps', {});
    assert.deepEqual(await shares.list(maker, 'laps'), [record]);
    folder.now -= 86_400_000;
    const ids = (await shares.list(maker, 'laps')).map(({ id }) => id);
    assert.deepEqual(ids, ['before', record.id]);
  });

  it('has room for a share where others that have ended are all that there is', async () => {
    const { store, shares, maker, share, createdAt } = await sharing();
    const long = ['x'.repeat(2 ** 20)];
    for (let i = 0; i < 64; i++) await keepAll(store, [share(`s${i}`, createdAt + 1, long)]);
    await assert.rejects(shares.create(maker, 'laps', {}), isTooMany(/delete some first$/));
    folder.now += 2;
    const { record } = await shares.create(maker, 'laps', {});
    assert.deepEqual(await shares.list(maker, 'laps'), [record]);
    assert.equal(store.catalog.documents(workspace, 'share').length, 1);
  });

  it('has 64 Mi characters of views and shares at most', () => {
    const table = documentTable();
    const put = (kind: 'view' | 'share', id: string, body: string) =>
      table.put(workspace, { kind, topic: undefined, id, body, updatedAt: 1 });
    const catalog = { documents: table.list };
    const half = 'x'.repeat(32 * 2 ** 20);
    put('view', 'v', half);
    checkDocumentBytes(catalog, workspace, half.length);
    put('share', 's', half.slice(0, -1));
    checkDocumentBytes(catalog, workspace, 1);
    assert.throws(
      () => checkDocumentBytes(catalog, workspace, 2),
      isTooMany(
        /^the views and shares of the workspace 'racing' have 67108863 characters of 67108864; delete some first$/,
      ),
    );
    checkDocumentBytes(catalog, 'other', half.length);
    // What becomes shorter may do so, however much there is.
    checkDocumentBytes(catalog, workspace, -1);
  });
});

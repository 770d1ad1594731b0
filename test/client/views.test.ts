import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, RequestError } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('views and shares of the client', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const content = {
    name: 'Laps',
    topic: 'cars',
    streamIds: ['lap/1', 'lap-2'],
    state: { plots: [['Speed']], zoom: null },
  };
  const refusal = async (asked: Promise<unknown>): Promise<string | undefined> => {
    const error = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof RequestError);
    return error.code;
  };

  it('are kept, changed as they were read, and removed', async () => {
    const made = await client.putView('a view/ü', content);
    assert.deepEqual(await client.view('a view/ü'), made);
    const { etag, createdAt, updatedAt, ...rest } = made;
    assert.deepEqual(rest, { id: 'a view/ü', ...content });
    assert.ok(Date.parse(createdAt) <= Date.parse(updatedAt));
    const renamed = { ...made, name: 'Renamed' };
    const again = await client.putView('a view/ü', renamed, { ifMatch: etag });
    assert.deepEqual({ ...again, updatedAt, etag }, renamed);
    const changed = await client.putView('a view/ü', { name: 'Other' }, { ifMatch: again.etag });
    assert.notEqual(changed.etag, etag);
    assert.equal(
      await refusal(client.putView('a view/ü', content, { ifMatch: etag })),
      'precondition_failed',
    );
    assert.equal(await refusal(client.deleteView('a view/ü', { ifMatch: etag })), 'precondition_failed');
    await client.putView('b', content);
    assert.deepEqual(
      (await client.views()).map(({ id, state }) => [id, state]),
      [
        ['a view/ü', null],
        ['b', content.state],
      ],
    );
    assert.deepEqual(
      (await client.views({ topic: 'CARS' })).map(({ id }) => id),
      ['b'],
    );
    await client.deleteView('a view/ü', { ifMatch: changed.etag });
    assert.equal(await refusal(client.view('a view/ü')), 'view_not_found');
  });

  it('are refused with a property that no view has, whose value would be lost', async () => {
    const typed = { name: 'Typed', steamIds: ['a'] };
    await assert.rejects(client.putView('typed', typed), /unknown property 'steamIds'|steamIds/);
    assert.equal(await refusal(client.view('typed')), 'view_not_found');
  });

  it('open the streams of a view to whoever has the link, until it is revoked', async () => {
    for (const id of ['lap/1', 'lap-2', 'lap-3'])
      await client.writeParameterData('cars', id, { timestamps: [1n], numericValues: { Speed: [1] } });
    await client.putView('shared', content);
    const expires = new Date(Date.now() + 60_000);
    const share = await client.share('shared', { expires });
    assert.equal(share.expires, expires.toISOString());
    const link = new URL(share.url);
    assert.equal(link.origin, url);
    const fragment = new URLSearchParams(link.hash.slice(1));
    assert.deepEqual([fragment.get('view'), fragment.get('token')], ['shared', share.token]);
    const guest = createClient({ url, token: share.token });
    assert.deepEqual((await guest.streams()).map(({ streamId }) => streamId).sort(), ['lap-2', 'lap/1']);
    assert.deepEqual((await guest.view('shared')).state, content.state);
    assert.equal(await refusal(guest.views()), 'forbidden');
    const { token: _token, url: _url, ...listed } = share;
    assert.deepEqual(await client.shares('shared'), [listed]);
    assert.equal(await client.revokeShares('shared', share.id), 1);
    assert.equal(await refusal(guest.streams()), 'unauthorized');
    await client.share('shared');
    await client.share('shared');
    assert.equal(await client.revokeShares('shared'), 2);
    assert.deepEqual(await client.shares('shared'), []);
  });
});

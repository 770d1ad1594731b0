import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { adminToken, run, send, startService, temporaryFolder } from './service.ts';
import { makePlace, makeToken, type Place } from './share-world.ts';

const view = {
  name: 'Laps',
  topic: 'cars',
  streamIds: ['lap-7'],
  state: { plots: [['Speed']], digits: 0.1 },
};

/** Writes a run, and makes a view of it and a share. Gives the token of the share. */
async function sharedView({ ask, admin }: Pick<Place, 'ask' | 'admin'>): Promise<string> {
  const rows = { timestamps: [1], numericValues: { Speed: [213.4] } };
  const asked = [
    await ask('POST', '/topics/cars/streams/lap-7/parameters/data', rows, admin),
    await ask('PUT', '/views/laps', view, admin),
    await ask('POST', '/views/laps/share', {}, admin),
  ];
  for (const { status, text } of asked) assert.equal(status, 200, text);
  return (JSON.parse(asked[2]!.text) as { token: string }).token;
}

describe('views and shares', () => {
  it('come back from a backup: a link opens in the restored service, and one that was revoked does not', async () => {
    const folder = temporaryFolder();
    const service = await startService();
    const place = await makePlace(service, 'racing');
    const kept = await sharedView(place);
    const { ask, admin } = place;
    const second = await ask('POST', '/views/laps/share', {}, admin);
    const { id, token: revoked } = JSON.parse(second.text) as { id: string; token: string };
    assert.equal((await ask('DELETE', `/views/laps/shares/${id}`, undefined, admin)).status, 200);
    const before = await ask('GET', '/views/laps', undefined, admin);

    const file = join(folder, 'views.tar');
    const saved = await run(['backup', file], { PITWALL_URL: service.url, PITWALL_TOKEN: adminToken });
    assert.equal(saved.code, 0, saved.stderr);
    // What comes after the backup is not in it.
    assert.equal((await ask('DELETE', '/views/laps', undefined, admin)).status, 200);
    const dataDir = join(folder, 'restored');
    assert.equal((await run(['restore', file, '--data-dir', dataDir])).code, 0);
    const copy = await startService({ dataDir });

    const after = await send(copy.url, '/views/laps', { token: admin });
    assert.equal(after.text, before.text);
    assert.equal(after.headers['etag'], before.headers['etag']);
    const read = (token: string, path: string) => send(copy.url, path, { token });
    const [shared] = (await send(copy.url, '/streams', { body: '{}', token: kept })).json<
      { streamId: string }[]
    >();
    assert.equal(shared?.streamId, 'lap-7');
    assert.equal((await read(kept, '/views/laps')).status, 200);
    assert.equal((await read(revoked, '/views/laps')).status, 401);
    // The service that was saved has neither.
    assert.equal((await send(service.url, '/views/laps', { token: kept })).status, 401);
  });

  it('go with their workspace, and one of the same name begins without them', async () => {
    const dataDir = temporaryFolder();
    let service = await startService({ dataDir });
    const { ask, admin, workspace } = await makePlace(service, 'racing');
    const share = await sharedView({ ask, admin });
    const other = await makePlace(service, 'other');
    const theirs = await sharedView(other);
    assert.equal((await ask('DELETE', `/admin/workspaces/${workspace}`)).status, 200);
    for (const token of [share, admin])
      assert.equal((await ask('GET', '/views/laps', undefined, token)).status, 401);

    const again = await makePlace(service, workspace);
    const isEmpty = async (token: string) => {
      assert.equal((await send(service.url, '/views', { token })).text, '[]');
      assert.equal((await send(service.url, '/views/laps', { token })).status, 404);
      assert.equal((await send(service.url, '/views/laps', { token: share })).status, 401);
    };
    await isEmpty(again.admin);
    // A view of the same id is not the one that was shared.
    const writer = await makeToken(again, ['write']);
    assert.equal((await again.ask('PUT', '/views/laps', view, writer)).status, 200);
    assert.equal((await send(service.url, '/views/laps', { token: share })).status, 401);
    assert.deepEqual(JSON.parse((await again.ask('GET', '/views/laps/shares', undefined, writer)).text), []);
    assert.equal((await again.ask('DELETE', '/views/laps', undefined, writer)).status, 200);

    await service.stop('SIGKILL');
    service = await startService({ dataDir });
    await isEmpty(again.admin);
    assert.equal((await send(service.url, '/views/laps', { token: theirs })).status, 200);
  });
});

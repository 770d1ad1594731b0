import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, createClient, RequestError } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('a request that is sent again because its answer was lost', async () => {
  const { url } = await startService();
  const plain = createClient({ url, token: adminToken });

  /** A client that loses the next answer that is asked for with `method`; the service has done what it was asked for. */
  const losing = (method: string, between: () => Promise<unknown> = async () => undefined): Client => {
    let isLost = false;
    return createClient({
      url,
      token: adminToken,
      retry: { firstDelayMs: 1 },
      async fetch(address, init) {
        const response = await fetch(address, init);
        if (isLost || init?.method !== method) return response;
        isLost = true;
        await response.text();
        await between();
        throw new TypeError('fetch failed');
      },
    });
  };
  const failed = (code: string) => (error: unknown) => error instanceof RequestError && error.code === code;

  it('keeps a view once, whose tag it had to have', async () => {
    const { etag } = await plain.putView('laps', { name: 'Laps' });
    const content = {
      name: 'Laps',
      topic: 'Cars',
      streamIds: ['b', 'a', 'b'],
      state: { z: [-0, 1n], a: null },
    };
    const kept = await losing('PUT').putView('laps', content, { ifMatch: etag });
    assert.notEqual(kept.etag, etag);
    assert.deepEqual(await plain.view('laps'), kept);
    // The tag is that of the view that is there.
    await plain.putView('laps', kept, { ifMatch: kept.etag });
  });

  it('makes a view that must not be there', async () => {
    const options = { headers: { 'if-none-match': '*' } };
    assert.equal((await losing('PUT').putView('new', { name: 'New' }, options)).name, 'New');
    await assert.rejects(plain.putView('new', { name: 'New' }, options), failed('precondition_failed'));
  });

  it('tells that another has changed the view meanwhile', async () => {
    const { etag } = await plain.putView('contested', { name: 'Mine' });
    const contested = losing('PUT', () => plain.putView('contested', { name: 'Theirs' }));
    const put = contested.putView('contested', { name: 'Mine again' }, { ifMatch: etag });
    await assert.rejects(put, failed('precondition_failed'));
    const removed = losing('PUT', () => plain.deleteView('contested'));
    const { etag: theirs } = await plain.view('contested');
    await assert.rejects(
      removed.putView('contested', { name: 'x' }, { ifMatch: theirs }),
      failed('precondition_failed'),
    );
  });

  it('takes away what is there, once', async () => {
    await plain.putView('gone', { name: 'Gone', topic: 'cars', streamIds: ['a'] });
    const { id } = await plain.share('gone');
    assert.equal(await losing('DELETE').revokeShares('gone', id), 1);
    await losing('DELETE').deleteView('gone');
    const { etag } = await plain.putView('gone', { name: 'Gone' });
    await losing('DELETE').deleteView('gone', { ifMatch: etag });
    await assert.rejects(losing('GET').deleteView('gone'), failed('view_not_found'));
    await plain.defineCalculated('cars', [{ id: 'Half', expression: 'Speed / 2' }]);
    await losing('DELETE').removeCalculated('cars', 'Half');
    await plain.putAlertRule('cars', 'fast', { expression: 'Speed > 1' });
    await losing('DELETE').removeAlertRule('cars', 'fast');
    await assert.rejects(plain.removeAlertRule('cars', 'fast'), failed('alert_not_found'));
  });

  it('leaves a view that another has changed', async () => {
    const { etag } = await plain.putView('stays', { name: 'Stays' });
    const changing = losing('DELETE', () => plain.putView('stays', { name: 'Theirs' }));
    await assert.rejects(changing.deleteView('stays', { ifMatch: etag }), failed('precondition_failed'));
    assert.equal((await plain.view('stays')).name, 'Theirs');
  });
});

describe('the time after which a service asks to be tried again', () => {
  /** What a client takes from an answer with these headers. */
  const retryAfter = async (headers: Record<string, string>): Promise<number | undefined> => {
    const client = createClient({
      url: 'http://127.0.0.1:1',
      token: adminToken,
      retry: { attempts: 1 },
      fetch: async () => new Response('busy', { status: 503, headers }),
    });
    const error: unknown = await client.topics().catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    return error.retryAfter;
  };

  it('is a number of seconds, or a date on its clock', async () => {
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
    assert.equal(await retryAfter({ 'retry-after': '7' }), 7);
    assert.equal(await retryAfter({ date, 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' }), 30);
    assert.equal(await retryAfter({ date, 'retry-after': 'Wed, 21 Oct 2015 07:27:00 GMT' }), 0);
    assert.equal(await retryAfter({ 'retry-after': date }), 0);
    const soon = await retryAfter({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
    assert.ok(soon !== undefined && soon > 3000 && soon <= 3600, String(soon));
    for (const odd of ['', 'soon', '-']) assert.equal(await retryAfter({ 'retry-after': odd }), undefined);
    assert.equal(await retryAfter({}), undefined);
  });

  it('is waited for however long it is', async () => {
    let sent = 0;
    const stop = new AbortController();
    const client = createClient({
      url: 'http://127.0.0.1:1',
      token: adminToken,
      fetch: async () => {
        if (++sent === 2) stop.abort(new Error('asked again'));
        return new Response('busy', { status: 503, headers: { 'retry-after': '3000000' } });
      },
    });
    const asking = client.topics({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error('left')), 200);
    await assert.rejects(asking, /^Error: left$/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, RequestError } from '../../src/client/client.ts';
import { adminToken, startService, temporaryFolder } from '../e2e/service.ts';

describe('live data for who is not admitted', async () => {
  const dataDir = temporaryFolder();
  let service = await startService({ dataDir });

  it('ends with the reason, and begins anew with a token that is good', async () => {
    let token = 'pw_of-another-service';
    const live = createClient({ url: service.url, token: () => token }).live({ retry: { firstDelayMs: 1 } });
    const refused = live.parameterData({ topic: 'cars' });
    await assert.rejects(refused.next(), (error: unknown) => {
      return error instanceof RequestError && error.status === 401 && error.code === 'unauthorized';
    });
    token = adminToken;
    const connected = new Promise<void>((resolve) => live.onConnection((now) => now && resolve()));
    const rows = live.parameterData({ topic: 'cars' });
    await connected;
    const client = createClient({ url: service.url, token });
    await client.writeParameterData('cars', 's', { timestamps: [1n], numericValues: { Speed: [1] } });
    assert.deepEqual((await rows.next()).value?.timestamps, [1n]);
    await live.close();
  });

  it('ends where the token is revoked while the service is away', async () => {
    let token = adminToken;
    const live = createClient({ url: service.url, token: () => token }).live({
      retry: { firstDelayMs: 5, longestDelayMs: 50 },
    });
    const connected = new Promise<void>((resolve) => live.onConnection((now) => now && resolve()));
    const rows = live.parameterData({ topic: 'cars' });
    await connected;
    token = 'pw_revoked';
    const { port } = new URL(service.url);
    await service.stop();
    service = await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await assert.rejects(rows.next(), (error: unknown) => {
      return error instanceof RequestError && error.status === 401;
    });
    await live.close();
  });

  it('ends where no header takes the token', async () => {
    const live = createClient({ url: service.url, token: 'a b' }).live();
    await assert.rejects(live.events({ topic: 'cars' }).next(), /the token has a space/);
    await live.close();
  });

  it('goes on in the other spelling of a topic when one ends', async (test) => {
    const client = createClient({ url: service.url, token: adminToken });
    const live = client.live();
    test.after(() => live.close());
    const connected = new Promise<void>((resolve) => live.onConnection((now) => now && resolve()));
    const small = live.parameterData({ topic: 'spelling' });
    const large = live.parameterData({ topic: 'SPELLING' });
    const events = live.events({ topic: 'spelling' });
    await connected;
    await large.return?.();
    // An answer to a later call of the same connection: the hub has taken the end of the other.
    const metrics = live.topicMetrics('spelling');
    await client.writeEvents('spelling', 's', [{ id: 'e', timestamp: 1n }]);
    await events.next();
    await metrics.return?.();
    await client.writeParameterData('spelling', 's', { timestamps: [7n], numericValues: { v: [1] } });
    await client.writeEvents('spelling', 's', [{ id: 'e', timestamp: 8n }]);
    await events.next();
    const none = Symbol('none');
    const first = await Promise.race([small.next(), new Promise((resolve) => setImmediate(resolve, none))]);
    assert.notEqual(first, none);
  });
});

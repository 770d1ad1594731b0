import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken } from '../e2e/service.ts';

describe('a call with a signal', () => {
  const url = 'http://127.0.0.1:1';

  it('stops with the reason of its signal', async () => {
    const controller = new AbortController();
    const client = createClient({ url, token: adminToken });
    const reading = client.streams({}, { signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await assert.rejects(reading, /the page was left/);
  });

  it('stops where the token never comes, too', async () => {
    const controller = new AbortController();
    const client = createClient({ url, token: () => new Promise<string>(() => undefined) });
    const reading = client.topics({ signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await assert.rejects(reading, /the page was left/);
    await assert.rejects(client.topics({ signal: controller.signal }), /the page was left/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type RequestError } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('a token that is not valid any more', async () => {
  const { url } = await startService();
  const old = `pw_${'0'.repeat(43)}`;

  /** A client with a function that gives these tokens, the last one from then on, and counts its requests. */
  const withTokens = (...tokens: string[]) => {
    const counted = { requests: 0 };
    const client = createClient({
      url,
      token: () => (tokens.length > 1 ? tokens.shift()! : tokens[0]!),
      fetch: (...args) => {
        counted.requests++;
        return fetch(...args);
      },
    });
    return { client, counted };
  };

  it('is asked for once more, and no row is refused', async () => {
    const { client, counted } = withTokens(old, adminToken);
    const writer = client.writer('cars');
    await writer.write('s', { timestamp: 1n, numeric: { Speed: 1 } });
    await writer.close();
    assert.equal(counted.requests, 2);
    assert.equal((await client.streams({ topic: 'cars' })).length, 1);
  });

  it('is told where there is no other', async () => {
    for (const [tokens, most] of [
      [[old], 1],
      [[old, `${old}1`, `${old}2`], 2],
    ] as const) {
      const { client, counted } = withTokens(...tokens);
      await assert.rejects(client.topics(), ({ status }: RequestError) => status === 401);
      assert.equal(counted.requests, most);
    }
  });
});

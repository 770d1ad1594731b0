import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, describe, it } from 'node:test';
import { adminToken, isOnClickHouse, type Sent, send, startService } from './service.ts';

/**
 * What a request leaves in the memory that only a full collection frees. It grows by much where each of them makes a shape of
 * its own (CONTRIBUTING.md, "Code"): then that shape holds the request, too.
 */

const service = await startService();
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(() => agent.destroy());

/** The lane leaves what has an Origin to the framework. */
const throughFramework = { origin: 'http://a' };

async function oldBytes(): Promise<number> {
  const { text } = await send(service.url, '/metrics', { token: adminToken });
  const found = [...text.matchAll(/^nodejs_heap_space_size_used_bytes\{space="(\w+)"\} (\S+)$/gm)];
  assert.ok(found.length > 0, text);
  return found.reduce((sum, [, space, bytes]) => (space!.startsWith('new') ? sum : sum + Number(bytes)), 0);
}

const rounds = 9;
const ofRound = 800;

/** Bytes of a request: the median of some rounds, for in one of them there may be a full collection. */
async function keptOfEach(path: string, sent: Sent): Promise<number> {
  const ask = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const { status, text } = await send(service.url, path, { ...sent, agent });
      assert.equal(status, 200, text);
    }
  };
  // Until the engine has compiled what it runs.
  await ask(3000);
  const grown: number[] = [];
  let before = await oldBytes();
  for (let round = 0; round < rounds; round++) {
    await ask(ofRound);
    const now = await oldBytes();
    grown.push((now - before) / ofRound);
    before = now;
  }
  return grown.sort((a, b) => a - b)[rounds >> 1]!;
}

describe('a request that is answered', () => {
  it('leaves next to nothing', async () => {
    const kept = await keptOfEach('/healthz', {});
    assert.ok(kept < 1500, `${kept} bytes of each`);
  });

  // The client of ClickHouse has its own.
  it('leaves little where it asks for rows', { skip: isOnClickHouse }, async () => {
    const rows = '{"timestamps":[1,2,3],"numericValues":{"Speed":[1,2,3]}}';
    await send(service.url, '/topics/t/streams/s/parameters/data', { body: rows });
    const body = JSON.stringify({ streamIds: ['s'], numericParameters: [{ parameterName: 'Speed' }] });
    const kept = await keptOfEach('/parameters/data', { body, headers: throughFramework });
    assert.ok(kept < 4000, `${kept} bytes of each`);
  });
});

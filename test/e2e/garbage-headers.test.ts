import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { describe, it } from 'node:test';
import { adminToken, send, startService } from './service.ts';

describe('a flood of Authorization headers that show no token', () => {
  it('is not kept', async () => {
    // Less than the headers take together.
    const env = { PITWALL_TOKEN: adminToken, NODE_OPTIONS: '--max-old-space-size=96' };
    const { url, child } = await startService({ env });
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const ask = async (from: number): Promise<void> => {
      for (let i = from; i < 1000; i += 8) {
        const token = `${i}${'x'.repeat(120_000)}`;
        const { status } = await send(url, '/streams', { method: 'POST', token, agent });
        assert.equal(status, 401);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, from) => ask(from)));
    agent.destroy();
    assert.equal((await send(url, '/streams', { method: 'POST' })).status, 200);
    assert.equal(child.exitCode, null);
  });
});

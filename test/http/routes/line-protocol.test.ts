import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/http/route.ts';
import { lineProtocol } from '../../../src/http/routes/line-protocol.ts';
import type { Writer } from '../../../src/ingest/writer.ts';

describe('GET /health', () => {
  for (const { writable, problems, status, answer } of [
    { writable: true, problems: [], status: 200, answer: { message: 'ready for writes', status: 'pass' } },
    {
      writable: false,
      problems: ['the disk is full', 'a part is damaged'],
      status: 503,
      answer: { message: 'the disk is full; a part is damaged', status: 'fail' },
    },
  ]) {
    it(`says ${answer.status} where the store ${writable ? 'takes' : 'does not take'} writes`, async () => {
      const routes = lineProtocol(
        {} as Writer,
        { health: () => ({ writable, problems, headBytes: 0, parts: 0 }) },
        [],
      );
      const reply = await routes.find(({ path }) => path === '/health')!.handle({} as Call);
      assert.equal(reply.status ?? 200, status);
      assert.deepEqual(JSON.parse(reply.body!), { name: 'pitwall', checks: [], ...answer });
    });
  }
});

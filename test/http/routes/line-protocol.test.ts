import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/http/route.ts';
import { lineServices } from '../../../src/http/routes/line-services.ts';

describe('GET /health', () => {
  const problems = ['the disk is full', 'parts/1.part is damaged'];
  for (const { who, isOperator, writable, problems: told, status, answer } of [
    {
      who: 'anyone',
      isOperator: false,
      writable: true,
      problems: [],
      status: 200,
      answer: { message: 'ready for writes', status: 'pass' },
    },
    {
      who: 'an operator',
      isOperator: true,
      writable: false,
      problems,
      status: 503,
      answer: { message: 'the disk is full; parts/1.part is damaged', status: 'fail' },
    },
    {
      who: 'anyone',
      isOperator: false,
      writable: false,
      problems,
      status: 503,
      answer: {
        message: 'there are problems; an admin token of the default workspace is shown which',
        status: 'fail',
      },
    },
  ]) {
    it(`says ${answer.status} to ${who} where the store ${writable ? 'takes' : 'does not take'} writes`, async () => {
      const routes = lineServices({
        health: () => ({ writable, problems: told, headBytes: 0, parts: 0 }),
      });
      const reply = await routes
        .find(({ path }) => path === '/health')!
        .handle({ isOperator: async () => isOperator } as Call);
      assert.equal(reply.status ?? 200, status);
      assert.deepEqual(JSON.parse(reply.body!), { name: 'pitwall', checks: [], ...answer });
    });
  }
});

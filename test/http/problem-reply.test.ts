import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { problemAnswer } from '../../src/http/problem-reply.ts';
import type { createLog } from '../../src/log.ts';

describe('a problem', () => {
  it('of a process that can open no more files is overload, and passes', () => {
    const log = pino({ enabled: false }) as unknown as ReturnType<typeof createLog>;
    for (const code of ['EMFILE', 'ENFILE']) {
      const { status, headers, body } = problemAnswer(Object.assign(new Error(code), { code }), 'r-1', log);
      assert.deepEqual([status, headers], [503, { 'Retry-After': '1' }]);
      const problem = JSON.parse(body) as { code: string; detail: string };
      assert.deepEqual([problem.code, problem.detail], ['overloaded', 'no more files can be opened for now']);
    }
    const { status } = problemAnswer(Object.assign(new Error('EACCES'), { code: 'EACCES' }), 'r-2', log);
    assert.equal(status, 500);
  });
});

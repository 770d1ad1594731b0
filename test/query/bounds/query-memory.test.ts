import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import { forgetThread, queryMemoryPool, queryMemoryUse } from '../../../src/query/bounds/query-memory.ts';

function isRefusal(code: string, bytes: number): (error: unknown) => boolean {
  return (error) =>
    error instanceof PitwallError &&
    error.code === code &&
    error.message.includes(`more than ${bytes} bytes of memory`);
}

describe('the memory of queries', () => {
  it('is one for all threads, and comes back from one that has ended', () => {
    const use = queryMemoryUse(2);
    const main = queryMemoryPool(100, 150, use, 0);
    const thread = queryMemoryPool(100, 150, use, 1);
    const own = main.open();
    const other = thread.open();
    own.take(60);
    other.take(80.5);
    assert.equal(main.usedBytes, 141);
    assert.throws(() => own.take(10), isRefusal('overloaded', 150));
    assert.throws(() => other.take(20), isRefusal('query_too_large', 100));
    assert.equal(thread.usedBytes, 141);
    forgetThread(use, 1);
    assert.equal(main.usedBytes, 60);
    own.take(40);
    own.release();
    own.release();
    assert.equal(main.usedBytes, 0);
  });
});

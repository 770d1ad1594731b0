import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';

describe('the byte budget', () => {
  it('gives bytes up to its limit, over all requests', () => {
    const budget = createByteBudget(100);
    const first = budget.open();
    const second = budget.open();
    first.take(60);
    second.take(40);
    assert.throws(
      () => second.take(1),
      (error) => error instanceof PitwallError && error.code === 'overloaded' && error.retryAfter === 1,
    );
    assert.equal(budget.used, 100);
    first.release();
    second.take(60);
    assert.equal(budget.used, 100);
  });

  it('takes a share back once, however often it is released', () => {
    const budget = createByteBudget(100);
    const share = budget.open();
    share.take(30);
    share.take(10);
    share.release();
    share.release();
    assert.equal(budget.used, 0);
  });

  it('gives nothing to a share that has ended', () => {
    const budget = createByteBudget(100);
    const share = budget.open();
    share.take(30);
    share.end();
    assert.throws(() => share.take(1), /the client left/);
    assert.equal(budget.used, 0);
  });

  it('is not used up by what it refused', () => {
    const budget = createByteBudget(10);
    assert.throws(() => budget.open().take(11));
    assert.equal(budget.used, 0);
  });
});

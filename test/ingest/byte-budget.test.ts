import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { type ByteBudget, createByteBudget, type Owner } from '../../src/ingest/byte-budget.ts';

describe('the byte budget', () => {
  it('gives bytes up to its limit, over all requests', () => {
    const budget = createByteBudget(100);
    const first = budget.open({ workspace: 'a', tokenId: '1' });
    const second = budget.open({ workspace: 'b', tokenId: '2' });
    first.take(60);
    second.take(30);
    assert.throws(
      () => second.take(1),
      (error) => error instanceof PitwallError && error.code === 'overloaded' && error.retryAfter === 1,
    );
    assert.equal(budget.used, 90);
    first.release();
    second.take(70);
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

  it('refuses nothing to whom nothing is asked for, also beyond its share', () => {
    const budget = createByteBudget(100);
    const first = budget.open({ workspace: 'a', tokenId: '1' });
    first.take(60);
    budget.open({ workspace: 'b', tokenId: '2' }).take(30);
    first.take(0);
    assert.equal(budget.used, 90);
  });

  it('is not used up by what it refused', () => {
    const budget = createByteBudget(10);
    assert.throws(() => budget.open().take(11));
    assert.equal(budget.used, 0);
  });

  /** Takes as much as it gets, in requests of `step` bytes. */
  const takeAll = (budget: ByteBudget, owner: Owner, step: number): number => {
    let taken = 0;
    for (;;) {
      try {
        budget.open(owner).take(step);
      } catch {
        return taken;
      }
      taken += step;
    }
  };
  const owner = (workspace: string, tokenId: string): Owner => ({ workspace, tokenId });

  it('leaves a token three quarters, a workspace seven eighths, and others room', () => {
    const budget = createByteBudget(1024);
    assert.equal(takeAll(budget, owner('a', '1'), 1), 768);
    assert.equal(takeAll(budget, owner('a', '2'), 1), 128);
    assert.equal(takeAll(budget, owner('a', '3'), 1), 0);
    assert.equal(takeAll(budget, owner('b', '4'), 1), 96);
    assert.equal(takeAll(budget, owner('c', '5'), 1), 24);
    assert.equal(budget.used, 1016);
  });

  it('lets a request that is alone have all of it', () => {
    const budget = createByteBudget(100);
    const alone = budget.open(owner('a', '1'));
    alone.take(80);
    alone.take(20);
    assert.throws(() => budget.open(owner('b', '2')).take(1));
    alone.release();
    budget.open(owner('a', '1')).take(10);
    assert.throws(() => alone.take(80));
    budget.open(owner('b', '2')).take(20);
  });

  it('gives a share back to those who lent it', () => {
    const budget = createByteBudget(1024);
    const shares = Array.from({ length: 10 }, (_, i) => budget.open(owner('a', String(i % 2))));
    for (let round = 0; round < 3; round++) {
      for (const share of shares) share.take(50);
      for (const share of shares) share.end();
      for (const [i] of shares.entries()) shares[i] = budget.open(owner('a', String(i % 2)));
    }
    assert.equal(budget.used, 0);
    assert.equal(takeAll(budget, owner('a', '1'), 1), 768);
  });
});

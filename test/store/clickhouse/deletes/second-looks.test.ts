import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondLooks } from '../../../../src/store/clickhouse/deletes/second-looks.ts';

describe('second looks', () => {
  it('are made at each of their times, also when one fails', async () => {
    const failures: unknown[] = [];
    const failure = new Error('not now');
    let looks = 0;
    let looked: () => void = () => undefined;
    const twice = new Promise<void>((resolve) => {
      looked = resolve;
    });
    const again = secondLooks((error) => failures.push(error), { afterMs: [1, 20], everyMs: 5 });
    again.plan('rows', async () => {
      if (++looks === 2) looked();
      throw failure;
    });
    const alive = setInterval(() => undefined, 1000);
    await twice;
    clearInterval(alive);
    await again.close();
    assert.deepEqual(failures, [failure, failure]);
  });

  it('of the same at about the same time are one', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const looked: string[] = [];
    const again = secondLooks(assert.ifError, { afterMs: [1], everyMs: 1_000_000 });
    for (const what of ['a', 'b', 'a', 'a', 'b']) {
      again.plan(what, async () => {
        looked.push(what);
      });
    }
    test.mock.timers.tick(2_000_000);
    assert.deepEqual(looked.sort(), ['a', 'b']);
    await again.close();
  });

  it('are forgotten by a close, which waits for one that is under way', async () => {
    let end: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const isUnderWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let ended = false;
    const again = secondLooks(assert.ifError, { afterMs: [1, 1_000_000], everyMs: 1 });
    again.plan('rows', async () => {
      assert.equal(ended, false);
      begun();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      ended = true;
    });
    const alive = setInterval(() => undefined, 1000);
    await isUnderWay;
    clearInterval(alive);
    const closed = again.close();
    end();
    await closed;
    assert.equal(ended, true);
  });
});

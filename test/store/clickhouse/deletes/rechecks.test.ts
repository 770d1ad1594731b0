import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRechecks } from '../../../../src/store/clickhouse/deletes/rechecks.ts';

describe('rechecks', () => {
  it('are made at each of their times, also when one fails', async () => {
    const failures: unknown[] = [];
    const failure = new Error('not now');
    let checks = 0;
    let checkedTwice: () => void = () => undefined;
    const twice = new Promise<void>((resolve) => {
      checkedTwice = resolve;
    });
    const rechecks = createRechecks((error) => failures.push(error), { afterMs: [1, 20], everyMs: 5 });
    rechecks.plan('rows', async () => {
      if (++checks === 2) checkedTwice();
      throw failure;
    });
    const alive = setInterval(() => undefined, 1000);
    await twice;
    clearInterval(alive);
    await rechecks.close();
    assert.deepEqual(failures, [failure, failure]);
  });

  it('of the same at about the same time are one', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const checked: string[] = [];
    const rechecks = createRechecks(assert.ifError, { afterMs: [1], everyMs: 1_000_000 });
    for (const what of ['a', 'b', 'a', 'a', 'b']) {
      rechecks.plan(what, async () => {
        checked.push(what);
      });
    }
    test.mock.timers.tick(2_000_000);
    assert.deepEqual(checked.sort(), ['a', 'b']);
    await rechecks.close();
  });

  it('are forgotten by a close, which waits for one that is under way', async () => {
    let end: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const isUnderWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let ended = false;
    const rechecks = createRechecks(assert.ifError, { afterMs: [1, 1_000_000], everyMs: 1 });
    rechecks.plan('rows', async () => {
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
    const closed = rechecks.close();
    end();
    await closed;
    assert.equal(ended, true);
  });
});

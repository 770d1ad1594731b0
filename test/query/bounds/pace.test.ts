import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { paceQuery, paceReads } from '../../../src/query/bounds/pace.ts';
import { createTurnWatch, type LongTurn } from '../../../src/turns/long-turns.ts';

const never = new AbortController().signal;

describe('the pace of a query', () => {
  let now = 0;
  beforeEach(() => {
    now = 1000;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => mock.restoreAll());

  it('gives up the thread when it has had it for a slice, and the wait for it does not count', async () => {
    const { pace } = paceQuery(never, 25, 10);
    for (let slice = 0; slice < 2; slice++) {
      now += 9;
      assert.equal(pace(), undefined);
      now += 3;
      const turn = pace();
      now += 60_000;
      await turn;
    }
    now += 2;
    assert.equal(pace(), undefined);
  });

  it('names its own work in a turn that is long, not the time that its client took', async () => {
    const turns: LongTurn[] = [];
    const watch = createTurnWatch((turn) => turns.push(turn), performance.now);
    const { pace, pause, restart } = paceQuery(never, 1000, 10);
    now += 4;
    pause();
    // Meanwhile other work has the thread, and the client takes its rows after it.
    watch.tick();
    now += 30_000;
    watch.tick();
    watch.tick();
    turns.length = 0;
    now += 70;
    restart();
    now += 5;
    await pace();
    watch.tick();
    watch.tick();
    assert.deepEqual(turns, [{ ms: 75, work: 'other', parts: { query: 5 } }]);
  });

  it('ends when the slices together are longer than it may take', async () => {
    const { pace } = paceQuery(never, 25, 10);
    for (let slice = 0; slice < 2; slice++) {
      now += 12;
      await pace();
    }
    now += 12;
    assert.throws(pace, {
      code: 'query_too_slow',
      status: 400,
      message:
        'the query would work for more than 0.025 s without rows to give; ask for less time, fewer streams or parameters, or wider buckets',
    });
  });

  it('knows a limit that is shorter than a slice', async () => {
    const { pace } = paceQuery(never, 1);
    assert.equal(pace(), undefined);
    now += 2;
    assert.throws(pace, { code: 'query_too_slow' });
  });

  it('begins to count anew with rows, without what their reader took, and still gives up the thread', async () => {
    const { pace, restart } = paceQuery(never, 25, 10);
    for (let block = 0; block < 100; block++) {
      now += 8;
      assert.equal(pace(), undefined);
      now += 60_000;
      restart();
      now += 8;
      const turn = pace();
      assert.ok(turn !== undefined);
      await turn;
    }
    for (let slice = 0; slice < 2; slice++) {
      now += 12;
      if (slice === 1) assert.throws(pace, { code: 'query_too_slow' });
      else await pace();
    }
  });

  it('has no end where nobody waits', async () => {
    const pace = paceReads(never);
    for (let slice = 0; slice < 100; slice++) {
      now += 1e9;
      await pace();
    }
  });

  it('ends with the reason of its signal', () => {
    const reason = new Error('the client left');
    assert.throws(paceQuery(AbortSignal.abort(reason), 1000).pace, reason);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rolling } from '../../../web/src/live/rolling.ts';
import { longestSilence } from '../../../web/src/live/silence.ts';

const second = 1_000_000_000n;
const stream = { topic: 't', streamId: 's' };

/** Rows so many seconds apart, as they are seen in the last minutes. */
function seen(apart: number, count: number, minutes = 60) {
  const rows = rolling([stream], { numbers: ['a', 'b'], texts: [] });
  const timestamps = Array.from({ length: count }, (_, i) => BigInt(i * apart) * second);
  rows.add(stream, { timestamps, numericValues: { a: timestamps.map(() => 1) } });
  return rows.window(BigInt(minutes * 60) * second, 1000);
}

const news = (pauseMs: number) => ({ newest: 0n, arrivedAt: 0, pauseMs, ahead: 0 });

describe('how long nothing may come', () => {
  it('is some usual spacings of the rows, at least five seconds', () => {
    assert.equal(longestSilence(seen(1, 100), news(0)), 5000);
    assert.equal(longestSilence(seen(60, 10), news(0)), 300_000);
    // As many are seen as there are pixels, or more.
    assert.equal(longestSilence(seen(1, 20_000, 600), news(0)), 5000);
  });

  it('goes by what is seen where a row or none tells the spacing', () => {
    assert.equal(longestSilence(seen(60, 1, 1), news(0)), 120_000);
    assert.equal(longestSilence(undefined, undefined), 5000);
  });

  it('is longer where packages come with pauses', () => {
    assert.equal(longestSilence(seen(1, 100), news(10_000)), 20_000);
  });
});

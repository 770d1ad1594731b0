import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { freeArrays } from '../../../../src/store/embedded/maintenance/free-arrays.ts';

/** Bytes at most that arrays took while so many of 16 KB were made and left, eight between two calls. */
async function mostBytes(free: () => void): Promise<number> {
  const before = getHeapStatistics().external_memory;
  let most = 0;
  for (let round = 0; round < 4000; round++) {
    for (let i = 0; i < 8; i++) new Float64Array(2048);
    free();
    most = Math.max(most, getHeapStatistics().external_memory - before);
    // What was found is freed beside this thread, and counted in a later turn.
    if (round % 20 === 0) await nextTurn();
  }
  return most;
}

describe('arrays that a thread no longer uses', () => {
  it('are given back long before the engine would do so', async () => {
    const freed = await mostBytes(freeArrays);
    assert.ok(freed < 40e6, `${freed} bytes`);
    const left = await mostBytes(() => undefined);
    assert.ok(left > freed, `${left} bytes where nothing is freed, ${freed} where it is`);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batching } from '../../../../src/store/embedded/log/batching.ts';

/** Whether a wait has ended once everything that needs no timer has run. */
async function endsAtOnce(wait: Promise<void>): Promise<boolean> {
  let ended = false;
  wait.then(() => {
    ended = true;
  });
  for (let i = 0; i < 5; i++) await Promise.resolve();
  return ended;
}

describe('batching of records', () => {
  it('never holds up a lone writer, nor three', async () => {
    const batches = batching();
    assert.equal(await endsAtOnce(batches.wait(1)), true);
    batches.settled(3);
    assert.equal(await endsAtOnce(batches.wait(1)), true);
  });

  it('waits for half of what was under way, and no longer', async () => {
    const batches = batching();
    batches.settled(8);
    const wait = batches.wait(1);
    batches.joined(2);
    batches.joined(3);
    assert.equal(await endsAtOnce(wait), false);
    batches.joined(4);
    assert.equal(await endsAtOnce(wait), true);
  });

  it('lets a group commit go when no more records come', async () => {
    const batches = batching();
    batches.settled(1000);
    await batches.wait(1);
  });

  it('forgets a burst', async () => {
    const batches = batching();
    batches.settled(32);
    for (let i = 0; i < 60; i++) batches.settled(1);
    assert.equal(await endsAtOnce(batches.wait(1)), true);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gathering } from '../../../../src/store/embedded/log/gathering.ts';

/** Whether a wait has ended once everything that needs no timer has run. */
async function endsAtOnce(wait: Promise<void>): Promise<boolean> {
  let ended = false;
  wait.then(() => {
    ended = true;
  });
  for (let i = 0; i < 5; i++) await Promise.resolve();
  return ended;
}

describe('gathering a group', () => {
  it('never holds up a lone writer, nor three', async () => {
    const gather = gathering();
    assert.equal(await endsAtOnce(gather.wait(1)), true);
    gather.settled(3);
    assert.equal(await endsAtOnce(gather.wait(1)), true);
  });

  it('waits for half of what was under way, and no longer', async () => {
    const gather = gathering();
    gather.settled(8);
    const wait = gather.wait(1);
    gather.joined(2);
    gather.joined(3);
    assert.equal(await endsAtOnce(wait), false);
    gather.joined(4);
    assert.equal(await endsAtOnce(wait), true);
  });

  it('lets the group go when no company comes', async () => {
    const gather = gathering();
    gather.settled(1000);
    await gather.wait(1);
  });

  it('forgets a burst', async () => {
    const gather = gathering();
    gather.settled(32);
    for (let i = 0; i < 60; i++) gather.settled(1);
    assert.equal(await endsAtOnce(gather.wait(1)), true);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitsEnded, commitQueue } from '../../../../src/store/embedded/catalog/commit-queue.ts';

const failure = (code: string): Error => Object.assign(new Error(`injected ${code}`), { code });
const usable = (): void => undefined;

describe('the queue of commits', () => {
  it('carries them out one after another', async () => {
    const queue = commitQueue(usable);
    const seen: string[] = [];
    const transaction = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
    };
    await Promise.all([queue.commit(transaction('a')), queue.commit(transaction('b'))]);
    assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('goes on after a full disk', async () => {
    const queue = commitQueue(usable);
    await assert.rejects(
      queue.commit(() => Promise.reject(failure('ENOSPC'))),
      { code: 'ENOSPC' },
    );
    await queue.commit(() => Promise.resolve());
  });

  for (const code of ['EIO', 'EROFS', 'MDB_PANIC']) {
    it(`ends with ${code}, and those that wait with it`, async () => {
      const queue = commitQueue(usable);
      let ran = false;
      const first = queue.commit(() => Promise.reject(failure(code)));
      const second = queue.commit(async () => {
        ran = true;
      });
      await assert.rejects(first, CommitsEnded);
      await assert.rejects(second, CommitsEnded);
      assert.equal(ran, false);
      assert.match((await queue.ended).message, new RegExp(`injected ${code}`));
    });
  }

  it('ends where the file takes nothing more after a full disk', async () => {
    let sound = true;
    const queue = commitQueue(() => assert.ok(sound));
    const commit = queue.commit(() => {
      sound = false;
      return Promise.reject(failure('ENOSPC'));
    });
    await assert.rejects(commit, CommitsEnded);
  });

  it('does not try what the file refuses', async () => {
    const queue = commitQueue(() => assert.fail('the environment is of no use'));
    await assert.rejects(
      queue.commit(() => assert.fail('tried')),
      /of no use/,
    );
    await queue.idle();
  });
});

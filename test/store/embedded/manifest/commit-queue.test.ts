import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitsEnded, commitQueue } from '../../../../src/store/embedded/manifest/commit-queue.ts';

const failure = (code: string): Error => Object.assign(new Error(`injected ${code}`), { code });

describe('the queue of commits', () => {
  it('carries them out one after another', async () => {
    const queue = commitQueue();
    const seen: string[] = [];
    const transaction = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
    };
    await Promise.all([queue.commit(transaction('a')), queue.commit(transaction('b'))]);
    assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('goes on behind a full disk', async () => {
    const queue = commitQueue();
    await assert.rejects(
      queue.commit(() => Promise.reject(failure('ENOSPC'))),
      { code: 'ENOSPC' },
    );
    await queue.commit(() => Promise.resolve());
  });

  for (const code of ['EIO', 'EROFS', 'EBADF']) {
    it(`ends with ${code}, and those that wait with it`, async () => {
      const queue = commitQueue();
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

  it('does other things between two commits, whose failures end nothing', async () => {
    const queue = commitQueue();
    const seen: string[] = [];
    const first = queue.commit(async () => void seen.push('first'));
    const between = queue.between(async () => {
      seen.push('between');
      throw failure('EIO');
    });
    const second = queue.commit(async () => void seen.push('second'));
    await assert.rejects(between, { code: 'EIO' });
    await Promise.all([first, second]);
    assert.deepEqual(seen, ['first', 'between', 'second']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BatchCommitter, type Committer, type Live } from '../../src/ingest/commit.ts';
import type { Store } from '../../src/store/store.ts';

/** A committer that keeps 100 bytes behind an append that does not end, of a store whose appends end as it is told. */
function setUp() {
  const ends: (() => void)[] = [];
  const store = {
    append: () => new Promise<void>((resolve) => ends.push(resolve)),
    catalog: { workspace: () => ({ name: 'w', createdAt: 0 }), retainedFrom: () => undefined },
  };
  const seen: string[] = [];
  const live: Live = {
    capture(_workspace, _topic, streamId, content) {
      if (streamId === 'too large') throw new RangeError('Array buffer allocation failed');
      return content;
    },
    publish: ({ streamId, content }) =>
      seen.push(content === undefined ? `${streamId} without content` : streamId),
    missed: () => seen.push('gap'),
    ended: () => undefined,
  };
  const committer = new BatchCommitter(store as unknown as Store, live, undefined, 100);
  const settled = () => committer.settled();
  const commit: Committer['commit'] = (...given) => committer.commit(...given);
  const write = (streamId: string, bytes: number) => {
    const content = { type: 'close', endType: 'Closed' } as const;
    const announcement = { topic: 't', streamId, bytes, content };
    return commit('w', [{ ...content, topic: 't', streamId }], [announcement]);
  };
  return { ends, seen, commit, write, settled };
}

describe('what was written and waits to be published', () => {
  it('loses its content beyond a limit while an append before it hangs, and readers are told', async () => {
    const { ends, seen, write, settled } = setUp();
    const hung = write('hung', 1000);
    for (const streamId of ['a', 'b', 'c']) {
      const written = write(streamId, 60);
      ends.pop()!();
      await written;
      await turn();
    }
    assert.deepEqual(seen, []);
    ends.pop()!();
    await hung;
    await settled();
    assert.deepEqual(seen, ['hung', 'a', 'b without content', 'gap', 'c without content', 'gap']);
  });

  it('does not wait for a write of which nothing can be kept for readers', async () => {
    const { ends, seen, commit, settled } = setUp();
    const announcements = ['a', 'too large'].map((streamId) => {
      const content = { type: 'close', endType: 'Closed' } as const;
      return { topic: 't', streamId, bytes: 1, content };
    });
    const changes = announcements.map(({ content, topic, streamId }) => ({ ...content, topic, streamId }));
    await assert.rejects(async () => commit('w', changes, announcements), /allocation failed/);
    const written = commit('w', changes.slice(0, 1), announcements.slice(0, 1));
    ends.pop()!();
    await written;
    await settled();
    assert.deepEqual(seen, ['a']);
  });
});

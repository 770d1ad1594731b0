import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryMemoryUse } from '../../../../src/query/bounds/query-memory.ts';
import { leftSlabs } from '../../../../src/store/embedded/log/left-slabs.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partReaders } from '../../../../src/store/embedded/parts/part-readers.ts';
import type { BoundStreams } from '../../../../src/store/embedded/read/bind-streams.ts';
import { timeList } from '../../../../src/store/embedded/rows/time-list.ts';
import type { AtMoment } from '../../../../src/store/embedded/snapshot/bind-at-moment.ts';
import type { FromThread } from '../../../../src/store/embedded/threads/messages.ts';
import { type ReadThread, startReadThread } from '../../../../src/store/embedded/threads/read-thread.ts';
import { readThreads } from '../../../../src/store/embedded/threads/read-threads.ts';
import { bytesOf, requestOf, termsOf } from './ask.ts';

const empty = { parts: [], heads: [], tombstones: [], kept: undefined };

/** Streams without rows, whose names are enough for several slices. */
function manyStreams(): BoundStreams {
  const count = 300_000;
  const [firsts, lasts] = [timeList(), timeList()];
  for (let place = 0; place < count; place++) {
    firsts.set(place, 0, 0);
    lasts.set(place, 0, 1);
  }
  return {
    count,
    streams: Uint32Array.from({ length: count }, (_, place) => place + 1),
    ids: Array.from({ length: count }, (_, place) => `stream ${place}`),
    topics: new Array<string>(count).fill('t'),
    firsts,
    lasts,
    parameters: [1],
  };
}

/** Begins a read, and gives its end; `act` may end it. */
function readOf(thread: ReadThread, act: (end: () => void) => void): Promise<FromThread['end']> {
  return new Promise((resolve, reject) => {
    const read = { request: requestOf({}), streams: [manyStreams()], snapshot: empty };
    const begun = thread.begin(read, {
      told: ({ end }) => end !== undefined && resolve(end),
      died: () => reject(new Error('the thread ended')),
    });
    act(begun.end);
  });
}

describe('a read thread', () => {
  it('lets go of a read that ends while its names are sent, and goes on with others', async () => {
    let deaths = 0;
    const thread = startReadThread({
      place: 1,
      memoryUse: queryMemoryUse(2),
      cacheBytes: 1 << 20,
      indexBytes: 1 << 20,
      maxFiles: 10,
      maxQueryMs: 60_000,
      sharedMs: 50,
      onDied: () => deaths++,
    });
    // At once the read itself is not sent yet; later it may be.
    await readOf(thread, (end) => end());
    await readOf(thread, (end) => setImmediate(end));
    assert.deepEqual(await readOf(thread, () => undefined), { error: undefined });
    assert.equal(deaths, 0);
    await thread.stop();
  });
});

describe('a read thread that is stuck', () => {
  it('is stopped, also where something that it said before comes after its read has ended', async () => {
    const cause = await new Promise<Error | undefined>((resolve) => {
      const thread = startReadThread({
        place: 1,
        memoryUse: queryMemoryUse(2),
        cacheBytes: 0,
        indexBytes: 0,
        maxFiles: 1,
        maxQueryMs: 60_000,
        sharedMs: 50,
        program: new URL('./stuck-worker.js', import.meta.url),
        stuckMs: 50,
        onDied: resolve,
      });
      const listener = { told: () => undefined, died: () => undefined };
      const read = { request: requestOf({}), streams: [], snapshot: empty };
      thread.begin(read, listener).end();
    });
    assert.match(cause!.message, /did not notice that a read had ended/);
  });
});

describe('reads that have their snapshots already', () => {
  it('let go of them where they have to wait, and are bound anew', async () => {
    let [held, taken] = [0, 0];
    const bind = (): AtMoment<readonly BoundStreams[]> => {
      held++;
      taken++;
      let isHeld = true;
      const release = () => {
        if (isHeld) held--;
        isHeld = false;
      };
      const bound = { count: 0, streams: new Uint32Array(0), ids: [], topics: [], parameters: [1] };
      return {
        pinned: { snapshot: empty, readers: partReaders(partCache(0, 0), filePool(1)), slabs: [], release },
        bound: [{ ...bound, firsts: timeList(), lasts: timeList() }],
      };
    };
    const threads = readThreads({
      threads: 1,
      memoryUse: queryMemoryUse(2),
      cacheBytes: 1 << 20,
      indexBytes: 1 << 20,
      maxFiles: 10,
      maxQueryMs: 60_000,
      sharedMs: 50,
      parts: { whenGone: () => undefined },
      left: leftSlabs(1 << 20),
      explain: (error) => error,
      log: { error: () => undefined },
    });
    const read = () => ({ request: requestOf({}), isLong: false, bound: bind(), bind });
    const answers = Array.from({ length: 8 }, () => threads.answer(read(), termsOf()));
    assert.ok(threads.state.waiting > 0);
    assert.equal(held, 8 - threads.state.waiting);
    const anew = threads.state.waiting;
    for (const answer of answers) await bytesOf(await answer);
    assert.equal(taken, 8 + anew);
    assert.equal(held, 0);
    await threads.close();
  });
});

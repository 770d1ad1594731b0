import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { heapInUse } from '../../../collected.ts';
import { until } from '../../../until.ts';
import { storeFolder } from '../store-folder.ts';
import { bytesOf, manyRows, requestOf, termsOf, write } from './ask.ts';

const folder = storeFolder('read-threads-leaks');

/** Part files that the process has open. */
function openParts(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('.part');
    } catch {
      return false;
    }
  }).length;
}

describe('read threads, over some thousand queries', { skip: process.platform !== 'linux' }, () => {
  it('leave no memory, no open file and no place behind', async () => {
    const store = await folder.open({
      readThreads: 2,
      littleWork: -1,
      headBytes: 64 << 20,
      quietMs: 20,
      restMs: 20,
    });
    const askMany = async (times: number) => {
      for (let i = 0; i < times; i++) {
        if (i % 50 === 0) await write(store, `s${i % 4}`, manyRows(i, 20));
        const leaving = new AbortController();
        const asked = store.answer(
          requestOf({ streamIds: ['s0', 's1'] }, i % 3 === 0 ? 'csv' : 'json'),
          termsOf({ signal: leaving.signal }),
        );
        // Some clients leave at once, and some when their answer has begun.
        if (i % 7 === 0) leaving.abort(new Error('left'));
        const answered = asked.then((made) => {
          if (i % 11 === 0) leaving.abort(new Error('left'));
          return bytesOf(made);
        });
        await answered.catch((error: Error) => assert.equal(error.message, 'left'));
      }
      await until(() => store.readThreads!()!.reading === 0);
    };
    await askMany(500);
    const before = await heapInUse();
    await askMany(2500);
    const grown = (await heapInUse()) - before;
    assert.ok(grown < 2 << 20, `${grown} bytes more are in use after 2500 queries`);
    assert.equal(store.readThreads!()!.waiting, 0);
    assert.equal(store.readThreads!()!.died, 0);
    // The main thread and each of the others may have as many open as they are allowed, and no part that has gone.
    await until(() => openParts() <= 3 * 16);
    await folder.close(store);
    assert.equal(openParts(), 0);
  });
});

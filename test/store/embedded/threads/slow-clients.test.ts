import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReadPlan } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { until } from '../../../until.ts';
import { storeFolder } from '../store-folder.ts';
import { manyRows, requestOf, termsOf, write } from './ask.ts';

const folder = storeFolder('slow-clients');

/** Begins an answer of some chunks that its thread has made as a whole, and takes the first of them. */
async function begin(store: EmbeddedStore): Promise<AsyncGenerator<Uint8Array>> {
  const { chunks } = await store.answer(requestOf({ streamIds: ['a'] }), termsOf());
  const answer = chunks as AsyncGenerator<Uint8Array>;
  assert.equal((await answer.next()).done, false);
  await until(() => store.readThreads!()!.reading === 0);
  assert.equal((await answer.next()).done, false);
  return answer;
}

/** Writes until slabs with rows that a read held are in parts. */
async function fillSlabs(store: EmbeddedStore): Promise<void> {
  const { parts } = store.health();
  for (let from = 0; store.health().parts === parts; from += 1000) {
    await write(store, 'b', manyRows(from, 1000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('an answer whose thread has read all', () => {
  const options = {
    readThreads: 1,
    littleWork: -1,
    snapshotBytes: 0,
    headBytes: 16 << 20,
    slabBytes: 1 << 20,
  };

  it('does not end for its slow client where memory is short, for it holds none', async () => {
    const store = await folder.open(options);
    await write(store, 'a', manyRows(0, 12_000));
    const slow = await begin(store);
    // Another read waits for its client, too, and holds slabs.
    const other = store.run(
      requestOf({ streamIds: ['a'] }).plans[0] as ReadPlan,
      new AbortController().signal,
    );
    await other[Symbol.asyncIterator]().next();
    await fillSlabs(store);
    let bytes = 0;
    for await (const chunk of slow) bytes += chunk.length;
    assert.ok(bytes > 100_000);
    assert.equal(store.memory!().endedReads, 1);
  });
});

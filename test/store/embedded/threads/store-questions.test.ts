import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Selection } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore, EmbeddedStoreOptions } from '../../../../src/store/embedded/store.ts';
import { everything } from '../everything.ts';
import { listed } from '../listed.ts';
import { storeFolder } from '../store-folder.ts';
import { threadsBegunBy, write } from './ask.ts';

const folder = storeFolder('store-questions');

/** All that is looked at is looked at on a thread. */
const onThread: Partial<EmbeddedStoreOptions> = { readThreads: 1, littleWork: -1 };

const p = { kind: Kind.Numeric, name: 'p' } as const;

/** More streams than are looked at one by one. */
const streams = 70;

function range(from: number, to: number, fields: Partial<Selection> = {}): Selection {
  return { ...everything, from: BigInt(from), to: BigInt(to), ...fields };
}

async function fill(store: EmbeddedStore): Promise<void> {
  for (let stream = 0; stream < streams; stream++) {
    const rows = Array.from({ length: 12 }, (_, i) => ({
      time: BigInt(100 * i + stream),
      tags: [['lap', String(i % 3)]] as const,
      cells: { p: i % 5 === stream % 5 ? null : i, q: i < 6 ? `text ${i}` : null },
    }));
    await write(store, `s${stream}`, rows.slice(0, 7));
    await write(store, `s${stream}`, rows.slice(5));
  }
}

/** The extent of each stream, and its parameters. */
function extentsOf(store: EmbeddedStore): unknown[] {
  return listed(store.catalog.streams('default', {}, folder.now))
    .map(({ streamId, dataStart, dataEnd }) => {
      const { parameters } = store.catalog.describe('default', 't', streamId, folder.now)!;
      return [streamId, dataStart, dataEnd, parameters.map(({ name }) => name)] as const;
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What some deletes count, and what they leave. */
async function deleted(store: EmbeddedStore): Promise<unknown[]> {
  const told: unknown[] = [];
  const deletes: Parameters<EmbeddedStore['deleteRows']>[] = [
    [range(0, 150, { streamIds: ['s3', 's4'] })],
    [range(200, 900), [p]],
    [range(0, 2000, { tagFilters: [{ tag: 'lap', operator: 'Like', values: ['[12]'] }] })],
    [range(0, 2000, { streamIds: ['s7'] })],
    [range(850, 2000)],
  ];
  for (const given of deletes) told.push(await store.deleteRows(...given), extentsOf(store));
  return told;
}

describe('what a delete has to look at', () => {
  it('is looked at on a read thread, with the same outcome', async () => {
    const told = [];
    for (const options of [{}, onThread]) {
      const dataDir = `${folder.directory}-${told.length}`;
      const filled = await folder.open({ dataDir, sealOnCloseMs: 60_000 });
      await fill(filled);
      await folder.close(filled);
      const store = await folder.open({ ...options, dataDir });
      told.push(await deleted(store));
      if (options === onThread) assert.ok((store.readThreads?.()?.indexBytes ?? 0) > 0);
    }
    assert.deepEqual(told[1], told[0]);
  });

  it('begins no thread where it is little', async () => {
    const store = await folder.open({ readThreads: 1 });
    await write(store, 'a', [{ time: 1n, cells: { p: 1 } }]);
    const begun = await threadsBegunBy(() => store.deleteRows(range(0, 9)));
    assert.deepEqual(begun, []);
  });

  it('is looked at by the main thread where the read thread ends', async () => {
    const store = await folder.open(onThread);
    await fill(store);
    const deleting: Promise<number>[] = [];
    const [worker] = await threadsBegunBy(async () => {
      deleting.push(store.deleteRows(range(0, 50)));
    });
    // It may have begun already, or not yet.
    process.once('worker', (begun) => void begun.terminate());
    void worker?.terminate();
    assert.equal(await deleting[0], 51);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Change } from '../../../src/store/store.ts';
import { everything } from './everything.ts';
import { readRows } from './read-rows.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('many-streams');
const workspace = 'default';
/** So many that they are drafted in slices. */
const streams = 1000;

const plan = {
  ...everything,
  parameters: [{ kind: Kind.Numeric, name: 'speed' }],
  order: 'Asc',
  limit: undefined,
  after: undefined,
} as const;

const change = (stream: number, time: bigint): Change => ({
  type: 'rows',
  topic: 'cars',
  streamId: `s${stream}`,
  rows: [rowsOf([{ time, cells: { speed: stream } }])],
});

/** Rows of all streams; `meanwhile` is called once, when the draft comes to one of them: that in the middle by default. */
function changesOf(time: bigint, meanwhile: () => void, at = streams / 2): Change[] {
  const plain = change(at, time) as Extract<Change, { readonly type: 'rows' }>;
  let isOver = false;
  const watched: Change = {
    ...plain,
    get rows() {
      if (!isOver) {
        isOver = true;
        meanwhile();
      }
      return plain.rows;
    },
  };
  return Array.from({ length: streams }, (_, i) => (i === at ? watched : change(i, time)));
}

const noting = (placed: string[]) => ({
  onCopied: () => void placed.push('copied'),
  onPlaced: () => void placed.push('placed'),
});

/** Times by stream. */
async function times(store: EmbeddedStore): Promise<Map<string, bigint[]>> {
  const found = new Map<string, bigint[]>();
  for (const { streamId, timestamp } of await readRows(store, plan)) {
    found.set(streamId, [...(found.get(streamId) ?? []), timestamp]);
  }
  return found;
}

/** The time (ns) of its last row, as the catalogue has it. */
function endOf(store: EmbeddedStore, stream: number): bigint | undefined {
  return store.catalog.describe(workspace, 'cars', `s${stream}`, Date.now())?.stream.dataEnd;
}

describe('a batch of very many streams', () => {
  it('has its place after what came while it was drafted, and follows deletes of that time', async () => {
    const store = await folder.open({ headBytes: 8 << 20 });
    await store.append({ workspace, changes: [change(1, 1n), change(999, 1n)] });
    const filter = { streamIds: ['s1', 's999'] };
    const others: Promise<unknown>[] = [];
    const placed: string[] = [];
    const changes = changesOf(2n, () => {
      others.push(store.changeStreams({ workspace, action: 'hardDelete', filter, now: 1 }));
      others.push(
        store.append({ workspace, changes: [change(2, 3n)], onPlaced: () => void placed.push('other') }),
      );
    });
    await store.append({ workspace, changes, ...noting(placed) });
    await Promise.all(others);
    assert.deepEqual(placed, ['other', 'placed', 'copied']);
    for (const opened of [store, await folder.reopen(store)]) {
      const found = await times(opened);
      assert.equal(found.size, streams);
      assert.deepEqual([found.get('s1'), found.get('s2'), found.get('s999')], [[2n], [2n, 3n], [2n]]);
    }
  });

  it('is refused as a whole where its workspace goes meanwhile, or whoever asked forbids it', async () => {
    const store = await folder.open({ headBytes: 8 << 20 });
    await store.append({ workspace, changes: [change(1, 1n)] });
    let removed: Promise<void> | undefined;
    const remove = () => {
      removed = store.append({ workspace, changes: [{ type: 'removeWorkspace', name: workspace }] });
    };
    // With the last stream: the draft ends before the removal can be on the disk.
    const changes = changesOf(2n, remove, streams - 1);
    const placed: string[] = [];
    await assert.rejects(store.append({ workspace, changes, ...noting(placed) }), { code: 'overloaded' });
    await removed;
    const forbidden = new Error('forbidden');
    const refused = {
      ...noting(placed),
      onPlaced() {
        throw forbidden;
      },
    };
    await assert.rejects(
      store.append({ workspace, changes: changesOf(2n, () => undefined), ...refused }),
      forbidden,
    );
    assert.deepEqual(placed, []);
    for (const opened of [store, await folder.reopen(store)]) {
      assert.equal((await times(opened)).size, 0);
    }
  });

  it('shows as a whole, though it is applied in several turns', async () => {
    const store = await folder.open({ headBytes: 32 << 20, longRecordBytes: 1000 });
    const known = 1000;
    const made = Array.from({ length: known }, (_, i) => change(i, 1n));
    await store.append({ workspace, changes: made });
    const all = Array.from({ length: 6000 }, (_, i) => change(i, 2n));
    const shown: string[] = [];
    let isOver = false;
    const appended = store.append({ workspace, changes: all, ...noting([]) }).then(() => {
      isOver = true;
    });
    const look = () => {
      const isThere = (stream: number) => store.catalog.hasStream(workspace, 'cars', `s${stream}`);
      const ends = [1, known - 1].map((stream) => endOf(store, stream));
      const found = [isThere(known), isThere(3000), isThere(5999), ...ends];
      if (shown.at(-1) !== found.join()) shown.push(found.join());
    };
    while (!isOver) {
      look();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await appended;
    look();
    assert.deepEqual(shown, ['false,false,false,1,1', 'true,true,true,2,2']);
    for (const opened of [store, await folder.reopen(store)]) {
      const found = await times(opened);
      assert.equal(found.size, 6000);
      assert.deepEqual([found.get('s1'), found.get('s5999')], [[1n, 2n], [2n]]);
    }
  });
});

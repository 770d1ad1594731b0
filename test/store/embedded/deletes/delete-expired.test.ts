import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { everything } from '../everything.ts';
import { listed } from '../listed.ts';
import { readRows } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';

const folder = storeFolder('expired');
const second = 1_000_000_000n;

/** A row, and an event of the same time. */
function rowAt(streamId: string, seconds: number, topic = 'cars'): Change[] {
  const row = (name: string, cell: number | string) =>
    rowsOf([{ time: BigInt(seconds) * second, cells: { [name]: cell } }]);
  const event = row('lap', 'x');
  const columns = event.columns.map((column) => ({ ...column, kind: Kind.Event }) as typeof column);
  return [
    { type: 'rows', topic, streamId, rows: [row('speed', 1)] },
    { type: 'rows', topic, streamId, rows: [{ ...event, columns }] },
  ];
}

function write(store: EmbeddedStore, ...changes: Change[]): Promise<void> {
  return store.append({ workspace: 'default', changes });
}

function keep(store: EmbeddedStore, seconds: number | undefined, topic = 'cars'): Promise<void> {
  const retention = seconds === undefined ? undefined : BigInt(seconds) * second;
  return write(store, { type: 'topic', topic, retention });
}

function keepAll(store: EmbeddedStore, seconds: number | undefined): Promise<void> {
  const retention = seconds === undefined ? {} : { retention: BigInt(seconds) * second };
  return write(store, { type: 'workspace', workspace: { name: 'default', createdAt: 1, ...retention } });
}

/** `stream seconds` of rows, and with a mark of events. */
async function seen(store: EmbeddedStore): Promise<string[]> {
  const found: string[] = [];
  for (const [kind, name, mark] of [
    [Kind.Numeric, 'speed', ''],
    [Kind.Event, 'lap', '!'],
  ] as const) {
    const plan = {
      ...everything,
      parameters: [{ kind, name }],
      order: 'Asc',
      limit: undefined,
      after: undefined,
    } as const;
    for (const { streamId, timestamp } of await readRows(store, plan))
      found.push(`${mark}${streamId} ${timestamp / second}`);
  }
  return found.sort();
}

async function bounds(store: EmbeddedStore): Promise<Record<string, (bigint | undefined)[]>> {
  const streams = await listed(store.catalog.streams('default', {}, folder.now));
  const inSeconds = (time: bigint | undefined) => time && time / second;
  return Object.fromEntries(
    streams.map(({ streamId, dataStart, dataEnd }) => [streamId, [inSeconds(dataStart), inSeconds(dataEnd)]]),
  );
}

// The clock stands at 1000 s.
describe('rows that have expired', () => {
  it('stay away when the retention is taken away, of streams that were written since and of others', async () => {
    let store = await folder.open();
    await write(store, ...rowAt('a', 100), ...rowAt('b', 100), ...rowAt('c', 100), ...rowAt('c', 950));
    store = await folder.reopenInParts(store, 1);
    const { lastUpdate } = (await listed(store.catalog.streams('default', {}, folder.now)))[0]!;
    await keep(store, 300);
    await write(store, ...rowAt('b', 960));
    folder.now += 1000;
    await keep(store, undefined);
    for (let start = 0; start < 2; start++) {
      assert.deepEqual(await seen(store), ['!b 960', '!c 950', 'b 960', 'c 950']);
      assert.deepEqual(await bounds(store), {
        a: [undefined, undefined],
        b: [960n, 960n],
        c: [950n, 950n],
      });
      store = await folder.reopen(store);
    }
    const [first] = await listed(store.catalog.streams('default', { streamIds: ['a'] }, folder.now));
    assert.equal(first!.lastUpdate, lastUpdate);
    // What is written of that time now is kept.
    await write(store, ...rowAt('a', 100));
    assert.deepEqual(await seen(store), ['!a 100', '!b 960', '!c 950', 'a 100', 'b 960', 'c 950']);
    assert.deepEqual((await bounds(store))['a'], [100n, 100n]);
  });

  it('stay away when the retention becomes longer while it is still becoming shorter', async () => {
    const store = await folder.open();
    await write(store, ...rowAt('a', 100), ...rowAt('a', 950));
    await Promise.all([keep(store, 300), keep(store, undefined), keep(store, 990), keep(store, undefined)]);
    assert.deepEqual(await seen(store), ['!a 950', 'a 950']);
    assert.deepEqual((await bounds(store))['a'], [950n, 950n]);
    await write(store, ...rowAt('b', 100));
    await Promise.all([keepAll(store, 300), keepAll(store, undefined)]);
    assert.deepEqual(await seen(store), ['!a 950', 'a 950']);
  });

  it('stay away when the one of a workspace becomes longer, and others that have not expired stay', async () => {
    const store = await folder.open();
    await write(store, ...rowAt('a', 100), ...rowAt('a', 500), ...rowAt('a', 900));
    await write(store, ...rowAt('b', 100, 'bikes'), ...rowAt('b', 500, 'bikes'), ...rowAt('b', 900, 'bikes'));
    await keep(store, 700, 'bikes');
    await keepAll(store, 200);
    assert.deepEqual(await seen(store), ['!a 900', '!b 900', 'a 900', 'b 900']);
    await keepAll(store, 600);
    await keep(store, 950, 'bikes');
    assert.deepEqual(await seen(store), ['!a 900', '!b 900', 'a 900', 'b 900']);
    await write(store, ...rowAt('a', 500), ...rowAt('b', 450, 'bikes'), ...rowAt('b', 300, 'bikes'));
    // Of bikes the shorter one counts, which is that of the workspace.
    await keepAll(store, undefined);
    assert.deepEqual(await seen(store), [
      '!a 500',
      '!a 900',
      '!b 450',
      '!b 900',
      'a 500',
      'a 900',
      'b 450',
      'b 900',
    ]);
    assert.deepEqual(await bounds(store), { a: [500n, 900n], b: [450n, 900n] });
  });

  it('are deleted in the record before, also where a stop leaves the bounds undone', async () => {
    const store = await folder.open();
    await write(store, ...rowAt('a', 100), ...rowAt('a', 900));
    await keep(store, 300);
    const setting = keep(store, undefined);
    const again = await folder.reopen(store);
    await setting;
    assert.deepEqual(await seen(again), ['!a 900', 'a 900']);
    assert.deepEqual(await bounds(again), { a: [900n, 900n] });
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { EventRow } from '../../../src/domain/event-data.ts';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import { rowsOfEvents } from '../../../src/ingest/event-rows.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Change } from '../../../src/store/store.ts';
import { until } from '../../until.ts';
import { listed } from './listed.ts';
import { rowsOfBlock } from './read-rows.ts';
import { rowsOf } from './rows.ts';

const workspace = 'default';
const place = { topic: 'cars', streamId: 's' } as const;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pitwall-events-'));
  after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const quiet = { info() {}, warn() {}, error() {} };

/** The smallest slabs, so that a few hundred rows become parts. */
function open(dataDir: string): Promise<EmbeddedStore> {
  return openEmbeddedStore({
    dataDir,
    headBytes: 8 << 20,
    slabBytes: 1 << 16,
    interruptedAfterMs: 60_000,
    log: quiet,
  });
}

function eventRows(events: readonly Partial<EventRow>[]): Change {
  const whole = events.map((event) => ({ id: 'e', timestamp: 0n, value: '', tags: noTags, ...event }));
  return { type: 'rows', ...place, rows: rowsOfEvents(whole) };
}

/** `timestamp tags value` of each event with this id. */
async function read(store: EmbeddedStore, id: string): Promise<string[]> {
  const found: string[] = [];
  const plan = {
    workspace,
    streamIds: undefined,
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    parameters: [{ kind: Kind.Event, name: id }],
    tagFilters: [],
    order: 'Asc' as const,
    limit: undefined,
    after: undefined,
  };
  for await (const block of store.run(plan, new AbortController().signal)) {
    for (const column of block.columns) assert.ok(column === undefined || column.kind === Kind.Event);
    for (const { timestamp, tags, cells } of rowsOfBlock(block)) {
      found.push(`${timestamp} ${tags} ${Buffer.from(cells[0] as Uint8Array)}`);
    }
  }
  return found;
}

function selected(store: EmbeddedStore, filter: object): string[] {
  return listed(store.catalog.streams(workspace, filter, 0)).map(({ streamId }) => streamId);
}

describe('events in the store', () => {
  it('are known by id, time and tags; the last write of each wins', async () => {
    const store = await open(folder());
    const lap = tagSet([['lap', '1']]);
    await store.append({
      workspace,
      changes: [
        eventRows([
          { timestamp: 5n, value: 'first' },
          { timestamp: 5n, value: 'second' },
          { timestamp: 5n, value: 'tagged', tags: lap },
          { timestamp: -5n, id: 'other', value: 'é' },
        ]),
      ],
    });
    await store.append({ workspace, changes: [eventRows([{ timestamp: 5n, value: '', tags: lap }])] });
    assert.deepEqual(await read(store, 'e'), ['5 [] second', '5 [["lap","1"]] ']);
    assert.deepEqual(await read(store, 'other'), ['-5 [] é']);
    assert.deepEqual(await read(store, 'none'), []);
    await store.close();
  });

  it('are apart from a parameter of the same name', async () => {
    const store = await open(folder());
    const rows = rowsOf([{ time: 7n, cells: { e: 'parameter' } }]);
    await store.append({
      workspace,
      changes: [
        { type: 'rows', ...place, rows: [rows] },
        eventRows([{ timestamp: 7n, value: 'event' }]),
        { type: 'rows', topic: 'cars', streamId: 'parameters', rows: [rows] },
      ],
    });
    await store.append({
      workspace,
      changes: [{ ...eventRows([{ timestamp: 9n }]), streamId: 'events' } as Change],
    });
    assert.deepEqual(await read(store, 'e'), ['7 [] event', '9 [] ']);
    assert.deepEqual(selected(store, { eventIds: ['e'] }).sort(), ['events', 's']);
    assert.deepEqual(selected(store, { parameterIds: ['e'] }).sort(), ['parameters', 's']);
    const { parameters, eventIds } = store.catalog.describe(workspace, 'CARS', 's', 0)!;
    assert.deepEqual([parameters, eventIds], [[{ kind: Kind.String, name: 'e' }], ['e']]);
    await store.close();
  });

  it('count for where the data of a stream begins and ends, over all of time', async () => {
    const store = await open(folder());
    await store.append({
      workspace,
      changes: [eventRows([{ timestamp: maxTimestamp }, { timestamp: minTimestamp }])],
    });
    const [stream] = listed(store.catalog.streams(workspace, {}, 0));
    assert.deepEqual([stream?.dataStart, stream?.dataEnd], [minTimestamp, maxTimestamp]);
    assert.deepEqual(await read(store, 'e'), [`${minTimestamp} [] `, `${maxTimestamp} [] `]);
    await store.close();
  });

  it('an empty array of events opens a stream and writes nothing', async () => {
    const store = await open(folder());
    await store.append({ workspace, changes: [eventRows([])] });
    const [stream] = listed(store.catalog.streams(workspace, {}, 0));
    assert.deepEqual([stream?.streamId, stream?.dataStart], ['s', undefined]);
    await store.close();
  });

  it('come back after parts, merges and restarts', async () => {
    const dataDir = folder();
    let store = await open(dataDir);
    const expected: string[] = [];
    for (let batch = 0; batch < 60; batch++) {
      const events = Array.from({ length: 40 }, (_, i) => ({
        timestamp: BigInt(batch * 20 + i),
        value: `${batch} `.repeat(20),
        id: i % 2 === 0 ? 'e' : 'other',
      }));
      for (const { id, timestamp, value } of events) {
        if (id === 'e') expected[Number(timestamp)] = `${timestamp} [] ${value}`;
      }
      const rows = rowsOf([{ time: BigInt(batch), cells: { e: batch } }]);
      await store.append({
        workspace,
        changes: [eventRows(events), { type: 'rows', ...place, rows: [rows] }],
      });
      if (batch % 20 === 19) {
        await store.close();
        store = await open(dataDir);
      }
    }
    const wanted = expected.filter((event) => event !== undefined);
    assert.deepEqual(await read(store, 'e'), wanted);
    await until(() => store.health().parts > 0);
    assert.deepEqual(await read(store, 'e'), wanted);
    await store.close();
    store = await open(dataDir);
    assert.deepEqual(await read(store, 'e'), wanted);
    assert.deepEqual(selected(store, { eventIds: ['other'] }), ['s']);
    await store.close();
  });
});

describe('definitions in the store', () => {
  it('open the stream, merge, and come back after restarts and flushes', async () => {
    const dataDir = folder();
    let store = await open(dataDir);
    const define = (streamId: string, ...definitions: { id: string; name?: string; unit?: string }[]) =>
      store.append({
        workspace,
        changes: [{ type: 'parameterDefinitions', topic: 'cars', streamId, definitions }],
      });
    const definitions = (streamId: string) => {
      const { parameterDefinitions, eventDefinitions } = store.catalog.describe(
        workspace,
        'cars',
        streamId,
        0,
      )!;
      return [parameterDefinitions, eventDefinitions];
    };
    /** Rows that fill slabs, so that what stands before them is flushed. */
    const fill = async (from: number) => {
      const cells = { x: 'x'.repeat(1000) };
      for (let i = from; i < from + 200; i++) {
        const rows = rowsOf([{ time: BigInt(i), cells }]);
        await store.append({ workspace, changes: [{ type: 'rows', ...place, rows: [rows] }] });
      }
    };

    await define('a', { id: 'p', name: 'P' }, { id: 'q' });
    await define('b', { id: 'p', name: 'P' }, { id: 'q' });
    await store.append({
      workspace,
      changes: [
        {
          type: 'eventDefinitions',
          topic: 'cars',
          streamId: 'a',
          definitions: [{ id: 'crash', level: 'Critical' }],
        },
      ],
    });
    await fill(0);
    await define('a', { id: 'p', unit: 'kg' });
    const expectAll = () => {
      assert.deepEqual(definitions('a'), [
        [{ id: 'p', name: 'P', unit: 'kg' }, { id: 'q' }],
        [{ id: 'crash', level: 'Critical' }],
      ]);
      assert.deepEqual(definitions('b'), [[{ id: 'p', name: 'P' }, { id: 'q' }], []]);
      assert.deepEqual(definitions('s'), [[], []]);
      assert.equal(definitions('a')[0]![1], definitions('b')[0]![1]);
    };
    expectAll();
    for (let restart = 0; restart < 3; restart++) {
      await store.close();
      store = await open(dataDir);
      expectAll();
      await fill(1000 * restart);
      expectAll();
    }
    const [stream] = listed(store.catalog.streams(workspace, { streamIds: ['b'] }, Date.now()));
    assert.equal(stream?.status, 'Open');
    await store.close();
  });

  it('go away with their workspace', async () => {
    const dataDir = folder();
    let store = await open(dataDir);
    const workspaceRecord = { name: 'racing', createdAt: 1 };
    const change = { type: 'parameterDefinitions', ...place, definitions: [{ id: 'p' }] } as const;
    await store.append({ workspace, changes: [{ type: 'workspace', workspace: workspaceRecord }] });
    await store.append({ workspace: 'racing', changes: [change] });
    await store.append({ workspace, changes: [{ type: 'removeWorkspace', name: 'racing' }] });
    await store.append({ workspace, changes: [{ type: 'workspace', workspace: workspaceRecord }] });
    await store.append({ workspace: 'racing', changes: [{ type: 'stream', ...place }] });
    for (let restart = 0; restart < 2; restart++) {
      assert.deepEqual(store.catalog.describe('racing', 'cars', 's', 0)?.parameterDefinitions, []);
      await store.close();
      store = await open(dataDir);
    }
    await store.close();
  });
});

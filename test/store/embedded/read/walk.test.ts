import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { queryMemoryPool } from '../../../../src/query/bounds/query-memory.ts';
import { uncounted } from '../../../../src/query/bounds/running-queries.ts';
import { isAggregate, planQuery, type Selection } from '../../../../src/query/plan/plan.ts';
import { streamsToRead } from '../../../../src/store/embedded/catalog/select-streams.ts';
import { draftRowDelete, streamsToCount } from '../../../../src/store/embedded/deletes/row-delete.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partReaders } from '../../../../src/store/embedded/parts/part-readers.ts';
import { aggregate } from '../../../../src/store/embedded/read/aggregate.ts';
import { bindStreams } from '../../../../src/store/embedded/read/bind-streams.ts';
import { readStream } from '../../../../src/store/embedded/read/execute.ts';
import { lostRows } from '../../../../src/store/embedded/read/lost-rows.ts';
import { streamExtent, walkOfAll } from '../../../../src/store/embedded/read/stream-extent.ts';
import { tagValues } from '../../../../src/store/embedded/read/tag-values.ts';
import { windowStart } from '../../../../src/store/embedded/rows/windows.ts';
import type { OpenSnapshot } from '../../../../src/store/embedded/snapshot/snapshot.ts';
import type { Change } from '../../../../src/store/store.ts';
import { whole } from '../../../../src/turns/steps.ts';
import { rowsOf } from '../rows.ts';
import { type SnapshotScratch, snapshotScratch } from '../snapshot-scratch.ts';

const hourMs = 3_600_000;
const hour = 3_600_000_000_000n;
const nowMs = 2000 * hourMs;
const speed = { kind: Kind.Numeric, name: 'speed' } as const;
const terms = { signal: new AbortController().signal, maxMs: 60_000, countRows: uncounted };
const pace = () => undefined;

const everything: Selection = {
  workspace: 'w',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  tagFilters: [],
};

const timeOf = (age: number): bigint => BigInt(nowMs) * 1_000_000n - BigInt(age) * hour;

/** A row for each age (in hours), its value 2 to the power of that and its age as a tag. */
function rows(ages: readonly number[]): Change {
  const given = ages.map((age) => ({
    time: timeOf(age),
    tags: [['age', String(age)]] as [string, string][],
    cells: { speed: 2 ** age },
  }));
  return { type: 'rows', topic: 't', streamId: 'a', rows: [rowsOf(given)] };
}

function ascending(ages: Iterable<number>): number[] {
  return [...ages].sort((a, b) => a - b);
}

/** The ages of rows that each kind of read finds; of the bounds of a stream, the first and the last. */
async function ask(scratch: SnapshotScratch, open: OpenSnapshot): Promise<Record<string, number[]>> {
  const { state } = scratch;
  const stream = state.topicsByName.get('w')!.get('t')!.streams.get('a')!;
  const number = state.parametersByName[Kind.Numeric].get('speed')!.number;
  const agesAt = (time: bigint) => Number((timeOf(0) - time) / hour);

  const read: number[] = [];
  const range = {
    stream,
    from: minTimestamp,
    to: maxTimestamp,
    parameters: new Set([number]),
    withEvents: false,
  };
  for await (const { window, group } of readStream(open, { ...range, descending: false, pace }))
    for (const offset of group.offsets) read.push(agesAt(windowStart(window) + BigInt(offset)));

  const plan = planQuery('w', { parameters: [{ ...speed, aggregation: 'Sum' }] });
  assert.ok(isAggregate(plan));
  const memory = queryMemoryPool(1 << 20, 1 << 20).open();
  let sum = 0;
  for await (const block of aggregate(plan, whole(bindStreams(state, plan)), open, memory, terms)) {
    const [column] = block.columns;
    assert.ok(column?.kind === Kind.Numeric);
    sum += column.values[0]!;
  }

  const counted: number[] = [];
  for (let age = 0; age < 12; age++) {
    // From before the row to after it, so that it may be known from an index that the range takes all.
    const selection = { ...everything, from: timeOf(age) - 1n, to: timeOf(age) + 1n };
    if ((await count(scratch, open, selection)) === 1) counted.push(age);
  }
  const total = await count(scratch, open, everything);

  const extent = await streamExtent(
    open,
    walkOfAll(open, stream, false),
    { certain: [], knownTimes: [], candidates: [number], maxReads: Number.POSITIVE_INFINITY },
    pace,
  );
  const { workspace, streamIds, topic } = everything;
  const streams = whole(streamsToRead(state, workspace, streamIds, topic));
  const values = await tagValues(streams, open, everything, 'age', terms);
  return {
    read: ascending(read),
    aggregated: Array.from({ length: 12 }, (_, age) => age).filter((age) => ((sum >> age) & 1) === 1),
    counted,
    total: [total],
    tags: ascending(values.map(Number)),
    extent: extent.isEmpty ? [] : [agesAt(extent.last), agesAt(extent.first)],
    parameters: [...extent.parameters],
  };
}

async function count({ state }: SnapshotScratch, open: OpenSnapshot, selection: Selection): Promise<number> {
  const toCount = streamsToCount(state, whole(draftRowDelete(state, selection, undefined)));
  const streams = toCount.between(0, toCount.count);
  const question = {
    ...selection,
    kind: 'lostRows',
    isNamed: false,
    streams,
    searchedMs: undefined,
  } as const;
  try {
    return (await lostRows(open, question, pace)).rows;
  } finally {
    toCount.release();
  }
}

function answers(scratch: SnapshotScratch, ages: readonly number[]): Record<string, number[]> {
  const { number } = scratch.state.parametersByName[Kind.Numeric].get('speed')!;
  return {
    read: [...ages],
    aggregated: [...ages],
    counted: [...ages],
    total: [ages.length],
    tags: [...ages],
    extent: ages.length === 0 ? [] : [ages[0]!, ages.at(-1)!],
    parameters: ages.length === 0 ? [] : [number],
  };
}

/** The same snapshot as a thread that it was sent to would have it. */
function sent({ snapshot }: OpenSnapshot): OpenSnapshot & { close(): Promise<void> } {
  const readers = partReaders(partCache(0), filePool(2));
  const copy = structuredClone(snapshot);
  return {
    snapshot: copy,
    readers,
    async close() {
      for (const part of copy.parts) await readers.close(part);
    },
  };
}

const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Ways in which ten rows get into a store: as changes, `undefined` for a seal. */
const places: Readonly<Record<string, readonly (Change | undefined)[]>> = {
  'the head': [rows(all)],
  'several sections of the head': [rows([9, 2, 5]), rows([0, 1]), rows([8, 3, 7]), rows([4, 6])],
  'a part': [rows(all), undefined],
  'parts that overlap': [
    rows([9, 4, 0, 6]),
    undefined,
    rows([8, 1, 5, 4]),
    undefined,
    rows([7, 3, 2]),
    undefined,
  ],
  'parts and head, overlapping': [rows([9, 5, 4, 0]), undefined, rows([8, 7, 5, 1]), rows([6, 3, 2])],
  'parts and head, one after another': [
    rows([9, 8, 7]),
    undefined,
    rows([6, 5, 4]),
    undefined,
    rows([3, 2, 1, 0]),
  ],
};

const between = (oldest: number, youngest: number): Selection => ({
  ...everything,
  from: timeOf(oldest),
  to: timeOf(youngest),
});
const keep = (hours: number): Change => ({ type: 'topic', topic: 't', retention: BigInt(hours) * hour });

/** What hides rows, and which are left. */
const hidings: Readonly<
  Record<string, { hide(scratch: SnapshotScratch): Promise<void> | void; left: readonly number[] }>
> = {
  nothing: { hide: () => undefined, left: all },
  'a delete of the oldest rows': {
    hide: (scratch) => scratch.deleteRows(between(9, 7)),
    left: [0, 1, 2, 3, 4, 5, 6],
  },
  'a delete of the latest rows': {
    hide: (scratch) => scratch.deleteRows(between(2, 0)),
    left: [3, 4, 5, 6, 7, 8, 9],
  },
  'deletes in the middle, one by its parameter': {
    hide(scratch) {
      scratch.deleteRows(between(3, 3));
      scratch.deleteRows(between(6, 5), [speed]);
    },
    left: [0, 1, 2, 4, 7, 8, 9],
  },
  'a delete by tags': {
    hide: (scratch) =>
      scratch.deleteRows({
        ...everything,
        tagFilters: [{ tag: 'age', operator: 'Like', values: ['^[0459]$'] }],
      }),
    left: [1, 2, 3, 6, 7, 8],
  },
  'a delete of rows of which one is written again': {
    hide(scratch) {
      scratch.deleteRows(between(9, 7));
      scratch.write(rows([8]));
    },
    left: [0, 1, 2, 3, 4, 5, 6, 8],
  },
  'a delete of rows of which one is in a later part again': {
    async hide(scratch) {
      scratch.deleteRows(between(9, 7));
      await scratch.seal();
      scratch.write(rows([8]));
      await scratch.seal();
    },
    left: [0, 1, 2, 3, 4, 5, 6, 8],
  },
  'a delete of all rows': { hide: (scratch) => scratch.deleteRows(everything), left: [] },
  expiry: { hide: (scratch) => scratch.write(keep(6)), left: [0, 1, 2, 3, 4, 5, 6] },
  'expiry of all rows': {
    hide(scratch) {
      scratch.write(keep(1));
      scratch.now += 100 * hourMs;
    },
    left: [],
  },
  'expiry and a delete': {
    hide(scratch) {
      scratch.write(keep(7));
      scratch.deleteRows(between(3, 1));
    },
    left: [0, 4, 5, 6, 7],
  },
};

async function inScratch(run: (scratch: SnapshotScratch) => Promise<void>): Promise<void> {
  const scratch = snapshotScratch('w');
  scratch.now = nowMs;
  try {
    await run(scratch);
  } finally {
    await scratch.close();
  }
}

async function fill(scratch: SnapshotScratch, changes: readonly (Change | undefined)[]): Promise<void> {
  for (const change of changes) {
    if (change === undefined) await scratch.seal();
    else scratch.write(change);
  }
}

describe('the walk over a snapshot', () => {
  for (const [place, changes] of Object.entries(places)) {
    for (const [what, { hide, left }] of Object.entries(hidings)) {
      it(`shows every read the same rows of ${place} after ${what}`, () =>
        inScratch(async (scratch) => {
          await fill(scratch, changes);
          await hide(scratch);
          const pinned = scratch.take();
          const copy = sent(pinned);
          try {
            assert.deepEqual(await ask(scratch, pinned), answers(scratch, left));
            assert.deepEqual(await ask(scratch, copy), answers(scratch, left), 'sent to a thread');
          } finally {
            await copy.close();
            pinned.release();
          }
        }));
    }
  }

  it('shows a snapshot as it was, however much is written, deleted and expired after it', () =>
    inScratch(async (scratch) => {
      await fill(scratch, places['parts and head, overlapping']!);
      const pinned = scratch.take();
      const copy = sent(pinned);
      for (let i = 0; i < 1000; i++) {
        const later = { ...rows([10, 11]), streamId: i % 2 === 0 ? 'a' : `other ${i}` };
        scratch.write(later as Change);
      }
      scratch.deleteRows(everything);
      scratch.write(keep(1));
      try {
        for (const open of [pinned, copy]) {
          const { tags, read, extent, total } = await ask(scratch, open);
          assert.deepEqual({ read, extent, total }, { read: all, extent: [0, 9], total: [10] });
          assert.deepEqual(tags, all);
        }
        assert.deepEqual((await ask(scratch, scratch.take()))['read'], []);
      } finally {
        await copy.close();
        pinned.release();
      }
    }));
});

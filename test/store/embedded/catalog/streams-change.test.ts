import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadCatalog, saveCatalog } from '../../../../src/store/embedded/catalog/catalog-manifest.ts';
import { type CatalogState, catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import type { Manifest } from '../../../../src/store/embedded/manifest/manifest.ts';
import type { Change, StreamsChange } from '../../../../src/store/store.ts';
import { cases } from '../../../extent.ts';
import { catalogView } from '../catalog-view.ts';
import {
  commit,
  commitStreamsChange,
  draftedChange,
  type ScratchRecord,
  scratchRecord,
} from '../log-scratch.ts';
import { memoryManifest } from '../memory-manifest.ts';
import { rowsOf } from '../rows.ts';

const ids = ['s1', 's2', 's3'] as const;

const write = (streamId: string, time: number): Change => ({
  type: 'rows',
  topic: 'cars',
  streamId,
  rows: [rowsOf([{ time: BigInt(time), cells: { speed: 1 } }])],
});

const changeOf = (action: StreamsChange['action'], ...streamIds: string[]): StreamsChange => ({
  workspace: 'w',
  action,
  filter: { streamIds },
  now: 1,
});

function loaded(manifest: Manifest): CatalogState {
  const state = catalogState();
  loadCatalog(state, manifest, (table, key) => assert.fail(`${table}/${key} is damaged`));
  return state;
}

function numberOf(state: CatalogState, streamId: string): number | undefined {
  return state.topicsByName.get('w')?.get('cars')?.streams.get(streamId);
}

const everyStatus = { includeStatuses: ['Open', 'Closed', 'SoftDeleted'] } as const;

/** Streams with their status and the times of their data. */
function seen(state: CatalogState) {
  return catalogView(state, 1e9)
    .streams('w', { ...everyStatus, ordering: [{ by: 'streamId', direction: 'Asc' }] }, 1)
    .map(({ streamId, status, dataStart, dataEnd }) => ({ streamId, status, dataStart, dataEnd }));
}

/** What a stream is in the simple model. */
interface Expected {
  status: 'Open' | 'Closed';
  deleted: boolean;
  readonly dataStart: bigint;
  dataEnd: bigint;
}

type Step = {
  readonly id: (typeof ids)[number];
  readonly action: 'write' | 'close' | StreamsChange['action'];
};

function applyToModel(model: Map<string, Expected>, { id, action }: Step, time: number): void {
  const stream = model.get(id);
  if (action === 'write') {
    const dataStart = stream?.dataStart ?? BigInt(time);
    model.set(id, { status: 'Open', deleted: false, dataStart, dataEnd: BigInt(time) });
  } else if (action === 'hardDelete') {
    model.delete(id);
  } else if (stream !== undefined) {
    if (action === 'close') stream.status = 'Closed';
    else stream.deleted = action === 'softDelete';
  }
}

function expected(model: Map<string, Expected>) {
  return [...model]
    .map(([streamId, { status, deleted, dataStart, dataEnd }]) => ({
      streamId,
      status: deleted ? ('SoftDeleted' as const) : status,
      dataStart,
      dataEnd,
    }))
    .sort((a, b) => (a.streamId < b.streamId ? -1 : 1));
}

function run(state: CatalogState, { id, action }: Step, time: number): ScratchRecord {
  if (action === 'write') return commit(state, time, [write(id, time)], 'w');
  if (action === 'close') {
    return commit(state, time, [{ type: 'close', topic: 'cars', streamId: id, endType: 'Closed' }], 'w');
  }
  return commitStreamsChange(state, changeOf(action, id));
}

describe('deletes and restores of streams', () => {
  it('are as in a simple model after a stop at any change of any flush, once the log is replayed', async () => {
    const step = fc.record<Step>({
      id: fc.constantFrom(...ids),
      action: fc.constantFrom('write', 'write', 'close', 'softDelete', 'restore', 'hardDelete'),
    });
    const round = fc.record({ steps: fc.array(step, { maxLength: 6 }), cut: fc.option(fc.nat(8)) });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 8 }), async (rounds) => {
        const manifest = memoryManifest();
        const model = new Map<string, Expected>();
        const given = new Map<number, string>();
        let state = catalogState();
        let log: ScratchRecord[] = [];
        let time = 0;
        let generation = 0;
        for (const { steps, cut } of rounds) {
          for (const one of steps) {
            const isNew = one.action === 'write' && !model.has(one.id);
            log.push(run(state, one, ++time));
            applyToModel(model, one, time);
            if (isNew) {
              const number = numberOf(state, one.id)!;
              assert.ok(!given.has(number), 'a number is given once');
              given.set(number, `${one.id} ${generation++}`);
            }
          }
          assert.deepEqual(seen(state), expected(model));
          manifest.changesLeft = cut ?? Number.POSITIVE_INFINITY;
          const saved = await saveCatalog(state, manifest).then(
            () => true,
            () => false,
          );
          manifest.changesLeft = Number.POSITIVE_INFINITY;
          if (saved) log = [];
          state = loaded(manifest);
          for (const record of log) record.applyTo(state);
          assert.deepEqual(seen(state), expected(model));
        }
      }),
      { numRuns: cases(500) },
    );
  });

  it('are the same when they are replayed over what came later', () => {
    const state = catalogState();
    const steps: Step['action'][] = ['write', 'hardDelete', 'write', 'softDelete', 'restore', 'close'];
    const records = steps.map((action, i) => run(state, { id: 's1', action }, i + 1));
    const before = [seen(state), numberOf(state, 's1')];
    for (const record of records) record.applyTo(state);
    assert.deepEqual([seen(state), numberOf(state, 's1')], before);
  });

  it('leave alone what is not there: another workspace, an unknown id, a number that is gone', () => {
    const state = catalogState();
    commit(state, 1, [write('s1', 1)], 'w');
    commit(state, 1, [write('s1', 1)], 'other');
    const change = changeOf('hardDelete', 's1', 'none');
    const removal = commitStreamsChange(state, change);
    assert.deepEqual(seen(state), []);
    assert.equal(catalogView(state, 1e9).streams('other', {}, 1).length, 1);
    assert.equal(draftedChange(state, change).sections.length, 0);
    commit(state, 2, [write('s1', 2)], 'w');
    removal.applyTo(state);
    assert.equal(seen(state).length, 1, 'the number is not that of the new stream');
  });

  it('give what is written after a removal to a new stream, though the removal is not durable yet', () => {
    const state = catalogState();
    const ahead = scratchRecord(state, { workspace: 'w', changes: [write('s1', 1)] }, 1);
    ahead.applyTo(state);
    const first = numberOf(state, 's1')!;
    const underWay = scratchRecord(state, { workspace: 'w', changes: [write('s1', 2)] }, 2);
    const removal = draftedChange(state, changeOf('hardDelete', 's1'));
    const after = scratchRecord(state, { workspace: 'w', changes: [write('s1', 3)] }, 3);
    const further = scratchRecord(state, { workspace: 'w', changes: [write('s1', 4)] }, 4);
    underWay.applyTo(state);
    assert.deepEqual(seen(state), [{ streamId: 's1', status: 'Open', dataStart: 1n, dataEnd: 2n }]);
    assert.equal(removal.changed().count, 1);
    commitStreamsChange(state, changeOf('hardDelete', 's1'));
    assert.deepEqual(seen(state), []);
    after.applyTo(state);
    further.applyTo(state);
    assert.deepEqual(seen(state), [{ streamId: 's1', status: 'Open', dataStart: 3n, dataEnd: 4n }]);
    assert.ok(numberOf(state, 's1')! > first);
  });

  it('leave a stream as it was when a removal fails, and all that stood after it', () => {
    const state = catalogState();
    commit(state, 1, [write('s1', 1)], 'w');
    const first = numberOf(state, 's1');
    const removal = draftedChange(state, changeOf('hardDelete', 's1'));
    scratchRecord(state, { workspace: 'w', changes: [write('s1', 2)] }, 2);
    removal.takeBack();
    commit(state, 3, [write('s1', 3)], 'w');
    assert.deepEqual(seen(state), [{ streamId: 's1', status: 'Open', dataStart: 1n, dataEnd: 3n }]);
    assert.equal(numberOf(state, 's1'), first);
  });

  it('name the streams that they change, also those that are gone then', () => {
    const state = catalogState();
    commit(state, 1, [write('s1', 1), write('s2', 1)], 'w');
    commitStreamsChange(state, changeOf('softDelete', 's2'));
    for (const [action, changed] of [
      ['softDelete', ['s1']],
      ['restore', ['s2']],
      ['hardDelete', ['s1', 's2']],
    ] as const) {
      const found = draftedChange(state, changeOf(action, 's1', 's2')).changed();
      if (action === 'hardDelete') commitStreamsChange(state, changeOf('hardDelete', 's1', 's2'));
      assert.deepEqual(
        [...found.keys()],
        changed.map((streamId) => ({ topic: 'cars', streamId })),
      );
      assert.equal(found.count, changed.length);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Part } from '../../../../src/store/embedded/parts/part-readers.ts';
import type { Snapshot } from '../../../../src/store/embedded/snapshot/snapshot.ts';
import { snapshotKeeper, snapshotTeller } from '../../../../src/store/embedded/threads/snapshot-update.ts';
import type { Tombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';

function part(number: number): Part {
  const record = {
    number,
    window: 0,
    firstLsn: number,
    lastLsn: number,
    rows: 1,
    samples: 1,
    bytes: 1,
    minOffset: 0,
    maxOffset: 0,
    level: 0,
  };
  return { record, path: `${number}.part` };
}

function tombstone(lsn: number): Tombstone {
  return {
    lsn,
    arrival: 0,
    streams: Uint32Array.of(1),
    from: 0n,
    to: 1n,
    parameters: undefined,
    tagFilters: [],
  };
}

describe('snapshots that are told to a thread', () => {
  it('come out as they were, and send what has changed only', () => {
    const tell = snapshotTeller();
    const keep = snapshotKeeper();
    const parts = [1, 2, 3].map(part);
    const first: Snapshot = { parts, heads: [], tombstones: [tombstone(5)], kept: undefined };
    const second = { ...first, parts: [parts[0]!, part(4)] };
    const third = { ...second, tombstones: [...first.tombstones, tombstone(9)] };
    const fourth = { ...third, parts: [], tombstones: [third.tombstones[1]!] };
    const sent = [first, second, third, third, fourth].map((snapshot) => {
      const update = structuredClone(tell(snapshot));
      assert.deepEqual(keep(update), snapshot);
      return update;
    });
    assert.deepEqual(sent[1]!.parts, { removed: new Set([2, 3]), added: [part(4)] });
    assert.equal(sent[1]!.tombstones, undefined);
    assert.deepEqual(sent[2]!.tombstones!.added, [tombstone(9)]);
    assert.deepEqual([sent[3]!.parts, sent[3]!.tombstones], [undefined, undefined]);
  });

  it('stay what they were for reads under way', () => {
    const tell = snapshotTeller();
    const keep = snapshotKeeper();
    const before = keep(tell({ parts: [part(1)], heads: [], tombstones: [], kept: undefined }));
    keep(tell({ parts: [part(2)], heads: [], tombstones: [tombstone(3)], kept: undefined }));
    assert.deepEqual(before.parts, [part(1)]);
    assert.deepEqual(before.tombstones, []);
  });
});

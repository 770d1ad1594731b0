import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeadRowsOptions, deadRows } from '../../../../src/store/embedded/maintenance/dead-rows.ts';
import { chooseCleaning, type DeadPart } from '../../../../src/store/embedded/maintenance/merge-policy.ts';
import type { Tombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { whole } from '../../../../src/turns/steps.ts';

/** Row groups of 100 bytes, from 0 to 99 each. */
function groupsOf(...streams: readonly number[]) {
  return streams.map((stream) => ({ stream, window: 0, length: 100, minOffset: 0, maxOffset: 99 }));
}

function tombstoneOf(to: bigint, ...streams: readonly number[]): Tombstone {
  return {
    lsn: 1,
    arrival: 7,
    streams: Uint32Array.from(streams),
    from: 0n,
    to,
    parameters: undefined,
    tagFilters: [],
  };
}

const alive: DeadRowsOptions = {
  isAlive: () => true,
  workspaceOf: (stream) => (stream < 3 ? 'w' : 'v'),
  retainedFrom: () => 0,
  tombstones: [],
  cleanLsn: 0,
};

function found(groups: ReturnType<typeof groupsOf>, options: DeadRowsOptions) {
  return whole(deadRows(groups, options));
}

describe('what is dead in a part', () => {
  it('is nothing by itself', () => {
    const dead = found(groupsOf(1, 2, 3), alive);
    assert.deepEqual(
      [dead.bytes, dead.deadBytes, dead.all, dead.gone, [...dead.tombstones]],
      [300, 0, false, false, []],
    );
    assert.deepEqual(
      [...dead.liveBytes],
      [
        ['w', 200],
        ['v', 100],
      ],
    );
  });

  it('is what streams left behind that are gone', () => {
    const some = found(groupsOf(1, 2), { ...alive, isAlive: (stream) => stream === 2 });
    assert.deepEqual([some.deadBytes, some.all, some.gone, some.liveBytes.get('w')], [100, false, true, 100]);
    const all = found(groupsOf(1, 2), { ...alive, isAlive: () => false });
    assert.deepEqual([all.deadBytes, all.all], [200, true]);
  });

  it('is the share that is expired, or all', () => {
    const some = found(groupsOf(1, 2), { ...alive, retainedFrom: (stream) => (stream === 1 ? 25 : 0) });
    assert.deepEqual([some.deadBytes, some.all, some.expiredFor], [25, false, 25]);
    const all = found(groupsOf(1, 2), { ...alive, retainedFrom: () => 150 });
    assert.deepEqual([all.deadBytes, all.all, all.expiredFor], [200, true, 150]);
  });

  it('is the share that tombstones hide of their streams', () => {
    const tombstones = [tombstoneOf(49n, 1, 9), tombstoneOf(10n, 9)];
    const dead = found(groupsOf(1, 2), { ...alive, tombstones });
    assert.deepEqual([dead.deadBytes, dead.all, [...dead.tombstones]], [50, false, [tombstones[0]]]);
    const twice = found(groupsOf(1), { ...alive, tombstones: [tombstoneOf(99n, 1), tombstoneOf(99n, 1)] });
    assert.deepEqual([twice.deadBytes, twice.all], [100, false]);
  });
});

describe('the choice of a part to clean', () => {
  const part = (number: number, deadBytes: number, dueAt = Number.POSITIVE_INFINITY): DeadPart => ({
    part: {
      number,
      window: 0,
      firstLsn: number,
      lastLsn: number,
      rows: 1,
      samples: 1,
      bytes: 100,
      minOffset: 0,
      maxOffset: 1,
      level: 0,
    },
    bytes: 100,
    deadBytes,
    dueAt,
  });
  const chosen = (parts: readonly DeadPart[], excluded: readonly number[] = []) =>
    chooseCleaning(parts, new Set(excluded), 1000)?.number;

  it('is the one with the largest dead share, if that is worth it', () => {
    assert.equal(chosen([part(1, 24), part(2, 30), part(3, 60)]), 3);
    assert.equal(chosen([part(1, 24), part(2, 30), part(3, 60)], [3]), 2);
    assert.equal(chosen([part(1, 24)]), undefined);
    assert.equal(chosen([]), undefined);
  });

  it('is one with few dead rows when these have been dead for long', () => {
    assert.equal(chosen([part(1, 1, 1001)]), undefined);
    assert.equal(chosen([part(1, 1, 1000), part(2, 2, 5000)]), 1);
  });
});

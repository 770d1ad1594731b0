import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tombstoneTable } from '../../../../src/store/embedded/catalog/tombstone-table.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import type { Tombstone } from '../../../../src/store/embedded/tombstones/tombstone.ts';

const tombstone = (lsn: number, from: bigint, to: bigint): Tombstone => ({
  lsn,
  arrival: 0,
  streams: Uint32Array.of(1),
  from,
  to,
  parameters: undefined,
  tagFilters: [],
});

/** A part with rows at one time in the first window. */
const part = (number: number, offset: number): PartRecord => ({
  number,
  window: 0,
  firstLsn: number,
  lastLsn: number,
  rows: 1,
  samples: 1,
  bytes: 100,
  minOffset: offset,
  maxOffset: offset,
  level: 0,
});

const lsnsOf = (tombstones: readonly Tombstone[]) => tombstones.map(({ lsn }) => lsn);

describe('obsolete tombstones', () => {
  it('are those that concern no part that is there now', () => {
    const table = tombstoneTable();
    for (let i = 0; i < 3; i++) table.restore(tombstone(100 + i, BigInt(10 * i), BigInt(10 * i + 9)), false);
    const [first, second, third] = [part(1, 5), part(2, 5), part(3, 15)];
    const clear = new Set<PartRecord>();
    const obsolete = (...parts: PartRecord[]) => lsnsOf(table.obsolete(parts, (one) => clear.has(one)));
    assert.deepEqual(obsolete(first, second, third), [102]);
    assert.deepEqual(obsolete(second, third), [102], 'the part that kept it is gone, another still has rows');
    clear.add(second);
    assert.deepEqual(obsolete(second, third), [100, 102]);
    assert.deepEqual(obsolete(part(4, 5), third), [102]);
    clear.add(third);
    assert.deepEqual(obsolete(second, third), [100, 101, 102]);
    table.drop(table.all.filter(({ lsn }) => lsn === 101));
    assert.deepEqual(obsolete(second, third), [100, 102]);
  });

  it('are found again with a look or two at each tombstone and part, however many there are', () => {
    const table = tombstoneTable();
    const count = 500;
    for (let i = 0; i < count; i++) table.restore(tombstone(10_000 + i, BigInt(i), BigInt(i)), false);
    let looks = 0;
    const parts = Array.from({ length: count }, (_, i) => ({
      ...part(i, count - 1 - i),
      get lastLsn() {
        looks++;
        return i;
      },
    }));
    assert.deepEqual(
      table.obsolete(parts, () => false),
      [],
    );
    looks = 0;
    assert.deepEqual(
      table.obsolete(parts, () => false),
      [],
    );
    assert.ok(looks <= 2 * count, `${looks} looks`);
  });
});

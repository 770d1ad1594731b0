import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import { partFaults } from '../../../../src/store/embedded/parts/part-faults.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import { partName } from '../../../../src/store/embedded/parts/part-set.ts';

const parts = (...numbers: number[]) => numbers.map((number) => ({ number }) as PartRecord);
const passing = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
const minute = 60_000;

describe('the faults of parts', () => {
  it('that may pass exclude parts for a minute, then twice as long each time, up to an hour', () => {
    let now = 0;
    const faults = partFaults(() => now);
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      const noted = faults.add(parts(1, 2), passing);
      assert.deepEqual(noted, { numbers: [1, 2], isFinal: false, isNews: i === 0 });
      const start = now;
      for (; faults.excluded().size > 0; now += minute) assert.deepEqual([...faults.excluded()], [1, 2]);
      pauses.push((now - start) / minute);
    }
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('count for each part by itself', () => {
    let now = 0;
    const faults = partFaults(() => now);
    faults.add(parts(1), passing);
    now = minute;
    assert.equal(faults.add(parts(1, 2), passing).isNews, true);
    now += minute;
    assert.deepEqual([...faults.excluded()], [1]);
  });

  it('that are damage exclude the part that is named for good, and no other', () => {
    let now = 0;
    const faults = partFaults(() => now);
    const damage = new DamagedError(`/data/parts/${partName(2)}`, 0, 9, 'the checksum is wrong');
    assert.deepEqual(faults.add(parts(1, 2, 3), damage), { numbers: [2], isFinal: true, isNews: true });
    now = 1e12;
    assert.deepEqual([...faults.excluded()], [2]);
    const elsewhere = new DamagedError('/data/elsewhere', 0, 9, 'the checksum is wrong');
    faults.add(parts(5, 6), elsewhere);
    assert.deepEqual([...faults.excluded()], [2, 5, 6]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseMerge,
  chooseQuietMerge,
  isMergingBehind,
  levelAbove,
} from '../../../../src/store/embedded/maintenance/merge-policy.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import { seededRandom } from '../random.ts';

const none: ReadonlySet<number> = new Set();

function part(number: number, fields: Partial<PartRecord> = {}): PartRecord {
  const lsns = { firstLsn: number * 10, lastLsn: number * 10 + 9 };
  return {
    number,
    window: 0,
    rows: 1,
    samples: 1,
    bytes: 100,
    minOffset: 0,
    maxOffset: 0,
    level: 0,
    ...lsns,
    ...fields,
  };
}

const parts = (from: number, to: number, fields: Partial<PartRecord> = {}) =>
  Array.from({ length: to - from + 1 }, (_, i) => part(from + i, fields));
const numbers = (chosen: readonly PartRecord[] | undefined) => chosen?.map(({ number }) => number);

/** What a quiet merge is, in the plainest words. */
function tryEveryRun(
  all: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): readonly PartRecord[] | undefined {
  for (const window of new Set(all.map((one) => one.window))) {
    const ordered = all.filter((one) => one.window === window).sort((a, b) => a.firstLsn - b.firstLsn);
    for (let end = ordered.length; end > 1; end--) {
      for (let start = 0; start < end - 1; start++) {
        const run = ordered.slice(start, end);
        const total = run.reduce((sum, { bytes }) => sum + bytes, 0);
        const largest = Math.max(...run.map(({ bytes }) => bytes));
        const pays = total <= 2 ** 27 && total - largest >= largest / 4;
        if (pays && !run.some(({ number }) => excluded.has(number))) return run;
      }
    }
  }
  return undefined;
}

describe('the choice of a merge', () => {
  it('is the oldest eight of one level that follow one another, in LSN order', () => {
    assert.equal(chooseMerge(parts(1, 7), none), undefined);
    assert.deepEqual(numbers(chooseMerge(parts(1, 20).reverse(), none)), [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is behind when one window has as many parts as four merges take', () => {
    assert.equal(isMergingBehind(parts(1, 31)), false);
    assert.equal(isMergingBehind(parts(1, 32)), true);
    assert.equal(isMergingBehind([...parts(1, 31), ...parts(32, 40, { window: 1 })]), false);
    assert.equal(isMergingBehind([...parts(1, 31), ...parts(32, 40, { level: 1 })]), false);
  });

  it('never mixes windows or levels, and does not reach over a part of another level', () => {
    assert.equal(chooseMerge([...parts(1, 7), ...parts(8, 14, { window: -1 })], none), undefined);
    assert.equal(chooseMerge([...parts(1, 4), part(5, { level: 1 }), ...parts(6, 9)], none), undefined);
    assert.deepEqual(
      numbers(chooseMerge([...parts(1, 8, { level: 1 }), ...parts(9, 16)], none)),
      [9, 10, 11, 12, 13, 14, 15, 16],
      'the lowest level first',
    );
  });

  it('neither takes nor reaches over a part that cannot be merged', () => {
    assert.equal(chooseMerge(parts(1, 15), new Set([8])), undefined);
    assert.deepEqual(numbers(chooseMerge(parts(1, 16), new Set([8]))), [9, 10, 11, 12, 13, 14, 15, 16]);
  });

  it('makes no part above a gibibyte', () => {
    assert.equal(chooseMerge(parts(1, 8, { bytes: 2 ** 27 + 1 }), none), undefined);
    assert.equal(chooseMerge(parts(1, 8, { bytes: 2 ** 27 }), none)?.length, 8);
  });

  it('keeps parts few, apart from each other, and each row seldom rewritten', () => {
    const random = seededRandom(7);
    let all: PartRecord[] = [];
    let written = 0;
    let next = 1;
    const windows = [0, 1, -3];
    for (let slab = 0; slab < 1000; slab++) {
      const lsns = { firstLsn: slab, lastLsn: slab };
      for (const window of windows) if (random.chance(0.9)) all.push(part(next++, { window, ...lsns }));
      for (let chosen = chooseMerge(all, none); chosen !== undefined; chosen = chooseMerge(all, none)) {
        const bytes = chosen.reduce((sum, one) => sum + one.bytes, 0);
        written += bytes;
        const [first, last] = [chosen[0]!, chosen.at(-1)!];
        const { window, level } = first;
        const made = part(next++, {
          window,
          bytes,
          level: level + 1,
          firstLsn: first.firstLsn,
          lastLsn: last.lastLsn,
        });
        all = [...all.filter((one) => !chosen.includes(one)), made];
      }
    }
    const total = all.reduce((sum, one) => sum + one.bytes, 0);
    assert.ok(all.length <= windows.length * 7 * 4, `${all.length} parts`);
    assert.ok(written / total <= 3.5, `each byte was rewritten ${written / total} times`);
    for (const window of windows) {
      const ordered = all.filter((one) => one.window === window).sort((a, b) => a.firstLsn - b.firstLsn);
      assert.ok(
        ordered.every((one, i) => i === 0 || one.firstLsn > ordered[i - 1]!.lastLsn),
        'LSNs do not overlap',
      );
    }
  });
});

describe('the choice of a merge in quiet times', () => {
  it('takes neighbours of all levels together', () => {
    const all = [part(1, { level: 1, bytes: 800 }), ...parts(2, 4), part(5, { bytes: 10 })];
    assert.deepEqual(numbers(chooseQuietMerge([...all].reverse(), none)), [1, 2, 3, 4, 5]);
    assert.equal(levelAbove(all), 1);
    assert.equal(levelAbove(all.slice(1)), 1);
    assert.equal(levelAbove([all[0]!]), 1);
    assert.equal(levelAbove(parts(1, 300_000)), 1);
  });

  it('leaves a large part alone until enough has come beside it', () => {
    const large = part(1, { bytes: 1000 });
    assert.equal(chooseQuietMerge([large], none), undefined);
    assert.equal(chooseQuietMerge([large, part(2, { bytes: 249 })], none), undefined);
    assert.deepEqual(numbers(chooseQuietMerge([large, part(2, { bytes: 250 })], none)), [1, 2]);
    assert.deepEqual(numbers(chooseQuietMerge([large, ...parts(2, 3)], none)), [2, 3]);
  });

  it('makes no part above 128 MiB, and neither mixes windows nor reaches over what cannot be merged', () => {
    assert.deepEqual(numbers(chooseQuietMerge(parts(1, 3, { bytes: 2 ** 26 }), none)), [2, 3]);
    assert.equal(chooseQuietMerge([part(1), part(2, { window: 3 })], none), undefined);
    assert.equal(chooseQuietMerge(parts(1, 3), new Set([2])), undefined);
  });

  it('is the one that trying every run finds', () => {
    const random = seededRandom(3);
    const sizes = [1, 30, 100, 120, 500, 2000, 2 ** 20, 2 ** 25, 2 ** 26, 2 ** 27];
    let found = 0;
    for (let round = 0; round < 4000; round++) {
      const most = random.int(0, sizes.length - 1);
      const all = Array.from({ length: random.int(0, 14) }, (_, i) =>
        part(i + 1, { window: random.int(0, 1), bytes: sizes[random.int(0, most)]! }),
      );
      const excluded = new Set(all.filter(() => random.chance(0.1)).map(({ number }) => number));
      const expected = tryEveryRun(all, excluded);
      assert.deepEqual(numbers(chooseQuietMerge(all, excluded)), numbers(expected), JSON.stringify(all));
      if (expected !== undefined) found++;
    }
    assert.ok(found > 1000 && found < 3000, `${found} of 4000 have one`);
  });

  it('looks at each part a few times, however many there are and however their sizes lie', () => {
    const count = 20_000;
    const shapes: readonly ((i: number) => number)[] = [
      () => 2 ** 27 + 1,
      () => 2 ** 26 + 1,
      (i) => 2 ** (26 - (i % 27)),
      (i) => (i % 2 === 0 ? 2 ** 26 : 1),
      (i) => 5 ** (11 - (i % 12)),
      (i) => 5 ** (i % 12),
    ];
    for (const bytesOf of shapes) {
      let looks = 0;
      const all = parts(1, count).map((record, i) => ({
        ...record,
        get bytes() {
          looks++;
          return bytesOf(i);
        },
      }));
      chooseQuietMerge(all, none);
      assert.ok(looks <= 20 * count, `${looks} looks, by ${bytesOf}`);
    }
  });

  it('comes to an end, and rewrites each byte a few times however often it is asked', () => {
    let all: PartRecord[] = [];
    let written = 0;
    for (let next = 1; next <= 500; next++) {
      all.push(part(2 * next));
      for (
        let chosen = chooseQuietMerge(all, none);
        chosen !== undefined;
        chosen = chooseQuietMerge(all, none)
      ) {
        const bytes = chosen.reduce((sum, one) => sum + one.bytes, 0);
        written += bytes;
        const lsns = { firstLsn: chosen[0]!.firstLsn, lastLsn: chosen.at(-1)!.lastLsn };
        const made = part(2 * next + 1, { bytes, level: levelAbove(chosen), ...lsns });
        all = [...all.filter((one) => !chosen!.includes(one)), made];
      }
    }
    assert.ok(written / 50_000 <= 20, `each byte was rewritten ${written / 50_000} times`);
    assert.ok(all.length <= 12, `${all.length} parts`);
  });
});

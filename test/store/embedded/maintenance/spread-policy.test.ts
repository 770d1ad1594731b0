import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseMerge,
  chooseQuietMerge,
  chooseQuietSpreadMerge,
  levelAbove,
} from '../../../../src/store/embedded/maintenance/merge-policy.ts';
import { apartOf, chooseSpreadMerge } from '../../../../src/store/embedded/maintenance/spread-policy.ts';
import { type PartRecord, windowsOf } from '../../../../src/store/embedded/parts/part-record.ts';
import { forSeeds, type Random } from '../random.ts';

const none: ReadonlySet<number> = new Set();

/** A part of which only windows, records and bytes matter: what it has of each record in each window. */
interface Model {
  readonly record: PartRecord;
  readonly rows: readonly Row[];
}

interface Row {
  readonly window: number;
  readonly lsn: number;
  readonly bytes: number;
}

function modelOf(
  number: number,
  level: number,
  firstLsn: number,
  lastLsn: number,
  rows: readonly Row[],
): Model {
  const windows = [...new Set(rows.map(({ window }) => window))].sort((a, b) => a - b);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const record = {
    number,
    window: windows[0]!,
    ...(windows.length > 1 && { windows }),
    firstLsn,
    lastLsn,
    rows: rows.length,
    samples: rows.length,
    bytes,
    minOffset: 0,
    maxOffset: 2 ** 50 - 1,
    level,
  };
  return { record, rows };
}

/** Of two values of one time the newer one wins: parts of a window have their rows in order of LSN. */
function checkOrder(parts: readonly Model[]): void {
  const newest = new Map<number, number>();
  for (const { record, rows } of [...parts].sort((a, b) => a.record.firstLsn - b.record.firstLsn)) {
    for (const window of windowsOf(record)) {
      const lsns = rows.filter((row) => row.window === window).map(({ lsn }) => lsn);
      assert.ok(lsns.length > 0, 'a part has rows in each of its windows');
      assert.ok(Math.min(...lsns) > (newest.get(window) ?? 0), `window ${window} is out of order`);
      newest.set(window, Math.max(...lsns));
    }
  }
}

/** What the worker makes of a merge. */
function merged(
  parts: readonly Model[],
  chosen: readonly PartRecord[],
  extracted: ReadonlySet<number>,
): Model[] {
  const sources = chosen.map((one) => parts.find(({ record }) => record === one)!);
  const apart = apartOf(
    parts.map(({ record }) => record),
    chosen,
    extracted,
  );
  const isApart = new Set(apart.map(({ window }) => window));
  const all = [...chosen.keys()];
  const others = new Set(chosen.flatMap(windowsOf).filter((window) => !isApart.has(window)));
  const outputs = apart.map(({ window, parts: places }) => ({ places, windows: new Set([window]) }));
  if (others.size > 0) outputs.push({ places: all, windows: others });
  let number = Math.max(...parts.map(({ record }) => record.number));
  return outputs.map(({ places, windows }) => {
    const own = places.map((place) => sources[place]!);
    const records = own.map(({ record }) => record);
    return modelOf(
      ++number,
      levelAbove(records),
      Math.min(...records.map(({ firstLsn }) => firstLsn)),
      Math.max(...records.map(({ lastLsn }) => lastLsn)),
      own.flatMap(({ rows }) => rows.filter(({ window }) => windows.has(window))),
    );
  });
}

/** Merges for as long as there is something to merge. */
function settle(before: readonly Model[], isQuiet: boolean): Model[] {
  let parts = [...before];
  for (let merges = 0; ; merges++) {
    assert.ok(merges < 5000, 'merging comes to an end');
    const records = parts.map(({ record }) => record);
    const spread = chooseMerge(records, none) === undefined ? chooseSpreadMerge(records, none) : undefined;
    let chosen: readonly PartRecord[] | undefined = chooseMerge(records, none) ?? spread?.parts;
    if (chosen === undefined && isQuiet) {
      const quiet = chooseQuietSpreadMerge(records, none);
      const isPlain = quiet !== undefined && apartOf(records, quiet).length === 0;
      chosen = chooseQuietMerge(records, none) ?? (isPlain ? quiet : undefined);
    }
    if (chosen === undefined) return parts;
    const made = merged(parts, chosen, spread?.extracted ?? none);
    parts = [...parts.filter(({ record }) => !chosen.includes(record)), ...made];
    checkOrder(parts);
  }
}

/** The parts of a slab, as sealing makes them. */
function slabOf(windows: readonly number[], lsn: number, number: number, bytes: number): Model[] {
  const counts = new Map<number, number>();
  for (const window of windows) counts.set(window, (counts.get(window) ?? 0) + 1);
  const isOwn = (window: number) => counts.size <= 3 || counts.get(window)! * 8 >= windows.length;
  const rowOf = (window: number): Row => ({
    window,
    lsn,
    bytes: (bytes * counts.get(window)!) / windows.length,
  });
  const all = [...counts.keys()];
  const groups = [...all.filter(isOwn).map((window) => [window]), all.filter((window) => !isOwn(window))];
  return groups
    .filter((group) => group.length > 0)
    .map((group, i) => modelOf(number + i, 0, lsn, lsn, group.map(rowOf)));
}

type Times = (random: Random, slab: number) => number[];

const shapes: Record<string, Times> = {
  'random times': (random) => Array.from({ length: 300 }, () => random.int(0, 280)),
  'a few random rows': (random) => Array.from({ length: random.int(1, 3) }, () => random.int(0, 280)),
  'live rows and late ones': (random, slab) => [
    ...Array.from({ length: 50 }, () => 300 + Math.floor(slab / 40)),
    ...Array.from({ length: random.int(0, 10) }, () => 300 + Math.floor(slab / 40) - random.int(-1, 90)),
  ],
  'windows that are now dense, now sparse': (random, slab) => {
    const dense = Math.floor(slab / 3) % 5;
    return Array.from({ length: 60 }, () => (random.chance(0.6) ? dense : random.int(0, 40)));
  },
};

describe('parts of rows at any times', () => {
  for (const [name, times] of Object.entries(shapes)) {
    it(`stay few and in order: ${name}`, async () => {
      await forSeeds(1, 2, async (random) => {
        const slabs = 250;
        let parts: Model[] = [];
        let number = 1;
        for (let slab = 1; slab <= slabs; slab++) {
          parts.push(...slabOf(times(random, slab), slab, number, random.pick([1e3, 1e5, 1e6])));
          parts = settle(parts, random.chance(0.02));
          number = 1 + Math.max(...parts.map(({ record }) => record.number));
          assert.ok(parts.length <= 250, `${parts.length} parts after ${slab} slabs`);
        }
        const lsns = new Set(parts.flatMap(({ rows }) => rows.map(({ lsn }) => lsn)));
        assert.equal(lsns.size, slabs, 'no row is lost');
        const quiet = settle(parts, true);
        assert.ok(quiet.length <= 160, `${quiet.length} parts in the end`);
      });
    });
  }

  it('are not touched where all have one window', () => {
    const parts = Array.from({ length: 20 }, (_, i) =>
      modelOf(i + 1, 0, i + 1, i + 1, [{ window: i, lsn: i + 1, bytes: 100 }]),
    );
    assert.equal(
      chooseSpreadMerge(
        parts.map(({ record }) => record),
        none,
      ),
      undefined,
    );
  });
});

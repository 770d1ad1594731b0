import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetRows, type SameTime, TooManyRows } from '../../../src/import/same-time/met-rows.ts';
import type { MetCell } from '../../../src/import/same-time/met-values.ts';
import { MemoryLeft } from '../../../src/import/same-time/row-memory.ts';
import { type FileRow, type WrittenRow, writeFile } from './rows-of-a-file.ts';

/** What a service has after rows were written, one after the other: the last value of each channel by run, time and tag. */
function stored(rows: readonly WrittenRow[]) {
  const all = new Map<string, MetCell[]>();
  const counts = { replaced: 0, repeated: 0, joined: 0 };
  for (const { time, run, tag, values } of rows) {
    const key = JSON.stringify([run, String(time), tag]);
    const before = all.get(key);
    all.set(
      key,
      values.map((value, i) => value ?? before?.[i] ?? null),
    );
    if (before === undefined) continue;
    const has = (i: number) => values[i] !== null;
    if (before.some((value, i) => has(i) && value !== null && !Object.is(value, values[i])))
      counts.replaced++;
    else if (before.some((value, i) => has(i) && value === null)) counts.joined++;
    else counts.repeated++;
  }
  return { all, counts };
}

/** Numbers that repeat with each seed. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const shapes: Readonly<Record<string, (i: number, random: (below: number) => number) => number>> = {
  'forward, some of one time': (i) => Math.floor(i / 3),
  'with steps back': (i, random) => i + random(20),
  'again and again': (i) => i % 50,
  'in any order': (_, random) => random(300),
  backwards: (i) => 1000 - Math.floor(i / 2),
};

function rowsOf(
  seed: number,
  timeOf: (i: number, random: (below: number) => number) => number,
  gaps: boolean,
) {
  const random = randoms(seed);
  return Array.from({ length: 400 }, (_, i): FileRow => {
    const value = (): MetCell => (gaps && random(2) === 0 ? null : random(4));
    return [
      timeOf(i, random),
      ['a', 'b', null][random(3)]!,
      value(),
      value(),
      gaps ? value() : `t${random(3)}`,
    ];
  });
}

describe('rows of a file', () => {
  for (const [shape, timeOf] of Object.entries(shapes)) {
    it(`are counted as a service stores them, ${shape}`, () => {
      for (let seed = 1; seed <= 40; seed++) {
        const { written, result } = writeFile(rowsOf(seed, timeOf, seed % 2 === 0), { restarts: 'replace' });
        const { all, counts } = stored(written);
        const { replaced, repeated, joined } = result;
        assert.deepEqual({ replaced, repeated, joined }, counts, `seed ${seed}`);
        assert.equal(result.stored, all.size, `seed ${seed}`);
        assert.equal(result.read, 400);
        assert.equal(result.empty, 400 - written.length);
        assert.equal(result.isAtLeast, false);
      }
    });

    it(`lose no value where all are kept, ${shape}`, () => {
      for (let seed = 1; seed <= 20; seed++) {
        const rows = rowsOf(seed, timeOf, seed % 2 === 0);
        const { written, result } = writeFile(rows, { restarts: 'replace', sameTime: 'keep' });
        const { all, counts } = stored(written);
        assert.deepEqual([counts.replaced, counts.repeated], [0, 0], `seed ${seed}`);
        const valuesOf = (some: Iterable<readonly MetCell[]>) =>
          [...some]
            .flatMap((values) => values.flatMap((value, i) => (value === null ? [] : [`${i} ${value}`])))
            .sort();
        assert.deepEqual(valuesOf(all.values()), valuesOf(rows.map(([, , ...values]) => values)));
        assert.equal(result.stored, all.size);
        const moved = written.filter(
          ({ time }, i) => time !== BigInt(rows.filter(([, , ...v]) => v.some((x) => x !== null))[i]![0]),
        );
        assert.equal(result.moved, moved.length);
      }
    });
  }

  it('are told with the first one that replaced a value, its channel, both values and both rows', () => {
    const { result } = writeFile(
      [
        [5, null, 1, null],
        [5, null, null, 2],
        [6, null, 1, 1],
        [5, null, 1, 7],
        [5, null, 3, 7],
      ],
      { restarts: 'replace' },
    );
    const { first, channels, replaced, joined } = result;
    assert.deepEqual(
      [replaced, joined, [...channels]],
      [
        2,
        1,
        [
          ['c2', 1],
          ['c1', 1],
        ],
      ],
    );
    assert.deepEqual(first, {
      ...{ channel: 'c2', time: 5n, place: 4, table: 0, value: 7 },
      before: { place: 2, value: 2 },
    });
  });

  it('are compared by their hashes where there is no room for their values', () => {
    const { result } = metRows(300, 100, (i) => [i % 100, [String(i % 3), i % 2 === 0 ? 'null' : '"x"']], 10);
    // Each third time has the same number again; texts are there where the row is odd.
    assert.deepEqual([result.isAtLeast, result.replaced + result.repeated + result.joined], [false, 200]);
    const same = metRows(300, 100, (i) => [i % 100, [String(i % 100), '"x"']], 10).result;
    assert.deepEqual([same.replaced, same.repeated, same.first], [0, 200, undefined]);
    const other = metRows(300, 100, (i) => [i % 100, [String(i), 'null']], 0).result;
    assert.deepEqual([other.replaced, other.repeated, [...other.channels]], [200, 0, [['a', 200]]]);
    assert.deepEqual(other.first?.before, { place: 1, value: undefined });
    // Which of two channels it was is not known.
    const either = metRows(300, 100, (i) => [i % 100, [String(i), '"x"']], 0).result;
    assert.deepEqual([either.replaced, [...either.channels]], [200, []]);
  });

  it('that are too many to be remembered are counted as far as they are, and are at least so many', () => {
    const { result } = metRows(300, 60, (i) => [i % 100, [String(i), '"x"']], 10);
    assert.deepEqual([result.isAtLeast, result.replaced], [true, 120]);
    assert.throws(() => metRows(300, 60, (i) => [i % 100, [String(i), '"x"']], 10, 'keep'), TooManyRows);
  });

  it('that were long ago for their steps back are forgotten', () => {
    const { result, left } = metRows(20_000, 5000, (i) => [i - (i % 10), [String(i), '"x"']], 10);
    assert.deepEqual([result.isAtLeast, result.replaced], [false, 18_000]);
    assert.ok(left.rows > 1000);
  });
});

/** Rows of the channels `a` and `b` that step back by 10 at most, or to the begin, with little room to remember them. */
function metRows(
  rows: number,
  room: number,
  rowOf: (i: number) => [time: number, cells: string[]],
  cellsRoom: number,
  sameTime: SameTime = 'replace',
) {
  const left = new MemoryLeft();
  left.rows = room;
  left.cells = cellsRoom;
  const met = new MetRows({ channels: [0, 1], isJson: true }, ['a', 'b'], sameTime, left);
  const back = rowOf(rows - 1)[0] > 1000 ? 10n : 100n;
  for (let i = 0; i < rows; i++) {
    const [time, cells] = rowOf(i);
    met.add(BigInt(time), cells, { place: i + 1, table: 0, group: 0, run: 0 }, { hasTies: true, back }, '');
  }
  return { result: met.result(), left };
}

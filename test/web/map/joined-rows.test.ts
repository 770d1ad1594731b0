import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Column, heldAt, joinRows } from '../../../web/src/map/joined-rows.ts';

const range = (count: number) => Array.from({ length: count }, (_, i) => i);
/** A value every so many ms, from a time on: the time itself, or what is said of it. */
const every = (step: number, count: number, from = 0, value = (time: number) => time): Column => {
  const times = range(count).map((i) => from + i * step);
  return { times, values: times.map(value) };
};
/** Columns of rows that may miss values. */
const columns = (rows: readonly (readonly (number | null)[])[], times = range(rows.length)) =>
  range(rows[0]!.length).map((column): Column => {
    const own = range(rows.length).filter((row) => rows[row]![column] !== null);
    return {
      rows: own,
      times: own.map((row) => times[row]!),
      values: own.map((row) => rows[row]![column]!),
    };
  }) as [Column, Column, Column];

describe('channels with rows of their own', () => {
  it('are joined at the rows of the slower one, whichever is x, beside the last value of the faster one', () => {
    const [fast, slow] = [every(10, 100), every(100, 10, 5)];
    const times = range(10).map((i) => 100 * i + 5);
    const held = range(10).map((i) => 100 * i);
    const one = joinRows(fast, slow);
    assert.deepEqual([one.points, one.times, one.x, one.y], [1, times, held, times]);
    assert.deepEqual([one.held, one.alone[1]], [[10, 0, 0], 0]);
    const other = joinRows(slow, fast);
    assert.deepEqual([other.points, other.times, other.x, other.y], [0, times, times, held]);
    assert.deepEqual([other.held, other.alone[0]], [[0, 10, 0], 0]);
  });

  it('hold a value for five usual spacings, and not over a gap', () => {
    const fast = every(10, 200);
    const isThere = (time: number) => time < 400 || time >= 1000;
    const times = (fast.times as number[]).filter(isThere);
    const joined = joinRows({ times, values: times }, every(100, 20, 5));
    // That at 405 ms is 15 ms old; from 440 ms on nothing holds.
    assert.deepEqual(
      joined.x,
      [0, 100, 200, 300, 390, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900],
    );
    assert.deepEqual([joined.held, joined.alone[1]], [[15, 0, 0], 5]);
    const at = (time: number) =>
      heldAt({ times: [time], values: [0] }, { times: [0, 10, 20], values: [7, 8, 9] })[0];
    assert.deepEqual([at(-1), at(0), at(9), at(10), at(70), at(71)], [-1, 0, 0, 1, 2, -1]);
  });

  it('of the same rate are joined where their values are closer in time, as two messages of one fix', () => {
    const [longitude, latitude] = [every(100, 10), every(100, 10, 1)];
    for (const [x, y] of [
      [longitude, latitude],
      [latitude, longitude],
    ] as const) {
      const joined = joinRows(x, y);
      assert.deepEqual(joined.times, latitude.times);
      assert.deepEqual(joined[x === longitude ? 'x' : 'y'], longitude.times);
      assert.deepEqual([joined.held[0] + joined.held[1], joined.alone[joined.points]], [10, 0]);
    }
  });

  it('that are as close either way leave out as few rows as they can', () => {
    const joined = joinRows(every(2, 100), every(2, 100, 1));
    assert.deepEqual(
      [joined.points, joined.times.length, joined.held, joined.alone],
      [1, 100, [100, 0, 0], [1, 0]],
    );
    const single = joinRows(every(1, 100), every(1, 1, 50));
    assert.deepEqual([single.points, single.times, single.alone], [1, [50], [99, 0]]);
  });

  it('are coloured by the last value too, and a single one holds for its own time only', () => {
    const position = every(100, 10);
    const colour = every(1000, 2, -950, (time) => time / 10);
    const joined = joinRows(position, position, colour);
    assert.deepEqual(joined.shade, [-95, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    assert.deepEqual([joined.held, joined.uncoloured], [[0, 0, 10], 0]);
    const single = joinRows(position, position, every(1, 1, 300));
    assert.deepEqual(
      single.shade,
      range(10).map((i) => (i === 3 ? 300 : Number.NaN)),
    );
    assert.deepEqual([single.held, single.uncoloured], [[0, 0, 0], 9]);
  });

  it('take what was written before they begin, which is no point', () => {
    const slow: Column = { times: [-90, 10, 110], values: [1, 2, 3], before: 1 };
    const fast: Column = { times: [-20, -10, 0, 100], values: [4, 5, 6, 7], before: 2 };
    const joined = joinRows(slow, fast, { times: [-200, -100], values: [8, 9], before: 2 });
    assert.deepEqual(
      [joined.x, joined.y, joined.shade],
      [
        [2, 3],
        [6, 7],
        [9, 9],
      ],
    );
    assert.deepEqual(
      [joined.held, joined.alone],
      [
        [0, 2, 2],
        [0, 0],
      ],
    );
  });

  it('say nothing of rows of one time, and take the value of their own row where they have one', () => {
    const [x, y] = columns(
      [
        [1, 2],
        [3, 4],
        [5, null],
        [null, 6],
      ],
      [0, 0, 10, 10],
    );
    const joined = joinRows(x, y);
    assert.deepEqual(
      [joined.x, joined.y, joined.held, joined.alone],
      [
        [1, 3, 5],
        [2, 4, 6],
        [0, 0, 0],
        [0, 0],
      ],
    );
  });

  it('are not drawn where a value, also one that holds, is no number', () => {
    const [x, y] = columns([
      [1, 2],
      [Number.NaN, null],
      [null, 4],
      [5, Number.POSITIVE_INFINITY],
      [6, 7],
    ]);
    const joined = joinRows(x, y);
    assert.deepEqual(
      [joined.x, joined.y, joined.held],
      [
        [1, 6],
        [2, 7],
        [0, 0, 0],
      ],
    );
  });

  it('stay as they are in all rows that have both, and are all of them where one channel is in rows of the other', () => {
    const number = fc.option(fc.integer({ min: -5, max: 5 }), { freq: 2 });
    const rows = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 2 }), (some, kind) => {
        // Of kind 1 and 2, each row that has the one channel has the other, too.
        const all = some.map(([x, y, z], i): (number | null)[] => [
          kind === 1 && y !== null ? (x ?? i) : x,
          kind === 2 && x !== null ? (y ?? i) : y,
          z,
        ]);
        const [x, y, shade] = columns(all);
        const joined = joinRows(x, y, shade);
        const points = joined.times.map((time, i) => [time, joined.x[i], joined.y[i]]);
        const both = all.flatMap(([a, b], i) => (a === null || b === null ? [] : [[i, a, b]]));
        for (const row of both)
          assert.deepEqual(
            points.find(([time]) => time === row[0]),
            row,
          );
        if (kind === 0 || both.length === 0) return;
        assert.deepEqual([points, joined.held.slice(0, 2)], [both, [0, 0]]);
      }),
    );
  });
});

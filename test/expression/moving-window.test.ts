import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { movingExtreme } from '../../src/expression/moving-extreme.ts';
import { movingMean } from '../../src/expression/moving-mean.ts';
import type { StreamState } from '../../src/expression/stream-state.ts';
import { unboundedRoom } from '../../src/expression/value-room.ts';
import { cases } from '../extent.ts';

const step = 1_000_000;
/** What times count from. */
const base = 1_700_000_000_000_000_000n;

interface Rows {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

describe('the smallest and the largest value of a window', () => {
  it('are those of all rows of the window, however many rows come at a time', () => {
    fc.assert(
      fc.property(
        streams(),
        fc.constantFrom<1 | -1>(1, -1),
        windowsOfRows(),
        lengthsOfCalls(),
        (rows, sign, windowRows, lengths) => {
          const width = windowRows * step;
          const made = inCalls(rows, movingExtreme(width, sign, unboundedRoom), lengths);
          assertSame(made, plainExtremes(rows, width, sign));
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('go on from what was saved', () => {
    fc.assert(
      fc.property(streams(), windowsOfRows(), fc.integer({ min: 1, max: 5000 }), (rows, windowRows, cut) => {
        const width = windowRows * step;
        const made = inCalls(
          rows,
          saved(() => movingExtreme(width, -1, unboundedRoom)),
          [cut],
        );
        assertSame(made, plainExtremes(rows, width, -1));
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('the mean of a window', () => {
  it('is the same to the last bit, however many rows come at a time', () => {
    fc.assert(
      fc.property(streams(), windowsOfRows(), lengthsOfCalls(), (rows, windowRows, lengths) => {
        const state = () => movingMean(windowRows * step, unboundedRoom);
        const rowByRow = inCalls(rows, state(), [1]);
        assertSame(inCalls(rows, state(), lengths), rowByRow);
        assertSame(inCalls(rows, saved(state), lengths), rowByRow);
      }),
      { numRuns: cases(200) },
    );
  });

  it('is that of all rows of the window', () => {
    fc.assert(
      fc.property(streams(), windowsOfRows(), (rows, windowRows) => {
        const width = windowRows * step;
        const made = inCalls(rows, movingMean(width, unboundedRoom), [5000]);
        const wanted = plainMeans(rows, width);
        for (const [row, value] of made.entries())
          assert.ok(
            Object.is(value, wanted[row]) || Math.abs(value - wanted[row]!) < 1e-9,
            `row ${row}: ${value}, not ${wanted[row]}`,
          );
      }),
      { numRuns: cases(100) },
    );
  });
});

/** Gives a state its rows in calls of these lengths, which come again and again. */
function inCalls(rows: Rows, state: StreamState, lengths: readonly number[]): Float64Array {
  const count = rows.times.length;
  const out = new Float64Array(count);
  const present = new Uint8Array((count + 7) >> 3);
  for (let from = 0, i = 0; from < count; i++) {
    const to = Math.min(count, from + lengths[i % lengths.length]!);
    assert.equal(state.nextAll({ from, to, base, ...rows }, out, present), to - from);
    from = to;
  }
  return out;
}

/** Each call goes to a state that was restored from the one before. */
function saved(make: () => StreamState): StreamState {
  let last = make();
  return {
    ...last,
    nextAll(rows, out, present) {
      const next = make();
      next.restore(last.save());
      last = next;
      return next.nextAll(rows, out, present);
    },
  };
}

function assertSame(made: Float64Array, wanted: Float64Array): void {
  for (let row = 0; row < wanted.length; row++)
    assert.ok(Object.is(made[row], wanted[row]), `row ${row}: ${made[row]}, not ${wanted[row]}`);
}

function windowsOfRows(): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 1500 }));
}

function lengthsOfCalls(): fc.Arbitrary<number[]> {
  const length = fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 91, max: 3000 }));
  return fc.array(length, { minLength: 1, maxLength: 4 });
}

function plainMeans({ times, values }: Rows, width: number): Float64Array {
  return values.map((_, row) => {
    let sum = 0;
    let i = row;
    for (; i >= 0 && times[i]! > times[row]! - width; i--) sum += values[i]!;
    return sum / (row - i);
  });
}

/** Each window by itself; of equal values, as 0 and -0, the latest one. */
function plainExtremes({ times, values }: Rows, width: number, sign: 1 | -1): Float64Array {
  return values.map((value, row) => {
    let best = value;
    for (let i = row; i >= 0 && times[i]! > times[row]! - width; i--) {
      const other = values[i]!;
      if (Number.isNaN(other) || sign * other < sign * best) best = other;
      if (Number.isNaN(best)) break;
    }
    return best;
  });
}

/** Even steps, steps that waver, gaps, equal times; walks, noise, few values with zeros of both signs, oddities. */
function streams(): fc.Arbitrary<Rows> {
  return fc
    .record({
      count: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 301, max: 5000 })),
      seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      clock: fc.constantFrom('even', 'wavering', 'gaps', 'equal'),
      shape: fc.constantFrom('walk', 'noise', 'few', 'odd'),
    })
    .map(({ count, seed, clock, shape }) => {
      let state = seed;
      const random = (): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      const times = new Float64Array(count);
      const values = new Float64Array(count);
      let [time, value] = [0, 0];
      for (let row = 0; row < count; row++) {
        times[row] = time;
        value = nextValue(shape, value, random);
        values[row] = value;
        if (shape === 'odd' && random() < 0.01)
          values[row] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY][row % 3]!;
        time += nextStep(clock, random);
      }
      return { times, values };
    });
}

function nextStep(clock: string, random: () => number): number {
  if (clock === 'wavering') return Math.round(step * (0.6 + 0.8 * random()));
  if (clock === 'gaps') return random() < 0.003 ? 500 * step : step;
  if (clock === 'equal') return random() < 0.3 ? 0 : step;
  return step;
}

function nextValue(shape: string, last: number, random: () => number): number {
  if (shape === 'noise') return random() - 0.5;
  if (shape === 'few') return [-0, 0, 1, -1][Math.floor(random() * 4)]!;
  return last + Math.round((random() - 0.5) * 501) / 1000;
}

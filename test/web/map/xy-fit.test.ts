import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { areaOf, fitOf, hullOf } from '../../../web/src/map/xy-fit.ts';

describe('the line that fits rows', () => {
  it('is the one by which they were made', () => {
    const x = [1, 2, 3, 4, 5, 1e6];
    const { slope, offset, told } = fitOf({ x, y: x.map((own) => -2.5 * own + 7) })!;
    assert.ok(Math.abs(slope + 2.5) < 1e-9 && Math.abs(offset - 7) < 1e-6 && told > 1 - 1e-12);
  });

  it('has the slope, offset and R² of a textbook', () => {
    // F. J. Anscombe, "Graphs in statistical analysis" (1973), the first of the four.
    const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
    const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    const { slope, offset, told } = fitOf({ x, y })!;
    assert.deepEqual([slope.toFixed(3), offset.toFixed(2), told.toFixed(3)], ['0.500', '3.00', '0.667']);
  });

  it('is none where x stands still', () => {
    assert.equal(fitOf({ x: [3, 3, 3], y: [1, 2, 3] }), undefined);
    assert.equal(fitOf({ x: [3], y: [1] }), undefined);
    assert.equal(fitOf({ x: [1, 2], y: [4, 4] })?.told, 1);
  });
});

describe('the hull of rows', () => {
  it('is the square that they fill', () => {
    const x = [0, 4, 4, 0, 2, 1, 4, 2];
    const y = [0, 0, 4, 4, 2, 3, 2, 0];
    const corners = hullOf({ x, y });
    assert.deepEqual(corners, [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 4],
    ]);
    assert.equal(areaOf(corners), 16);
  });

  it('has all rows inside, and only rows for corners', () => {
    const number = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { minLength: 3, maxLength: 60 }), (points) => {
        const [x, y] = [points.map(([own]) => own), points.map(([, own]) => own)];
        const corners = hullOf({ x, y });
        assert.ok(corners.every(([a, b]) => points.some(([c, d]) => a === c && b === d)));
        for (const [px, py] of points) {
          for (const [i, [ax, ay]] of corners.entries()) {
            const [bx, by] = corners[(i + 1) % corners.length]!;
            assert.ok((bx - ax) * (py - ay) - (by - ay) * (px - ax) >= 0, `${px} ${py}`);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('of no rows, and of one, is that', () => {
    assert.deepEqual(hullOf({ x: [], y: [] }), []);
    assert.deepEqual(hullOf({ x: [1, 1], y: [2, 2] }), [[1, 2]]);
  });
});

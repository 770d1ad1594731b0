import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import {
  rangeInWindow,
  windowOf,
  windowOfHalves,
  windowStart,
} from '../../../../src/store/embedded/rows/windows.ts';

const span = 2n ** 50n;
const anyTime = fc.oneof(
  fc.bigInt({ min: minTimestamp, max: maxTimestamp }),
  fc.tuple(fc.bigInt({ min: -8192n, max: 8191n }), fc.bigInt({ min: -2n, max: 2n })).map(([window, step]) => {
    const time = window * span + step;
    return time < minTimestamp ? minTimestamp : time;
  }),
);

describe('windows of time', () => {
  it('are 2^50 ns long and begin at the epoch, negative ones before it', () => {
    assert.deepEqual([0n, span - 1n, span, -1n, -span, -span - 1n].map(windowOf), [0, 0, 1, -1, -1, -2]);
    assert.deepEqual([windowOf(minTimestamp), windowOf(maxTimestamp)], [-8192, 8191]);
    assert.deepEqual([windowStart(0), windowStart(-1), windowStart(8191)], [0n, -span, 8191n * span]);
  });

  it('hold the times from their start up to the next', () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        const offset = time - windowStart(windowOf(time));
        assert.ok(offset >= 0n && offset < span);
      }),
    );
  });

  it('are told from the halves of a time, where what follows it lies in the same one', () => {
    const spans = fc.oneof(
      fc.nat(3),
      fc.integer({ min: 0, max: 2 ** 50 + 2 }),
      fc.integer({ min: 0, max: 2 ** 53 - 1 }),
    );
    fc.assert(
      fc.property(anyTime, spans, (time, length) => {
        const halves = new Uint32Array(BigInt64Array.of(time).buffer);
        const [window, last] = [windowOf(time), windowOf(time + BigInt(length))];
        assert.equal(windowOfHalves(halves[0]!, halves[1]!, length), last === window ? window : undefined);
      }),
    );
  });

  it('are covered by a range exactly where it says so', () => {
    fc.assert(
      fc.property(anyTime, anyTime, anyTime, (a, b, time) => {
        const [from, to] = a <= b ? [a, b] : [b, a];
        const window = windowOf(time);
        const offset = Number(time - windowStart(window));
        const inside = rangeInWindow(window, from, to);
        const covered = inside !== undefined && offset >= inside.first && offset <= inside.last;
        assert.equal(covered, time >= from && time <= to);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { envelope, growingEnvelope } from '../../../web/src/live/envelope.ts';
import { createLine } from '../../../web/src/live/line.ts';
import { rolling } from '../../../web/src/live/rolling.ts';

const stream = { topic: 'cars', streamId: 'live' };
const base = 1_800_000_000_000_000_001n;

describe('a line of live data', () => {
  it('is what a map by time would be, in whichever pieces and order its points come', () => {
    const point = fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.array(point, { maxLength: 8 }), { maxLength: 12 }), (pieces) => {
        const line = createLine();
        const expected = new Map<number, number>();
        for (const piece of pieces) {
          const sorted = piece.toSorted(([a], [b]) => a - b);
          line.add(
            sorted.map(([time]) => time),
            sorted.map(([, value]) => value),
          );
          for (const [time, value] of sorted) expected.set(time, value);
        }
        const { times, values } = line.points();
        assert.deepEqual(
          [...times].map((time, i) => [time, values[i]]),
          [...expected].sort(([a], [b]) => a - b),
        );
      }),
    );
  });

  it('keeps its newest points while it is trimmed and grows', () => {
    const line = createLine();
    for (let time = 0; time < 10_000; time++) {
      line.add([time], [time * 2]);
      line.trim(time - 99);
    }
    const { times, values } = line.points();
    assert.equal(times.length, 100);
    assert.deepEqual([times[0], times[99], values[99]], [9900, 9999, 19998]);
  });

  it('loses no peak when it is reduced', () => {
    const times = Float64Array.from({ length: 100 }, (_, i) => i);
    const values = Float64Array.from(times, (time) => (time === 47 ? 1000 : time === 48 ? -1000 : 0));
    assert.deepEqual(envelope({ times, values }, 50), {
      starts: Float64Array.of(0, 50),
      low: Float64Array.of(-1000, 0),
      high: Float64Array.of(1000, 0),
      counts: Uint32Array.of(50, 50),
      before: Float64Array.of(0, 1),
    });
  });
});

describe('a line that is reduced', () => {
  it('has of each bucket the least and the largest value, the number of points and how long there was none before', () => {
    const number = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(Number.NaN));
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), number));
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 500 }),
        steps,
        fc.integer({ min: 1, max: 40 }),
        (from, points, bucket) => {
          let time = from;
          const times = Float64Array.from(points, ([step]) => (time += step));
          const values = Float64Array.from(points, ([, value]) => value);
          const groups = new Map<number, number[]>();
          for (const [i, own] of times.entries()) {
            const start = Math.floor(own / bucket) * bucket;
            groups.set(start, [...(groups.get(start) ?? []), i]);
          }
          const found = envelope({ times, values }, bucket);
          assert.deepEqual([...found.starts], [...groups.keys()]);
          for (const [i, own] of [...groups.values()].entries()) {
            const numbers = own.map((point) => values[point]!).filter((value) => !Number.isNaN(value));
            const [least, largest] =
              numbers.length === 0 ? [Number.NaN, Number.NaN] : [Math.min(...numbers), Math.max(...numbers)];
            assert.deepEqual([found.low[i], found.high[i]], [least, largest]);
            const silence = own[0] === 0 ? 0 : times[own[0]!]! - times[own[0]! - 1]!;
            assert.deepEqual([found.counts[i], found.before[i]], [own.length, silence]);
          }
        },
      ),
    );
  });
});

describe('a line that is reduced while it grows', () => {
  it('has what it would have if it were reduced whole, whatever comes late, is replaced or let go of', () => {
    const step = fc.record({
      add: fc.array(fc.integer({ min: -60, max: 40 }), { maxLength: 12 }),
      trim: fc.option(fc.integer({ min: 0, max: 150 })),
      bucket: fc.constantFrom(7, 7, 7, 20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const line = createLine();
        const reduced = growingEnvelope(line);
        let value = 0;
        for (const [i, { add, trim, bucket }] of steps.entries()) {
          const times = add.map((own) => 20 * i + own).sort((a, b) => a - b);
          line.add(
            times,
            times.map((time) => (time * 7919 + value++) % 101),
          );
          if (trim !== null) line.trim((line.newest ?? 0) - trim);
          assert.deepEqual(reduced(bucket), envelope(line.points(), bucket));
        }
      }),
    );
  });
});

describe('the window of live data', () => {
  it('ends with the newest row and drops what is older than its span', () => {
    const rows = rolling([stream], { numbers: ['Speed'], texts: [] });
    rows.add(stream, { timestamps: [base, base + 5n], numericValues: { Speed: [1, 2], Gear: [7, 7] } });
    rows.add(stream, { timestamps: [base + 20n], numericValues: { Speed: [3] } });
    assert.equal(rows.newestOf(stream), base + 20n);
    const shown = rows.window(15n, 800)!;
    assert.deepEqual(shown.range, { from: base + 5n, to: base + 20n });
    const { points } = shown.traces[0]!;
    assert.deepEqual([...points.low], [2, 3]);
    assert.deepEqual(points.span(0), { from: base + 5n, to: base + 5n });
  });

  it('does not take for values what every object has by the name of a parameter', () => {
    const rows = rolling([stream], { numbers: ['constructor', '__proto__'], texts: [] });
    rows.add(stream, { timestamps: [base], numericValues: { Speed: [1] } });
    assert.equal(rows.newestOf(stream), undefined);
    const values = JSON.parse('{"constructor":[1],"__proto__":[2]}') as Record<string, number[]>;
    rows.add(stream, { timestamps: [base + 1n], numericValues: values });
    assert.deepEqual(
      rows.window(10n, 800)!.traces.map(({ points }) => [...points.low]),
      [[1], [2]],
    );
  });

  it('takes rows last first, and those that were missed, into their places', () => {
    const rows = rolling([stream], { numbers: ['Speed'], texts: [] });
    rows.add(stream, { timestamps: [base + 9n], numericValues: { Speed: [9] } });
    rows.add(stream, { timestamps: [base + 3n, base + 2n, base], numericValues: { Speed: [3, null, 0] } });
    assert.deepEqual([...rows.window(100n, 800)!.traces[0]!.points.low], [0, 3, 9]);
  });

  it('moves on along an axis that stays: points are drawn where they were', () => {
    const rows = rolling([stream], { numbers: ['Speed'], texts: [] });
    const write = (second: number) =>
      rows.add(stream, {
        timestamps: [base + BigInt(second) * 1_000_000_000n],
        numericValues: { Speed: [second] },
      });
    write(0);
    write(30);
    const before = rows.window(60_000_000_000n, 800)!;
    write(45);
    const after = rows.window(60_000_000_000n, 800)!;
    assert.equal(after.origin, before.origin);
    assert.deepEqual([...after.traces[0]!.points.x], [0, 30, 45]);
    assert.equal(after.range.to - before.range.to, 15_000_000_000n);
  });

  it('tells of a bucket how many rows it has, from when to when, and of gaps in it', () => {
    const rows = rolling([stream], { numbers: ['Speed'], texts: [] });
    const times = [0, 1, 2, 3, 4, 5, 6, 7, 40, 41, 42, 43, 44, 45, 46, 47];
    rows.add(stream, {
      timestamps: times.map((time) => base + BigInt(time)),
      numericValues: { Speed: times },
    });
    // Three pixels for 48 ns: buckets of 16 ns, from the first row on; the window begins behind it.
    const { traces } = rows.window(46n, 3)!;
    const { points } = traces[0]!;
    assert.equal(points.bucket, 16n);
    assert.deepEqual([...points.low], [1, 40]);
    assert.deepEqual([...points.high], [7, 47]);
    assert.deepEqual([...points.gaps], [0, 1]);
    assert.deepEqual([points.rows(0), points.rows(1)], [7, 8]);
    assert.deepEqual(points.span(0), { from: base + 1n, to: base + 15n });
    assert.deepEqual(points.span(1), { from: base + 32n, to: base + 47n });
  });

  it('knows a gap in the first drawing of many rows that come at once', () => {
    const rows = rolling([stream], { numbers: ['Speed'], texts: [] });
    rows.add(stream, { timestamps: [base], numericValues: { Speed: [0] } });
    rows.window(20_000n, 100);
    // Silent between row 2000 and the next one.
    const times = Array.from({ length: 4000 }, (_, i) => i + 1 + (i < 2000 ? 0 : 3000));
    rows.add(stream, {
      timestamps: times.map((time) => base + BigInt(time)),
      numericValues: { Speed: times },
    });
    const { points } = rows.window(20_000n, 100)!.traces[0]!;
    assert.equal(points.bucket, 200n);
    assert.deepEqual(
      [...points.gaps].flatMap((gap, i) => (gap === 1 ? [points.span(i).from] : [])),
      [base + 5000n],
    );
  });

  it('lets go of texts that no row has any more, and goes on naming those that are seen', () => {
    const rows = rolling([stream], { numbers: [], texts: ['Log'] });
    const span = 99;
    for (let row = 0; row < 20_000; row++) {
      const text = row % 10 === 0 ? 'again' : `line ${row}`;
      rows.add(stream, {
        timestamps: [base + BigInt(row)],
        numericValues: {},
        stringValues: { Log: [text] },
      });
      if (row % 50 !== 0) continue;
      const { points, texts } = rows.window(BigInt(span), 800)!.traces[0]!;
      const first = Math.max(0, row - span - 1);
      assert.deepEqual(
        [...points.low].map((place) => texts![place]),
        Array.from({ length: points.low.length }, (_, i) =>
          (first + i) % 10 === 0 ? 'again' : `line ${first + i}`,
        ),
      );
      assert.equal(points.low.length, row - first + 1);
      assert.ok(texts!.length < 1300, `${texts!.length} texts`);
    }
  });
});

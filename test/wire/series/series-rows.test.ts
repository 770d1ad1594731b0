import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tagSet } from '../../../src/domain/tags.ts';
import { whole } from '../../../src/turns/steps.ts';
import { Refused } from '../../../src/wire/series/refused.ts';
import { maxMs, type Series, SeriesRows } from '../../../src/wire/series/series-rows.ts';
import { plainRows } from '../payloads.ts';

const series = (name: string, tags: Record<string, string> = {}, streamId = 's'): Series => ({
  topic: 't',
  streamId,
  name,
  tags: tagSet(Object.entries(tags)),
});

type Sample = readonly [ms: number, ns: number, value: number];

function rowsOf(written: readonly (readonly [Series, readonly Sample[]])[], maxParameters = 4096) {
  const rows = new SeriesRows(maxParameters);
  for (const [of, samples] of written) {
    for (const [ms, ns, value] of samples) rows.add(ms, ns, value);
    rows.put(of);
  }
  return whole(rows.rowSteps(new Refused()));
}

/** By stream, time, tags and name, as a later row replaces an earlier one. */
function cellsOf(streams: ReturnType<typeof rowsOf>): Map<string, number> {
  const cells = new Map<string, number>();
  for (const { streamId, rows } of streams) {
    for (const { time, tags, values } of plainRows(rows)) {
      for (const [name, value] of Object.entries(values))
        cells.set(`${streamId} ${time} ${tags} ${name}`, value as number);
    }
  }
  return cells;
}

describe('series as rows', () => {
  it('share rows where times and tags are the same, and columns where the names are', () => {
    const streams = rowsOf([
      [
        series('a', { cpu: '0' }),
        [
          [1, 0, 1],
          [2, 0, 2],
        ],
      ],
      [
        series('b', { cpu: '0' }),
        [
          [1, 0, 3],
          [2, 0, 4],
        ],
      ],
      [
        series('a', { cpu: '1' }),
        [
          [1, 0, 5],
          [2, 0, 6],
        ],
      ],
      [
        series('b', { cpu: '1' }),
        [
          [1, 0, 7],
          [2, 0, 8],
        ],
      ],
      [series('c'), [[1, 5, 9]]],
    ]);
    const { rows } = streams[0]!;
    assert.deepEqual(
      rows.map(({ count, columns }) => [count, columns.length]),
      [
        [4, 2],
        [1, 1],
      ],
    );
    assert.equal(cellsOf(streams).get('s 2000000 [["cpu","1"]] 0:b'), 8);
    assert.equal(cellsOf(streams).get('s 1000005 [] 0:c'), 9);
  });

  it('have the values that were written last, whatever came between', () => {
    const time = fc.constantFrom(-maxMs, -1, 0, 1, 2, 4e9 - 1, 4e9, 1_700_000_000_000, maxMs);
    const sample = fc.tuple(time, fc.constantFrom(0, 1, 999_999), fc.integer());
    const one = fc.tuple(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('0', '1'),
      fc.constantFrom('s', 'r'),
      fc.array(sample, { minLength: 1, maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), fc.constantFrom(1, 2, 4096), (all, maxParameters) => {
        const wanted = new Map<string, number>();
        for (const [name, tag, streamId, samples] of all) {
          for (const [ms, ns, value] of samples) {
            const at = BigInt(ms) * 1_000_000n + BigInt(ns);
            wanted.set(`${streamId} ${at} [["g","${tag}"]] 0:${name}`, value);
          }
        }
        const streams = rowsOf(
          all.map(([name, g, streamId, samples]) => [series(name, { g }, streamId), samples]),
          maxParameters,
        );
        for (const { rows } of streams)
          for (const { columns, offsets } of rows) {
            assert.ok(columns.length <= maxParameters);
            assert.equal(Math.min(...offsets), 0);
          }
        assert.deepEqual(
          [...cellsOf(streams)].sort(([a], [b]) => (a < b ? -1 : 1)),
          [...wanted].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }),
    );
  });

  it('leave nothing of a series that is dropped', () => {
    const rows = new SeriesRows(10);
    rows.add(1, 0, 1);
    rows.end(2, 0);
    rows.drop();
    rows.add(3, 0, 3);
    rows.put(series('a'));
    const [stream] = whole(rows.rowSteps(new Refused()));
    assert.deepEqual([plainRows(stream!.rows).map(({ time }) => time), stream!.ends], [[3_000_000n], []]);
  });

  it('take memory of the share before they need it', () => {
    let taken = 0;
    const rows = new SeriesRows(10, {
      take(bytes) {
        taken += bytes;
        if (taken > 1_000_000) throw new Error('no more');
      },
    });
    let added = 0;
    assert.throws(() => {
      for (;;) {
        rows.add(added, 0, 1);
        added++;
      }
    }, /no more/);
    assert.ok(added < 1_000_000 / 16, `${added} samples`);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileRow, writeFile } from './rows-of-a-file.ts';

/** Numbers of the rows at which times begin anew. */
function restartsOf(times: readonly number[], tagOf: (i: number) => string | null = () => null): number[] {
  const rows = times.map((time, i): FileRow => [time, tagOf(i), i]);
  return writeFile(rows).seen.restarts.map(({ place }) => place);
}

const run = (from: number, rows: number, step = 10) =>
  Array.from({ length: rows }, (_, i) => from + i * step);

describe('times that begin anew', () => {
  it('fall back to about the begin of the run', () => {
    assert.deepEqual(restartsOf([0, 100, 0, 100]), [3]);
    assert.deepEqual(restartsOf([...run(0, 100), ...run(0, 100), ...run(0, 100)]), [101, 201]);
    assert.deepEqual(restartsOf([...run(0, 100), ...run(70, 100)]), [101]);
    assert.deepEqual(restartsOf([...run(5000, 100), ...run(0, 100)]), [101]);
    assert.deepEqual(restartsOf([...run(0, 1000), ...run(0, 3), ...run(0, 50)]), [1001, 1004]);
  });

  it('are not a few rows that stand late, or a single one far ahead', () => {
    assert.deepEqual(restartsOf([0, 20, 10, 30, 20, 40, 30]), []);
    assert.deepEqual(restartsOf([10, 20, 5, 30, 40]), []);
    assert.deepEqual(restartsOf([0, 20, 0, 10, 30, 10, 20, 40, 20, 30, 50, 30]), []);
    assert.deepEqual(restartsOf([...run(0, 10), 1_000_000, ...run(100, 10)]), []);
    assert.deepEqual(restartsOf([...run(0, 100), ...run(500, 100)]), []);
    assert.deepEqual(restartsOf(run(1000, 100, -10)), []);
  });

  it('are found in rows that stand a little out of order', () => {
    const disordered = run(0, 100).map((time, i) => time + (i % 3 === 0 ? 25 : 0));
    assert.deepEqual(restartsOf([...disordered, ...disordered]), [101]);
  });

  it('are those of rows with the same tags, or with tags that were not there before', () => {
    const sensors = run(0, 100).flatMap((time) => [time + 5000, time]);
    assert.deepEqual(
      restartsOf(sensors, (i) => ['a', 'b'][i % 2]!),
      [],
    );
    const laps = [...run(0, 100), ...run(0, 100)].map((time, i): FileRow => [time, i < 100 ? '1' : '2', i]);
    assert.deepEqual(
      writeFile(laps).seen.restarts.map(({ place, hasNewTags }) => [place, hasNewTags]),
      [[101, true]],
    );
    const again = [...laps, ...run(0, 100).map((time): FileRow => [time, '1', 1])];
    assert.deepEqual(
      writeFile(again).seen.restarts.map(({ place, hasNewTags }) => [place, hasNewTags]),
      [
        [101, true],
        [201, false],
      ],
    );
  });

  it('of moments, which have a date, are no restarts', () => {
    const day = 1_600_000_000_000_000_000;
    assert.deepEqual(restartsOf([...run(day, 10, 1_000_000), ...run(day, 10, 1_000_000)]), []);
  });

  it('are put behind one another by the usual step, or become streams of their own', () => {
    const twice = [...run(0, 4), ...run(0, 4), ...run(2, 2)].map((time, i): FileRow => [time, null, i]);
    const times = (restarts: 'append' | 'streams') =>
      writeFile(twice, { restarts }).written.map(({ time, run: of }) => `${of}:${time}`);
    assert.deepEqual(
      times('append'),
      [...run(0, 8), 80, 90].map((time) => `0:${time}`),
    );
    assert.deepEqual(times('streams'), [
      ...run(0, 4).map((time) => `0:${time}`),
      ...run(0, 4).map((time) => `1:${time}`),
      ...run(2, 2).map((time) => `2:${time}`),
    ]);
    assert.equal(writeFile(twice, { restarts: 'streams' }).result.stored, 10);
    assert.equal(writeFile(twice, { restarts: 'append' }).result.stored, 10);
    assert.equal(writeFile(twice, { restarts: 'replace' }).result.stored, 6);
  });
});

describe('an hour that stands twice', () => {
  const hour = 3_600_000_000_000;
  const began = 1_603_584_000_000_000_000;
  const hourOf = (times: readonly number[], kind: 'clock' | 'moment' | 'elapsed') =>
    writeFile(
      times.map((time, i): FileRow => [time, null, i]),
      {},
      { apart: [0], kind },
    ).seen;

  it('is found where clocks go back by an hour, and is no restart', () => {
    for (const minutes of [1, 10, 30]) {
      const step = minutes * 60_000_000_000;
      const rows = (3 * hour) / step;
      const times = [...run(began, rows, step), ...run(began + 2 * hour, rows, step)];
      const { hour: found, restarts } = hourOf(times, 'moment');
      assert.deepEqual([found?.place, found?.rows, restarts.length], [rows + 1, 60 / minutes, 0]);
    }
    const seconds = 1_000_000_000;
    const night = [...run(2 * hour, 3600, seconds), ...run(2 * hour, 7200, seconds)];
    const { hour: found, restarts } = hourOf(night, 'clock');
    assert.deepEqual([found?.place, found?.rows, restarts.length], [3601, 3600, 0]);
  });

  it('is found behind one row too, where nothing says how far rows are apart', () => {
    const last = began + hour - 1_000_000_000;
    const { hour: found, restarts } = hourOf([last, began, began + 1_000_000_000], 'moment');
    assert.deepEqual([found?.place, found?.rows, restarts.length], [2, 2, 0]);
    assert.equal(hourOf([last, last - hour / 2, last + 1], 'moment').hour, undefined);
  });

  it('is none in times since a start', () => {
    const { hour: found, restarts } = hourOf(
      [...run(0, 3600, 1_000_000_000), ...run(0, 3600, 1_000_000_000)],
      'elapsed',
    );
    assert.deepEqual([found, restarts.length], [undefined, 1]);
  });
});

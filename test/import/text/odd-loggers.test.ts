import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText } from './read-text.ts';

const second = 1_000_000_000n;
const start = BigInt(Date.parse('2021-05-08T00:00:00Z')) * 1_000_000n;
const of = (...lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`);

describe('numbers of the older C library of Microsoft', () => {
  it('are NaN and Infinity, also where its letters were rounded as digits', async () => {
    const cells = ['1.5', '1.#QNAN', '-1.#IND', '1.#QNAN0', '1.#R', '-1.#QO', '1.#QNANe+000', '-1.#IND00'];
    const { columns } = await readText(of('time,a', ...cells.map((cell, i) => `${i}.5,${cell}`)));
    assert.deepEqual(columns, { 'a [] number': [1.5, ...cells.slice(1).map(() => Number.NaN)] });
    const infinite = ['1.5', '1.#INF', '-1.#INF', '1.#J', '1.#IO', '1.#INF00', '-1.#INFe+000'];
    const read = await readText(of('time;a', ...infinite.map((cell, i) => `${i}.5;${cell}`)));
    const [more, less] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    assert.deepEqual(read.columns, { 'a [] number': [1.5, more, less, more, more, more, less] });
  });

  it('are none where a rounded one may be both', async () => {
    const rows = ['1.5', '2.5', '-1.#J'].map((cell, i) => `${i}.5,${cell}`);
    await assert.rejects(readText(of('time,a', ...rows)), /-1\.#J' is not a number/);
  });
});

describe('what the serial monitor of Arduino shows', () => {
  it('is times and values, with or without names', async () => {
    const one = await readText(of('14:03:10.123 -> 512', '14:03:10.223 -> 514', '14:03:10.323 -> '), {
      start,
    });
    const clock = (14n * 3600n + 3n * 60n + 10n) * second;
    assert.deepEqual(
      one.rows.map(({ time }) => time - start - clock),
      [123_000_000n, 223_000_000n, 323_000_000n],
    );
    assert.deepEqual(one.columns, { 'Column 2 [] number': [512, 514, null] });
    for (const mark of [',', ';', '\t', ' ']) {
      const named = await readText(
        of(
          `14:03:09.100 -> temp${mark}hum`,
          `14:03:10.123 -> 23.5${mark}40`,
          `14:03:10.223 -> 23.6${mark}41`,
        ),
        { start },
      );
      assert.equal(named.rows[0]!.time, start + clock + 123_000_000n);
      assert.deepEqual(named.columns, { 'temp [] number': [23.5, 23.6], 'hum [] number': [40, 41] });
    }
  });
});

describe('headers of RaceCapture', () => {
  it('are names and units, also where they come again', async () => {
    const header =
      '"Interval"|"ms"|0|0|50,"Utc"|"ms"|0|0|50,"Battery"|"Volts"|0.0|20.0|1,"Speed"|"MPH"|0.0|150.0|25';
    const { rows, columns, layout } = await readText(
      of(header, '100,1620482590100,13.5,50.5', '120,1620482590120,,51', header, '140,1620482590140,,51.5'),
    );
    assert.deepEqual(
      rows.map(({ time }) => time),
      [100n, 120n, 140n].map((ms) => 1_620_482_590_000_000_000n + ms * 1_000_000n),
    );
    assert.deepEqual(columns, {
      'Interval [ms] number': [100, 120, 140],
      'Battery [Volts] number': [13.5, null, null],
      'Speed [MPH] number': [50.5, 51, 51.5],
    });
    assert.deepEqual(
      layout.columns.map(({ header: name }) => name),
      ['Interval', 'Utc', 'Battery', 'Speed'],
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { readText } from './read-text.ts';

/** The times of rows as ISO 8601. */
async function timesOf(lines: readonly string[], settings?: TextSettings): Promise<string[]> {
  const { rows } = await readText(Buffer.from(`${lines.join('\n')}\n`), settings);
  return rows.map(({ time }) => new Date(Number(time / 1_000_000n)).toISOString());
}

describe('times in a text file', () => {
  it('are clocks without colons that lack zeros in front, as numbers do', async () => {
    const times = await timesOf(['t,v', '5.5,1', '310.5,2', '40310.5,3', '140310.5,4'], {
      timeForm: 'hhmmss',
    });
    assert.deepEqual(
      times,
      ['00:00:05.5', '00:03:10.5', '04:03:10.5', '14:03:10.5'].map((clock) => `1970-01-01T${clock}00Z`),
    );
  });

  it('have zones of whole hours, as PostgreSQL writes them', async () => {
    const times = await timesOf(['time,v', '2021-05-08 10:23:11.5+02,1', '2021-05-08 10:23:11.5-05,2']);
    assert.deepEqual(times, ['2021-05-08T08:23:11.500Z', '2021-05-08T15:23:11.500Z']);
  });

  it('have years of two digits before and after 2000', async () => {
    const times = await timesOf(['Date,v', '31.12.99 23:59:59,1', '01.01.00 00:00:00,2', '08.05.21 10:00,3']);
    assert.deepEqual(times, [
      '1999-12-31T23:59:59.000Z',
      '2000-01-01T00:00:00.000Z',
      '2021-05-08T10:00:00.000Z',
    ]);
  });

  it('are of laps by the beacons above the table, also where they are clocks or dates', async () => {
    const above = ['Log Date,2021-05-08', 'Log Time,14:03:10', 'Beacon Markers,0.1 0.2', ''];
    const laps = async (header: string, ...times: string[]) => {
      const lines = [...above, header, ...times.map((time, i) => `${time},${i}`)];
      const { columns } = await readText(Buffer.from(`${lines.join('\n')}\n`));
      return columns['LapNumber [] tag'];
    };
    const wanted = ['1', '1', '2', '3'];
    assert.deepEqual(await laps('Time,v', '0.0', '0.05', '0.1', '0.2'), wanted);
    assert.deepEqual(await laps('Time,v', '0:00.0', '0:00.05', '0:00.1', '0:00.2'), wanted);
    const clocks = ['14:03:10.0', '14:03:10.05', '14:03:10.1', '14:03:10.2'];
    assert.deepEqual(await laps('Time,v', ...clocks), wanted);
    assert.deepEqual(await laps('Time,v', ...clocks.map((clock) => `2021-05-08 ${clock}`)), wanted);
  });

  it('are of the day in a column of its own, month first where dates tell or clocks have AM and PM', async () => {
    const march = ['2021-02-03T14:03:10.000Z', '2021-02-13T14:03:10.000Z'];
    assert.deepEqual(await timesOf(['Date,Time,v', '02/03/2021,14:03:10,1', '02/13/2021,14:03:10,2']), march);
    assert.deepEqual(await timesOf(['Date,Time,v', '03/02/2021,14:03:10,1', '13/02/2021,14:03:10,2']), march);
    assert.deepEqual(await timesOf(['Date,Time,v', '02/03/2021,2:03:10 PM,1']), march.slice(0, 1));
    const ambiguous = ['Date,Time,v', '02/03/2021,14:03:10,1', '02/03/2021,14:03:11,2'];
    assert.deepEqual(await timesOf(ambiguous), ['2021-03-02T14:03:10.000Z', '2021-03-02T14:03:11.000Z']);
    assert.deepEqual(await timesOf(ambiguous, { timeForm: 'month-first' }), [
      '2021-02-03T14:03:10.000Z',
      '2021-02-03T14:03:11.000Z',
    ]);
  });

  it('are day first where a day says so, also before AM and PM', async () => {
    assert.deepEqual(await timesOf(['Date,v', '13/02/2021 2:03 PM,1']), ['2021-02-13T14:03:00.000Z']);
    assert.deepEqual(await timesOf(['Date,Time,v', '13/02/2021,2:03 PM,1']), ['2021-02-13T14:03:00.000Z']);
  });

  it('are those of the clock, also where there are more days than clocks', async () => {
    const lines = ['Date,Time,v', '2021-02-03,06:00:00,1', '2021-02-04,06:00:00,2', '2021-02-05,06:00:00,3'];
    assert.deepEqual(
      await timesOf(lines),
      [3, 4, 5].map((day) => `2021-02-0${day}T06:00:00.000Z`),
    );
    assert.deepEqual(
      await timesOf(lines, { time: 'Date' }),
      [3, 4, 5].map((day) => `2021-02-0${day}T00:00:00.000Z`),
      'unless the column is set',
    );
  });

  it('count from the date above the table in a column Timestamp too, unless it has nanoseconds', async () => {
    const above = ['Date,2021-05-08', 'Time,10:00:00', ''];
    const rows = (...times: string[]) => times.map((time, i) => `${time},${i}`);
    assert.deepEqual(await timesOf([...above, 'Timestamp,v', ...rows('14:03:10.0', '14:03:10.1')]), [
      '2021-05-08T14:03:10.000Z',
      '2021-05-08T14:03:10.100Z',
    ]);
    assert.deepEqual(await timesOf([...above, 'Timestamp,v', ...rows('0.0', '0.5')]), [
      '2021-05-08T10:00:00.000Z',
      '2021-05-08T10:00:00.500Z',
    ]);
    const exported = ['Timestamp,v', ...rows('1000000', '2000000')];
    assert.deepEqual(await timesOf(exported), ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.002Z']);
  });
});

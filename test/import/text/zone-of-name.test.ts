import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';
import { textNotes } from '../../../src/import/text/text-notes.ts';
import { zoneInName } from '../../../src/import/text/zone-of-name.ts';
import { fileOf, readText } from './read-text.ts';

const readLines = (lines: readonly string[]) => readText(Buffer.from(`${lines.join('\n')}\n`));

async function timesOf(...lines: readonly string[]): Promise<string[]> {
  const { rows } = await readLines(lines);
  return rows.map(({ time }) => new Date(Number(time / 1_000_000n)).toISOString());
}

describe('the zone in the name of a column of times', () => {
  const found: readonly (readonly [name: string, zone: string | undefined])[] = [
    ['Time (UTC+2)', 'UTC+2'],
    ['Time GMT -05:30', 'GMT-05:30'],
    ['time_utc+0200', 'utc+0200'],
    ['Timestamp [+02:00]', '+02:00'],
    ['Zeit (MESZ)', 'MESZ'],
    ['Time CEST', 'CEST'],
    ['Time [Europe/Berlin]', 'Europe/Berlin'],
    ['Time (UTC)', undefined],
    ['Time (UTC+0)', undefined],
    ['Time (GPS)', undefined],
    ['Time [s]', undefined],
    ['Time [Some/Where]', undefined],
    ['Time test', undefined],
  ];
  for (const [name, zone] of found)
    it(`is ${zone ?? 'none but UTC'}: ${name}`, () => assert.equal(zoneInName(name), zone));

  it('counts for clocks that say none, and is told', async () => {
    const lines = ['Time (UTC+2),v', '2021-05-08 14:03:10,1', '2021-05-08T14:03:11Z,2'];
    assert.deepEqual(await timesOf(...lines), ['2021-05-08T12:03:10.000Z', '2021-05-08T14:03:11.000Z']);
    const { layout, survey } = await readLines(lines);
    assert.deepEqual(textNotes(layout, survey), [
      'clocks without a zone, taken for UTC+2, as the name or the unit of their column says',
    ]);
  });

  it('counts for clocks with their day in another column, for numbers of dates, and in the row of units', async () => {
    assert.deepEqual(await timesOf('Date,Time (UTC-5),v', '2021-05-08,22:03:10,1'), [
      '2021-05-09T03:03:10.000Z',
    ]);
    assert.deepEqual(await timesOf('Date (UTC-5),Time,v', '08.05.2021,22:03:10,1'), [
      '2021-05-09T03:03:10.000Z',
    ]);
    assert.deepEqual(await timesOf('Time,v', 'UTC+2,km/h', '2021-05-08 14:03:10,1'), [
      '2021-05-08T12:03:10.000Z',
    ]);
  });

  it('may be a region, whose hour that comes twice is refused', async () => {
    const lines = ['Time [Europe/Berlin],v', '2021-02-01 14:00:00,1', '2021-07-01 14:00:00,2'];
    assert.deepEqual(await timesOf(...lines), ['2021-02-01T13:00:00.000Z', '2021-07-01T12:00:00.000Z']);
    const file = fileOf(Buffer.from(`${[...lines, '2021-10-31 02:30:00,3'].join('\n')}\n`));
    const { firstFaults } = await surveyText(file, await openText(file, {}), () => undefined);
    assert.match(firstFaults[0]!.message, /'2021-10-31 02:30:00': this time comes twice in Europe\/Berlin/);
  });

  it('says nothing of numbers since 1970', async () => {
    assert.deepEqual(await timesOf('Time (UTC+2),v', '1620482590,1'), ['2021-05-08T14:03:10.000Z']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';
import { fileOf, readText } from './read-text.ts';

const bytesOf = (header: string, times: readonly string[]) =>
  Buffer.from(`${[`${header};v`, ...times.map((time, i) => `${time};${i}`)].join('\n')}\n`);
const timesOf = async (times: readonly string[], header = 'time') =>
  (await readText(bytesOf(header, times))).rows.map(({ time }) => time);
const day = 86_400_000_000_000n;
const ms = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;

/** What the first fault says of rows of which the last one cannot be read. */
async function faultOf(times: readonly string[]): Promise<string | undefined> {
  const file = fileOf(bytesOf('time', times));
  const { firstFaults } = await surveyText(file, await openText(file, {}), () => undefined);
  return firstFaults[0]?.message;
}

describe('forms of times in a text file', () => {
  const passed: readonly (readonly [writer: string, cell: string, ns: bigint])[] = [
    ['pandas', '0 days 00:00:00.1', 100_000_000n],
    ['pandas', '1 days 02:03:04.500000', day + 7_384_500_000_000n],
    ['pandas', '-1 days +23:59:59.900000', -100_000_000n],
    ['pandas', '2 days', 2n * day],
    ['Python', '1 day, 2:03:04', day + 7_384_000_000_000n],
    ['.NET', '1.02:03:04.5000000', day + 7_384_500_000_000n],
    ['ISO 8601', 'P1DT2H3M4.5S', day + 7_384_500_000_000n],
    ['Java', 'PT0.000000001S', 1n],
    ['Go', '1h2m3.5s', 3_723_500_000_000n],
    ['Go', '1.5ms', 1_500_000n],
    ['polars', '1m 30s 500ms', 90_500_000_000n],
    ['a stop watch', '93:31.5', 5_611_500_000_000n],
    ['a countdown', '-00:00:01.5', -1_500_000_000n],
  ];
  for (const [writer, cell, ns] of passed)
    it(`are times that passed, as ${writer} writes them: ${cell}`, async () => {
      assert.deepEqual(await timesOf([cell, cell]), [ns, ns]);
    });

  const dates: readonly (readonly [cell: string, iso: string])[] = [
    ['2021-02-01 14:51:39.5 CET', '2021-02-01T13:51:39.5Z'],
    ['2021-07-01 14:51:39.5 CEST', '2021-07-01T12:51:39.5Z'],
    ['2021-02-01 14:51:39 EST', '2021-02-01T19:51:39Z'],
    ['2021-02-01 14:51:39 GMT', '2021-02-01T14:51:39Z'],
    ['2021-02-01 14:51:39 UTC', '2021-02-01T14:51:39Z'],
    ['2021-02-01T14:51:39.5+01:00[Europe/Berlin]', '2021-02-01T13:51:39.5Z'],
    ['2021-02-01T14:51:39Z[UTC]', '2021-02-01T14:51:39Z'],
    ['Mon Feb 01 14:51:39 CET 2021', '2021-02-01T13:51:39Z'],
    ['Mon Feb 01 2021 14:51:39 GMT+0100 (Central European Standard Time)', '2021-02-01T13:51:39Z'],
    ['2021-02-01 24:00:00', '2021-02-02T00:00:00Z'],
    ['20210201T145139.5Z', '2021-02-01T14:51:39.5Z'],
    ['20210201T1451', '2021-02-01T14:51:00Z'],
    ['20210201_145139', '2021-02-01T14:51:39Z'],
    ['20210201145139', '2021-02-01T14:51:39Z'],
    ['2021-W05-1T14:51:39Z', '2021-02-01T14:51:39Z'],
    ['2020-W53-5', '2021-01-01T00:00:00Z'],
    ['2021-032T14:51:39Z', '2021-02-01T14:51:39Z'],
    ['2021-02-01T14:51:39,5Z', '2021-02-01T14:51:39.5Z'],
    ['2021-02-01t14:51:39z', '2021-02-01T14:51:39Z'],
    ['2021-02-01T14:51:39+01', '2021-02-01T13:51:39Z'],
    ['2021-02-01T14:51:39+0100', '2021-02-01T13:51:39Z'],
    ['2021-02-01T14:51:39−01:00', '2021-02-01T15:51:39Z'],
    ['2021-02-01T14:51:39 UTC+1', '2021-02-01T13:51:39Z'],
  ];
  for (const [cell, iso] of dates)
    it(`are dates: ${cell}`, async () => {
      assert.deepEqual(await timesOf([cell, cell]), [ms(iso), ms(iso)]);
    });

  it('are days that end at 24:00, also beside their day, and go on behind it', async () => {
    const { rows } = await readText(
      Buffer.from('Date,Time,v\n2021-02-01,23:59:59,1\n2021-02-01,24:00:00,2\n2021-02-02,00:00:01,3\n'),
    );
    const midnight = ms('2021-02-02T00:00:00Z');
    assert.deepEqual(
      rows.map(({ time }) => time - midnight),
      [-1_000_000_000n, 0n, 1_000_000_000n],
    );
  });

  const refused: readonly (readonly [times: readonly string[], message: RegExp])[] = [
    [['2021-02-01 14:51:39 IST'], /the zone IST has no offset beside it/],
    [['2021-02-01 14:51:39 XYZ'], /the zone XYZ has no offset beside it/],
    [['2016-12-31T23:59:58Z', '2016-12-31T23:59:59Z', '2016-12-31T23:59:60Z'], /only as a leap second/],
    [['23:59:58', '23:59:59', '23:59:60'], /only as a leap second/],
    [['2021-02-01 23:00:00', '2021-02-01 23:30:00', '2021-02-01 24:00:01'], /is no time as date and time/],
    [['2021-02-28', '2021-02-27', '2021-02-30'], /is no time as date and time/],
    [['2021-W01-1', '2021-W52-1', '2021-W53-1'], /is no time as date and time/],
    [['2021-001', '2021-365', '2021-366'], /is no time as date and time/],
  ];
  for (const [times, message] of refused)
    it(`are refused with the cause: ${times.at(-1)}`, async () => {
      assert.match((await faultOf(times)) ?? '', message);
    });

  it('are rounded to the nanosecond, and that is told where it changes more than a double is off', async () => {
    const cells = [
      '2021-02-01T14:51:39.1234567886Z',
      '2021-02-01T14:51:39.5Z',
      '2021-02-01T14:51:40.1234567891Z',
    ];
    const { rows, survey } = await readText(bytesOf('time', cells));
    assert.equal(rows[0]!.time, ms('2021-02-01T14:51:39Z') + 123_456_789n);
    assert.deepEqual(survey.rounded, { count: 2, first: { line: 2, cell: cells[0] } });
    const doubles = await readText(
      bytesOf('time', ['1.000000000000000056e-01', '0.30000000000000004', '0.4']),
    );
    assert.deepEqual(
      doubles.rows.map(({ time }) => time),
      [100_000_000n, 300_000_000n, 400_000_000n],
    );
    assert.equal(doubles.survey.rounded, undefined);
  });

  it('have decimals that are exact where no double is', async () => {
    const cells = ['1612191099.000000001', '1612191099.123456789', '1612191099.999999999'];
    assert.deepEqual(
      await timesOf(cells),
      cells.map((cell) => BigInt(cell.replace('.', ''))),
    );
    assert.deepEqual(await timesOf(['1612191099000.000001', '1612191099000.999999'], 'time_ms'), [
      1_612_191_099_000_000_001n,
      1_612_191_099_000_999_999n,
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';
import { fileOf, readText } from './read-text.ts';

const bytesOf = (times: readonly string[]) =>
  Buffer.from(`time;v\n${times.map((time, i) => `${time};${i}\n`).join('')}`);

/** What the fault says of the last of these times. */
async function faultOf(time: string): Promise<string | undefined> {
  const file = fileOf(
    bytesOf(['2021-02-01T12:00:00[Europe/Berlin]', '2021-02-01T12:00:01[Europe/Berlin]', time]),
  );
  const { rows, firstFaults } = await surveyText(file, await openText(file, {}), () => undefined);
  assert.equal(rows, 2);
  assert.equal(firstFaults[0]?.line, 4);
  return firstFaults[0]?.message;
}

describe('times of a region without an offset in a text file', () => {
  const read: readonly (readonly [cell: string, iso: string])[] = [
    ['2021-02-01T14:51:39.5[Europe/Berlin]', '2021-02-01T13:51:39.5Z'],
    ['2021-07-01T14:51:39.5[Europe/Berlin]', '2021-07-01T12:51:39.5Z'],
    ['2021-07-01 14:51:39 Europe/Berlin', '2021-07-01T12:51:39Z'],
    ['01.07.2021 14:51:39 Europe/Berlin', '2021-07-01T12:51:39Z'],
    ['2021-07-01T14:51:39[Asia/Kolkata]', '2021-07-01T09:21:39Z'],
    ['2021-07-01T14:51:39[!America/Argentina/Buenos_Aires]', '2021-07-01T17:51:39Z'],
    ['2021-07-01T14:51:39[CET]', '2021-07-01T12:51:39Z'],
    ['2021-07-01T14:51:39 CET', '2021-07-01T13:51:39Z'],
    ['2021-07-01T14:51:39[Etc/GMT+5]', '2021-07-01T19:51:39Z'],
    ['2021-07-01T14:51:39 Etc/GMT+5', '2021-07-01T19:51:39Z'],
    ['2021-07-01T14:51:39[GMT+01:00]', '2021-07-01T13:51:39Z'],
    ['2021-03-28T01:59:59.999[Europe/Berlin]', '2021-03-28T00:59:59.999Z'],
    ['2021-03-28T03:00:00[Europe/Berlin]', '2021-03-28T01:00:00Z'],
    ['2021-10-31T01:59:59[Europe/Berlin]', '2021-10-30T23:59:59Z'],
    ['2021-10-31T03:00:00[Europe/Berlin]', '2021-10-31T02:00:00Z'],
    ['2021-10-31T02:30:00+01:00[Europe/Berlin]', '2021-10-31T01:30:00Z'],
    ['2021-12-31T24:00:00[Pacific/Auckland]', '2021-12-31T11:00:00Z'],
  ];
  for (const [cell, iso] of read)
    it(`are read: ${cell}`, async () => {
      const { rows } = await readText(bytesOf([cell, cell]));
      const time = BigInt(Date.parse(iso)) * 1_000_000n;
      assert.deepEqual(
        rows.map((row) => row.time),
        [time, time],
      );
    });

  it('are refused in the hour that comes twice, and in the one that is left out', async () => {
    for (const cell of ['2021-10-31T02:00:00[Europe/Berlin]', '2021-10-31T02:59:59.9[Europe/Berlin]'])
      assert.match((await faultOf(cell))!, /comes twice in Europe\/Berlin.*an offset beside it would tell/);
    for (const cell of ['2021-03-28T02:00:00[Europe/Berlin]', '2021-03-28 02:59:59 Europe/Berlin'])
      assert.match((await faultOf(cell))!, /clocks of Europe\/Berlin leave this time out/);
    assert.match((await faultOf('2021-10-03T02:15:00[Australia/Lord_Howe]'))!, /leave this time out/);
  });

  it('are refused where a region is not known, or its letters stand for several', async () => {
    for (const region of ['Mars/Olympus_Mons', 'IST', 'Europe/Berlim'])
      assert.match((await faultOf(`2021-07-01T14:51:39[${region}]`))!, /has no offset beside it/);
  });
});

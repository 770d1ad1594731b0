import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openNmea } from '../../../src/import/position/open-nmea.ts';
import { fileOf } from '../can/made-can.ts';

const rowsOf = async (...lines: readonly string[]) => {
  const log = await openNmea(fileOf(`${lines.join('\r\n')}\r\n`));
  const rows = [];
  for await (const { time, values } of log.tables[0]!.read()) rows.push({ time, values });
  return { log, rows };
};
const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

describe('a log of NMEA 0183', () => {
  it('makes one row of the sentences of a time, and tells what it leaves out', async () => {
    const { log, rows } = await rowsOf(
      '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47',
      '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A',
      '$GPRMC,123520,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*00',
      '$GPGSV,1,1,00',
      '$GNRMC,123521,V,,,,,,,230394,,',
    );
    assert.deepEqual(rows, [
      {
        time: at('1994-03-23T12:35:19Z'),
        values: [48 + 7.038 / 60, 11 + 31 / 60, 545.4, 22.4 * 1.852, 84.4, 8, 0.9, 1],
      },
    ]);
    assert.equal(log.start, rows[0]!.time);
    assert.deepEqual(log.leftOut, [
      '1 lines with a wrong checksum (first in line 3)',
      '1 sentences GSV (first in line 4)',
      '1 RMC without a fix (first in line 5)',
    ]);
  });

  it('carries the date over midnight, also backwards from the first one', async () => {
    const { log, rows } = await rowsOf(
      '$GPGGA,235959,4807.038,S,01131.000,W,1,08,0.9,545.4,M,,M,,',
      '$GPGGA,000000,4807.038,S,01131.000,W,1,08,0.9,545.4,M,,M,,',
      '$GPRMC,000000,A,4807.038,S,01131.000,W,1,2,010124,,',
    );
    assert.deepEqual(
      rows.map(({ time }) => time),
      [at('2023-12-31T23:59:59Z'), at('2024-01-01T00:00:00Z')],
    );
    assert.equal(log.start, rows[0]!.time);
    assert.equal(rows[0]!.values[0], -(48 + 7.038 / 60));
  });

  it('counts from midnight without a date, and refuses a log without a position', async () => {
    const { log, rows } = await rowsOf('$GPGGA,000001,4807.038,N,01131.000,E,1,08,0.9,5,M,,M,,');
    assert.equal(log.isStartKnown, false);
    assert.equal(rows[0]!.time, 1_000_000_000n);
    await assert.rejects(rowsOf('$GPGSV,1,1,00'), /no position.*GSV \(first in line 1\)/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOfContent } from '../../../src/import/file-kinds.ts';
import { openNmea } from '../../../src/import/position/open-nmea.ts';
import { fileOf } from '../can/made-can.ts';
import { summed } from './made-nmea.ts';

/** Rows with the values that they have, by channel. */
const rowsOf = async (...lines: readonly string[]) => {
  const log = await openNmea(fileOf(`${lines.join('\r\n')}\r\n`));
  const { channels, read } = log.tables[0]!;
  const rows: { time: string; [channel: string]: unknown }[] = [];
  for await (const { time, values } of read()) {
    const named = channels.flatMap(({ name }, i) => (values[i] === null ? [] : [[name, values[i]]]));
    rows.push({ time: new Date(Number(time / 1_000_000n)).toISOString(), ...Object.fromEntries(named) });
  }
  return { log, rows };
};
const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;
const place = '4807.038,N,01131.000,E';
const [latitude, longitude] = [48 + 7.038 / 60, 11 + 31 / 60];
const gga = (clock: string) => `$GPGGA,${clock},${place},1,08,0.9,545.4,M,46.9,M,,`;
const rmc = (clock: string, date = '230394') => `$GPRMC,${clock},A,${place},022.4,084.4,${date},003.1,W`;
const vtg = (kmh: string) => `$GPVTG,084.4,T,,M,,N,${kmh},K`;
describe('a log of NMEA 0183', () => {
  it('has heights in metres, also those of receivers that write feet, which is told', async () => {
    const feet = `$GPGGA,120000,${place},1,08,0.9,1000,F,10,F,,`;
    const { log, rows } = await rowsOf(
      rmc('120000'),
      feet,
      `$GPGGA,120001,${place},1,08,0.9,100.5,m,46.9,m,,`,
    );
    assert.deepEqual(
      rows.map((row) => [row['Altitude'], row['Geoid height']]),
      [
        [304.8, 3.048],
        [100.5, 46.9],
      ],
    );
    assert.deepEqual(log.notes, ['Altitude was in feet and is in m here']);
  });

  it('has a leap second at the second behind it, which is told', async () => {
    const { log, rows } = await rowsOf(
      rmc('235959', '311216'),
      rmc('235960.5', '311216'),
      rmc('000001', '010117'),
    );
    assert.deepEqual(
      rows.map(({ time }) => time),
      ['2016-12-31T23:59:59.000Z', '2017-01-01T00:00:00.500Z', '2017-01-01T00:00:01.000Z'],
    );
    assert.deepEqual(log.notes, ['leap seconds, taken for the second behind them: 1 (in line 2)']);
  });

  it('makes one row of the sentences of a time, and tells what it leaves out', async () => {
    const { log, rows } = await rowsOf(
      '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47',
      '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A',
      '$GPRMC,123520,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*00',
      '$GPGSV,1,1,00*79',
      '$PGRME,15.0,M,45.0,M,25.0,M*1C',
      '$GPGGA,123521,4807.038,N,01131.000,E,1,08,0.9,54',
      '!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D',
    );
    assert.deepEqual(rows, [
      {
        time: '1994-03-23T12:35:19.000Z',
        Latitude: latitude,
        Longitude: longitude,
        Altitude: 545.4,
        Speed: 41.4848,
        Course: 84.4,
        Satellites: 8,
        HDOP: 0.9,
        'Fix quality': 1,
        'Geoid height': 46.9,
      },
    ]);
    assert.equal(log.start, at('1994-03-23T12:35:19Z'));
    assert.deepEqual(log.leftOut, [
      '1 sentences with a wrong checksum (in line 3)',
      '1 sentences GSV (in line 4)',
      '1 sentences PGRME (in line 5)',
      '1 sentences cut off before their checksum (in line 6)',
      '1 lines that are no sentence (in line 7)',
    ]);
    assert.deepEqual(log.notes, []);
  });

  it('tells a loss of the fix, and begins with the first position', async () => {
    const { log, rows } = await rowsOf(
      '$GPZDA,000001,06,01,1980,00,00',
      '$GPGGA,000001,,,,,0,00,,,M,,M,,',
      '$GPRMC,000001,V,,,,,,,060180,,',
      gga('123519'),
      rmc('123519'),
      '$GPGGA,123520,,,,,0,03,,,M,,M,,',
      '$GPRMC,123520,V,,,,,,,230394,,',
      rmc('123521'),
    );
    assert.deepEqual(
      rows.map(({ time, Latitude, 'Fix quality': quality }) => [time, Latitude, quality]),
      [
        ['1994-03-23T12:35:19.000Z', latitude, 1],
        ['1994-03-23T12:35:20.000Z', undefined, 0],
        ['1994-03-23T12:35:21.000Z', latitude, undefined],
      ],
    );
    assert.deepEqual(log.leftOut, [
      '2 GGA without a fix (first in line 2)',
      '2 RMC without a fix (first in line 3)',
      '1 times before the first position (in line 1)',
    ]);
  });

  it('reads GLL and GNS as well, VTG of any age, and fractions of seconds', async () => {
    const { rows } = await rowsOf(
      `$GNGNS,123519.125,${place},AAN,12,0.7,100.5,47.0,,`,
      '$GNZDA,123519.125,23,03,1994,00,00',
      `$GNGLL,${place},123519.250,A,A`,
      `$GNGLL,${place},123519.500,V,N`,
      `$GNGNS,123519.75,${place},NNN,00,,,,,`,
      gga('123520'),
      '$GPVTG,084.4,081.3,010.0,018.5',
    );
    assert.deepEqual(rows, [
      {
        time: '1994-03-23T12:35:19.125Z',
        Latitude: latitude,
        Longitude: longitude,
        Altitude: 100.5,
        Satellites: 12,
        HDOP: 0.7,
        'Geoid height': 47,
      },
      { time: '1994-03-23T12:35:19.250Z', Latitude: latitude, Longitude: longitude },
      {
        time: '1994-03-23T12:35:20.000Z',
        Latitude: latitude,
        Longitude: longitude,
        Altitude: 545.4,
        Speed: 18.5,
        Course: 84.4,
        Satellites: 8,
        HDOP: 0.9,
        'Fix quality': 1,
        'Geoid height': 46.9,
      },
    ]);
  });

  it('puts VTG to its time, be it within its sentences, behind or before them', async () => {
    const speeds = async (...lines: readonly string[]) => {
      const { log, rows } = await rowsOf(...lines);
      return { speeds: rows.map(({ Speed }) => Speed), notes: log.notes, leftOut: log.leftOut };
    };
    const date = '$GPZDA,000001,23,03,1994,00,00';
    const zda = (clock: string) => date.replace('000001', clock);
    assert.deepEqual(await speeds(gga('000001'), vtg('1'), date, gga('000002'), vtg('2'), zda('000002')), {
      speeds: [1, 2],
      notes: [],
      leftOut: [],
    });
    assert.deepEqual(await speeds(gga('000001'), date, vtg('1'), gga('000002'), zda('000002'), vtg('2')), {
      speeds: [1, 2],
      notes: ['speed and course of VTG were taken for those of the sentences before it'],
      leftOut: [],
    });
    assert.deepEqual(
      await speeds(vtg('1'), gga('000001'), date, vtg('2'), gga('000002'), zda('000002'), vtg('3')),
      {
        speeds: [1, 2],
        notes: ['speed and course of VTG were taken for those of the sentences behind it'],
        leftOut: ['1 VTG without a time behind it (in line 7)'],
      },
    );
  });

  it('keeps sentences of a receiver that is faster than its clock apart', async () => {
    const { rows } = await rowsOf(rmc('123519'), gga('123519'), rmc('123519'), gga('123519'));
    assert.equal(rows.length, 2);
  });

  it('takes sentences behind times of a logger, two in a line, and such with a time behind', async () => {
    const { log, rows } = await rowsOf(
      `12:00:01 ${rmc('123519')}`,
      `NMEA,${summed(rmc('123520'))},1506530457000`,
      `${summed(rmc('123521'))}${summed(rmc('123522'))}`,
      `$GPGGA,123523,48${summed(rmc('123523'))}`,
    );
    assert.deepEqual(
      rows.map(({ time, Latitude }) => [time.slice(17, 19), Latitude]),
      ['19', '20', '21', '22', '23'].map((second) => [second, latitude]),
    );
    assert.deepEqual(log.leftOut, [
      '2 texts before a sentence (first in line 1)',
      '1 texts behind a sentence (in line 2)',
      '1 sentences cut off before their checksum (in line 4)',
    ]);
  });

  it('carries the date over midnight, also backwards from the first one', async () => {
    const south = '4807.038,S,01131.000,W,1,08,0.9,545.4,M,,M,,';
    const { log, rows } = await rowsOf(
      `$GPGGA,235959,${south}`,
      `$GPGGA,000000,${south}`,
      '$GPRMC,000000,A,4807.038,S,01131.000,W,1,2,010124,,',
    );
    assert.deepEqual(
      rows.map(({ time }) => time),
      ['2023-12-31T23:59:59.000Z', '2024-01-01T00:00:00.000Z'],
    );
    assert.equal(log.start, at('2023-12-31T23:59:59Z'));
    assert.equal(rows[0]!['Latitude'], -latitude);
    assert.equal(rows[0]!['Longitude'], -longitude);
  });

  it('counts from midnight without a date, and refuses a log without a position', async () => {
    const { log, rows } = await rowsOf(gga('235959'), gga('000001'));
    assert.equal(log.isStartKnown, false);
    assert.equal(log.timeKind, 'clock');
    assert.deepEqual(
      rows.map(({ time }) => time),
      ['1970-01-01T23:59:59.000Z', '1970-01-02T00:00:01.000Z'],
    );
    await assert.rejects(rowsOf('$GPGSV,1,1,00'), /no position.*GSV \(in line 1\)/);
    await assert.rejects(
      rowsOf(gga('000001').replace('4807', '9107')),
      /no position.*GGA without a position/,
    );
  });

  it('is known by its content where its name says nothing', async () => {
    const kind = (name: string, content: string) => kindOfContent(name, fileOf(content));
    const log = ['# receiver 3', ...Array.from({ length: 2000 }, () => gga('123519'))].join('\n');
    for (const name of ['a.log', 'a.txt', 'a.log.gz']) assert.equal(await kind(name, log), 'nmea');
    assert.equal(await kind('a.log', '(1709528767.5) can0 064#0800\n'), 'can');
    for (const text of [
      't,v\n1,2\n',
      't,said\n1,"$GPTXT,01,01,02,x"\n2,y\n3,z\n',
      `time;${gga('1')}\n1;2\n2;3\n`,
      '$GPGGA,1,2*00\n',
    ])
      assert.equal(await kind('a.txt', text), 'text', text);
  });
});

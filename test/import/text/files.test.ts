import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MappedRow } from '../../../src/import/text/map-rows.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { root } from '../../root.ts';
import { readText } from './read-text.ts';

const folder = join(root, 'test/import/text/files');

const importFile = (name: string, settings?: TextSettings) =>
  readText(new Uint8Array(readFileSync(join(folder, name))), settings);

/** ns since the Unix epoch of an ISO time with any number of decimals. */
function at(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

const times = (rows: readonly MappedRow[]): bigint[] => rows.map(({ time }) => time);

/** Each by what its maker or its users publish of the format; the numbers are made up. */
describe('files of loggers are imported with nothing said', () => {
  // MoTeC i2, "Export Data", CSV: pairs, names, units, all in quotes; beacons in seconds.
  it('MoTeC CSV', async () => {
    const { layout, rows, columns } = await importFile('motec.csv');
    assert.deepEqual(
      times(rows),
      ['00', '05', '10', '15', '20', '25'].map((part) => at(`2021-03-12T14:03:10.${part}`)),
    );
    assert.deepEqual(columns, {
      'Distance [m] number': [0, 2, 5, 7, 10, 12],
      'Ground Speed [km/h] number': [178.5, 179, 179.5, 180, 180.5, 181],
      'Gear [] number': [5, 5, 5, 6, 6, 6],
      'Tyre Temp FL [C] number': [81.25, 81.5, 81.75, 82, 82.25, 82.5],
      'LapNumber [] tag': ['1', '1', '2', '2', '3', '3'],
    });
    assert.deepEqual(layout.metadata, {
      venue: 'Teststrecke',
      vehicle: 'Formula 3',
      driver: 'A. Okafor',
      device: 'C125',
      comment: '5" rims',
    });
  });

  // RaceChrono, "CSV v3": names, units and sources of channels; Unix seconds.
  it('RaceChrono', async () => {
    const { layout, rows, columns } = await importFile('racechrono.csv');
    assert.deepEqual(
      times(rows),
      [30, 130, 230].map((millis) => 1_620_828_159_000_000_000n + BigInt(millis) * 1_000_000n),
    );
    assert.deepEqual(columns, {
      'fragment_id [] number': [0, 0, 0],
      'lap_number [] tag': [null, '1', '1'],
      'elapsed_time [s] number': [0, 0.1, 0.2],
      'distance_traveled [m] number': [0, 3.12, 6.27],
      'latitude [deg] number': [50.3356001, 50.3356201, 50.3356401],
      'longitude [deg] number': [6.9475002, 6.9475302, 6.9475602],
      'speed [m/s] number': [31.25, 31.5, 31.75],
      'speed (2) [m/s] number': [30.5, null, 31],
      'device_battery_level [%] number': [80, 80, 79],
    });
    assert.deepEqual(layout.metadata, { session: 'Saturday', venue: 'Ring, north' });
  });

  // AiM RaceStudio, "Export to CSV": pairs, beacons in cells of their own, Latin-1.
  it('AiM RaceStudio', async () => {
    const { layout, rows, columns } = await importFile('aim.csv');
    assert.equal(layout.encoding, 'windows-1252');
    assert.deepEqual(
      times(rows),
      [0, 1, 2, 3, 4].map((part) => at(`2021-05-08T14:23:00.${part}`)),
    );
    assert.deepEqual(columns, {
      'GPS Speed [km/h] number': [61.2, 61.9, 62.5, 63, 63.4],
      'GPS Nsat [] number': [11, 11, 12, 12, 12],
      'Water Temp [°C] number': [71.5, 71.5, 71.6, 71.6, 71.7],
      'Logger Voltage [V] number': [12.61, 12.6, 12.61, 12.59, 12.6],
      'LapNumber [] tag': ['1', '1', '2', '2', '3'],
    });
    assert.deepEqual(layout.metadata, { session: 'Ring', vehicle: 'Kart 7', driver: 'B. Costa' });
  });

  // Racelogic, ".vbo file format": sections, spaces, the clock of the satellites, minutes with west positive.
  it('Racelogic .vbo, over midnight', async () => {
    const { rows, columns } = await importFile('racelogic.vbo');
    assert.deepEqual(times(rows), [
      at('2021-05-08T23:59:59.8'),
      at('2021-05-08T23:59:59.9'),
      at('2021-05-09T00:00:00'),
    ]);
    assert.deepEqual(columns, {
      'sats [] number': [5, 5, 6],
      'lat [°] number': [3119.09973 / 60, 3119.09979 / 60, 3119.09985 / 60],
      'long [°] number': [58.64372 / 60, 58.6436 / 60, 58.64348 / 60],
      'velocity [km/h] number': [0.012, 72.345, 72.5],
      'heading [°] number': [345, 345.25, 345.5],
      'height [m] number': [32.11, 32.12, 32.13],
      'vert-vel [m/s] number': [0.25, 0.3, -0.35],
    });
  });

  // Torque, "track log": two clocks, units glued to names, "-" for no value, the header once more after a restart.
  it('Torque', async () => {
    const { rows, columns } = await importFile('torque.csv');
    assert.deepEqual(
      times(rows),
      ['11.123', '11.623', '12.123', '13.123'].map((part) => at(`2021-05-08T10:23:${part}`)),
    );
    assert.deepEqual(columns, {
      'GPS Time [] text': ['11', '11', '12', '13'].map((part) => `Sat May 08 10:23:${part} GMT+02:00 2021`),
      'Longitude [] number': [6.9475, 6.9476, 6.9477, 6.9478],
      'Latitude [] number': [50.3356, 50.3357, 50.3358, 50.3359],
      'GPS Speed [Meters/second] number': [12.5, 12.75, 13, 13.25],
      'Altitude [] number': [520.1, 520.2, 520.3, 520.4],
      'G(x) [] number': [0.02, -0.01, 0.03, 0],
      'Engine RPM [rpm] number': [1850, 1875, null, 1900],
      'Speed (OBD) [km/h] number': [45, 46, 47, 48],
      'Engine Coolant Temperature [°C] number': [null, 88, 89, 89],
    });
  });

  // HP Tuners VCM Scanner, "Export log file": sections, numbers of channels above names, month first with AM and PM.
  it('HP Tuners', async () => {
    const { layout, rows, columns } = await importFile('hptuners.csv');
    assert.deepEqual(
      times(rows),
      ['000', '053', '104', '155'].map((part) => at(`2021-05-08T22:13:47.${part}`)),
    );
    assert.deepEqual(columns, {
      'Engine RPM (SAE) [rpm] number': [2100, 2140, 2190, 2240],
      'Vehicle Speed (SAE) [km/h] number': [null, 61, 62, null],
      'Equivalence Ratio Commanded [λ] number': [1, 0.998, null, 0.861],
    });
    assert.deepEqual(layout.metadata, { comment: 'dyno,third pull' });
  });

  // PicoScope, "Save as CSV": units in brackets, infinite where the range was left; milliseconds, with a byte order mark.
  it('PicoScope', async () => {
    const { layout, rows, columns } = await importFile('picoscope.csv');
    assert.deepEqual(times(rows), [-500_000n, -250_000n, 0n, 250_000n]);
    assert.equal(layout.isStartKnown, false);
    assert.deepEqual(columns, {
      'Channel A [V] number': [0.01220703, 0.02441406, 1.5, Number.POSITIVE_INFINITY],
      'Channel B [mV] number': [-3.051758, Number.NEGATIVE_INFINITY, 4.577637, 5],
    });
  });

  // NI, "Specification for the LabVIEW Measurement File (.lvm)": tabs, decimal comma, rows without their comment.
  it('LabVIEW .lvm', async () => {
    const { rows, columns } = await importFile('labview.lvm');
    assert.deepEqual(
      times(rows),
      [500, 501, 502].map((part) => at(`2021-05-08T10:23:12.${part}`)),
    );
    assert.deepEqual(columns, {
      'Voltage [Volts] number': [1.25, 1.375, -0.15],
      'Oil pressure [bar] number': [4.125, 4.25, 4.375],
      'Comment [] text': ['trigger', null, null],
    });
  });

  // ETAS INCA, "ASCII" export: a mark, names, types, units, tabs.
  it('INCA', async () => {
    const { rows, columns } = await importFile('inca.ascii');
    assert.deepEqual(times(rows), [0n, 10_000_000n, 20_000_000n, 30_000_000n]);
    assert.deepEqual(columns, {
      'nmot_w [1/min] number': [850, 851.5, 853, 854.5],
      'tmot [°C] number': [90.75, 90.75, 91.5, 91.5],
      'B_kupplv [] number': [0, 0, 1, 1],
    });
  });

  // A spreadsheet where one writes commas into numbers: "Unicode text", day and clock in columns of their own.
  it('a spreadsheet with semicolons', async () => {
    const { layout, rows, columns } = await importFile('excel.csv');
    assert.equal(layout.encoding, 'utf-16le');
    assert.deepEqual(times(rows), [
      at('2021-05-08T23:59:59.5'),
      at('2021-05-08T23:59:59.75'),
      at('2021-05-09T00:00:00'),
    ]);
    assert.deepEqual(columns, {
      'Geschwindigkeit [km/h] number': [101.5, 102.25, 103],
      'Öltemperatur [°C] number': [98, 98.5, 99],
      'Bemerkung [] text': ['Start', null, 'Mitternacht, Regen'],
    });
  });

  it('a spreadsheet with dates, day first', async () => {
    const { rows, columns } = await importFile('excel-one.csv');
    assert.deepEqual(
      times(rows),
      ['11.5', '12', '12.5'].map((part) => at(`2021-05-13T10:23:${part}`)),
    );
    assert.deepEqual(columns, {
      'Druck [bar] number': [1.5, null, 2],
      'Name [] text': ['007', '008', '009'],
    });
  });
});

describe('decimals of a text file', () => {
  const read = (lines: readonly string[], settings?: TextSettings) =>
    readText(Buffer.from(`${lines.join('\n')}\n`), settings);
  const whole = Array.from({ length: 1000 }, (_, i) => `${i};${i};text`);

  it('may come after rows of whole numbers', async () => {
    const { layout, columns } = await read(['Time;Speed;Note', ...whole, '1000;2,5;a', '1001;3,25;b']);
    assert.equal(layout.decimal, ',');
    assert.deepEqual(columns['Speed [] number']?.slice(-3), [999, 2.5, 3.25]);
    const points = await read(['Time;Speed;Note', ...whole, '1000;2.5;a', '1001;3.25;b', '1002;4;1,5']);
    assert.equal(points.layout.decimal, '.');
    assert.deepEqual(points.columns['Speed [] number']?.slice(-3), [2.5, 3.25, 4]);
    const set = ['Time;Speed;Note', ...whole, '1000;2,5;a'];
    await assert.rejects(read(set, { decimal: '.' }), /column Speed: '2,5' is not a number/);
  });

  it('may have thousands apart, where nothing else can be meant', async () => {
    const { columns } = await read([
      'Zeit;Weg',
      '0,1;1.000,5',
      '0,2;-999,25',
      '0,3;12.000.000',
      '0,4;1.234.567,125',
    ]);
    assert.deepEqual(columns['Weg [] number'], [1000.5, -999.25, 12_000_000, 1_234_567.125]);
    const points = await read([
      'Time,Way,Id',
      '0.1,"1,000.5","1,000"',
      '0.2,999.25,"2,000"',
      '0.3,"12,000,000","3,000"',
    ]);
    assert.deepEqual(points.columns['Way [] number'], [1000.5, 999.25, 12_000_000]);
    assert.deepEqual(points.columns['Id [] text'], ['1,000', '2,000', '3,000']);
    const few = await read(['Zeit;Weg', '1;1.000,5', '2;2.000,5']);
    assert.deepEqual(few.columns['Weg [] number'], [1000.5, 2000.5]);
  });

  it('have a point in exports, whatever their texts are', async () => {
    const lines = ['Timestamp,Speed,Note', '1,2,"1,5"', '2,3,"2,5"', '3,2.5,"3,5"'];
    assert.deepEqual((await read(lines)).columns, {
      'Speed [] number': [2, 3, 2.5],
      'Note [] text': ['1,5', '2,5', '3,5'],
    });
  });

  it('are numbers where a long one ends with the zeros of an export, not with digits that a number would change', async () => {
    const long = [1.2345678901234568e20, 1.7e18, -(2 ** 63), 9007199254740994];
    const lines = ['Timestamp,Count,Serial', ...long.map((count, i) => `${i},${count},9007199254740993`)];
    const { layout, columns } = await read(lines);
    assert.ok(layout.isExport);
    assert.deepEqual(columns, {
      'Count [] number': long,
      'Serial [] text': long.map(() => '9007199254740993'),
    });
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type FileBytes, FileFault } from '../../../src/import/file-bytes.ts';
import type { LoggedRow, LoggedTable } from '../../../src/import/logged-file.ts';
import { openLd } from '../../../src/import/motec/open-ld.ts';
import { root } from '../../root.ts';
import { type MadeChannel, madePlaces, makeLd, makeLdx } from './made-ld.ts';

const start = BigInt(Date.UTC(2021, 1, 7, 14, 51, 39)) * 1_000_000n;
const ms = 1_000_000n;

function fileOf(bytes: Uint8Array): FileBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

async function rowsOf(table: LoggedTable): Promise<LoggedRow[]> {
  const rows: LoggedRow[] = [];
  for await (const row of table.read()) rows.push(row);
  return rows;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Written as hexadecimal digits of the bytes, so that no code of ours makes them. */
const whole: MadeChannel = {
  name: 'Ground Speed',
  unit: 'km/h',
  kind: [3, 2],
  rate: 10,
  // 1000, -1, 32767
  samples: bytes(0xe8, 0x03, 0xff, 0xff, 0xff, 0x7f),
  places: 1,
};
const long: MadeChannel = {
  name: 'Distance',
  kind: [5, 4],
  rate: 10,
  // 100000, -2
  samples: bytes(0xa0, 0x86, 0x01, 0x00, 0xfe, 0xff, 0xff, 0xff),
  scale: 4,
  shift: 3,
  multiplier: 2,
};
const single: MadeChannel = {
  name: 'Throttle',
  kind: [7, 4],
  rate: 3,
  // 0.5, NaN, -infinity, 1
  samples: bytes(0, 0, 0, 0x3f, 0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0xff, 0, 0, 0x80, 0x3f),
};
const half: MadeChannel = {
  name: '',
  shortName: 'G Lat',
  kind: [7, 2],
  rate: 3,
  // 1.5, -2, 2^-24, 65504
  samples: bytes(0x00, 0x3e, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b),
};

describe('a MoTeC log', () => {
  it('gives channels of one rate as one table, with their times and values', async () => {
    const { tables, leftOut, tags } = await openLd(fileOf(makeLd([whole, single, long, half])));
    assert.deepEqual([leftOut, tags], [[], []]);
    assert.deepEqual(
      tables.map(({ channels, rows }) => [rows, channels.map(({ name, unit }) => [name, unit])]),
      [
        [
          3,
          [
            ['Ground Speed', 'km/h'],
            ['Distance', ''],
          ],
        ],
        [
          4,
          [
            ['Throttle', ''],
            ['G Lat', ''],
          ],
        ],
      ],
    );
    assert.deepEqual(await rowsOf(tables[0]!), [
      { time: start, values: [100, (100000 / 4 + 3) * 2], tags: [] },
      { time: start + 100n * ms, values: [-0.1, 5], tags: [] },
      { time: start + 200n * ms, values: [3276.7, null], tags: [] },
    ]);
    assert.deepEqual(await rowsOf(tables[1]!), [
      { time: start, values: [0.5, 1.5], tags: [] },
      { time: start + 333_333_333n, values: [Number.NaN, -2], tags: [] },
      { time: start + 666_666_667n, values: [Number.NEGATIVE_INFINITY, 2 ** -24], tags: [] },
      { time: start + 1_000_000_000n, values: [1, 65504], tags: [] },
    ]);
  });

  it('may be written by others: ldparser, a library of readers of the format', async () => {
    const bytes = readFileSync(join(root, 'test/import/motec/files/independent.ld'));
    const log = await openLd({
      size: bytes.length,
      read: async (at, length) => bytes.subarray(at, at + length),
    });
    const [speed, brake] = log.tables;
    const valuesOf = async (table: typeof speed) => {
      const values: unknown[] = [];
      for await (const row of table!.read()) values.push(row.values[0]);
      return values;
    };
    assert.deepEqual(await valuesOf(speed), [101.5, 102.25, 99, 98.75]);
    assert.deepEqual(await valuesOf(brake), [0.1, 12.5, 100, -3.2, 7.7, 0]);
    assert.deepEqual(
      log.tables.flatMap(({ channels }) => channels.map(({ name, unit }) => [name, unit])),
      [
        ['Ground Speed', 'km/h'],
        ['Brake Pos', '%'],
      ],
    );
    assert.equal(log.start, BigInt(Date.UTC(2021, 1, 7, 14, 51, 39)) * 1_000_000n);
    assert.deepEqual([log.metadata['driver'], log.metadata['venue']], ['Driver One', 'Monza']);
  });

  it('reads a channel that is longer than a piece', async () => {
    const count = (1 << 17) + 5;
    const samples = new Uint8Array(count * 2);
    for (let i = 0; i < count; i++) samples.set([i & 0xff, (i >> 8) & 0x7f], i * 2);
    const { tables } = await openLd(fileOf(makeLd([{ name: 'n', kind: [3, 2], rate: 1000, samples }])));
    let row = 0;
    for await (const { time, values } of tables[0]!.read()) {
      if (values[0] !== (row & 0x7fff) || time !== start + BigInt(row) * ms) assert.fail(`row ${row}`);
      row++;
    }
    assert.equal(row, count);
  });

  it('says who drove what, where and when', async () => {
    const log = makeLd([whole], {
      158: 'Lewis',
      222: 'W12',
      350: 'N\xfcrburgring',
      1572: 'wet',
      126: '08:05\0\0\0',
      [madePlaces.event]: 'Eifel GP',
      [madePlaces.event + 64]: 'Q3',
      [madePlaces.event + 128]: 'soft tyres',
    });
    const { metadata, start: began } = await openLd(fileOf(log));
    assert.deepEqual(metadata, {
      driver: 'Lewis',
      vehicle: 'W12',
      venue: 'Nürburgring',
      comment: 'wet',
      event: 'Eifel GP',
      session: 'Q3',
      'event comment': 'soft tyres',
    });
    assert.equal(began, BigInt(Date.UTC(2021, 1, 7, 8, 5)) * ms);
  });

  it('has names without control characters, and tells which', async () => {
    const { tables, notes } = await openLd(fileOf(makeLd([{ ...whole, name: 'Speed\u0081 \u0007B' }])));
    assert.equal(tables[0]!.channels[0]!.name, 'Speed   B');
    assert.deepEqual(notes?.slice(1), ['names without their control characters: Speed   B']);
  });

  it('counts laps at the beacons of the .ldx file, in any order', async () => {
    const ldx = makeLdx(['2.00000000000000000e+05', '1.00000000000000000e+05']);
    const { tables, tags } = await openLd(fileOf(makeLd([whole])), ldx);
    assert.deepEqual(tags, ['LapNumber']);
    assert.deepEqual(
      (await rowsOf(tables[0]!)).map((row) => row.tags),
      [['1'], ['2'], ['3']],
    );
    const none = await openLd(fileOf(makeLd([whole])), makeLdx([]));
    assert.deepEqual(
      (await rowsOf(none.tables[0]!)).map((row) => row.tags),
      [['1'], ['1'], ['1']],
    );
  });

  it('names a second channel of a name, leaves empty ones out, and names those of an unknown kind', async () => {
    const odd: MadeChannel = { name: 'Odd', kind: [9, 8], rate: 10, samples: new Uint8Array(8) };
    const empty: MadeChannel = { name: 'Empty', kind: [3, 2], rate: 0, samples: bytes() };
    const { tables, leftOut, notes } = await openLd(fileOf(makeLd([whole, odd, whole, empty])));
    assert.deepEqual(
      tables.map(({ channels }) => channels.map(({ name }) => name)),
      [['Ground Speed', 'Ground Speed (2)']],
    );
    assert.deepEqual(leftOut, ['Odd', 'Empty (without samples)']);
    assert.deepEqual(notes, [
      'the clock of the log names no zone, taken for UTC',
      'renamed, for others have their names: Ground Speed (2)',
    ]);
  });
});

describe('a faulty MoTeC log', () => {
  const { firstChannel, channelBytes } = madePlaces;
  const refused = async (log: Uint8Array, message: RegExp, ldx?: string) =>
    assert.rejects(
      openLd(fileOf(log), ldx),
      (error) => error instanceof FileFault && message.test(error.message),
    );
  const changed = (offset: number, ...values: number[]): Uint8Array => {
    const log = makeLd([whole, long]);
    log.set(values, offset);
    return log;
  };

  it('is refused with the byte at which it is wrong', async () => {
    await refused(bytes(0x40), /^byte 0: the head of a MoTeC log needs 1636 bytes/);
    await refused(changed(0, 0x41), /byte 0: a MoTeC log begins with 40 00 00 00/);
    await refused(changed(0x5e, 0x61), /byte 94: 'a7\/02\/2021' is not a date/);
    await refused(changed(0x5e, 0x33, 0x31), /byte 94: there is no day 31\/02\/2021/);
    await refused(changed(0x7e, 0x78), /byte 126: 'x4:51:39' is not a time/);
    await refused(changed(0x81, 0x39), /byte 94: there is no day 07\/02\/2021, or no time 14:91:39/);
    await refused(changed(0x64, 0x30, 0x30), /byte 94: there is no day 07\/02\/0021/);
    await refused(changed(0x64, 0x31, 0x34), /byte 94: the date 07\/02\/1421 is too early/);
    await refused(changed(0x65, 0x33), /byte 94: the date 07\/02\/2321 is too late/);
    await refused(changed(0x24, 0xff, 0xff, 0xff, 0x7f), /byte 2147483647: the event needs/);
    await refused(changed(0x08, 0xff, 0xff, 0xff, 0xff), /byte 4294967295: channel 1 needs 84 bytes/);
    await refused(
      changed(firstChannel + channelBytes + 4, firstChannel & 0xff, firstChannel >> 8),
      new RegExp(`byte ${firstChannel}: the channels go in a circle`),
    );
    await refused(
      changed(firstChannel + 0x0c, 0xff, 0xff, 0xff, 0xff),
      new RegExp(`byte ${firstChannel + 0x0c}: channel Ground Speed has 4294967295 samples`),
    );
    const many = makeLd(Array.from({ length: 60 }, () => whole));
    for (let i = 0; i < 60; i++) many.set([0xe8, 0x03, 0, 0], firstChannel + i * channelBytes + 0x0c);
    for (let i = 0; i < 60; i++) many.set([0, 0, 0, 0], firstChannel + i * channelBytes + 0x08);
    await refused(many, /has samples of other channels/);
    await refused(changed(firstChannel + 0x16, 0, 0), /channel Ground Speed has samples and no rate/);
    await refused(changed(firstChannel + 0x1a, 0, 0), /channel Ground Speed has the multiplier 0/);
    await refused(changed(firstChannel + 0x1c, 0, 0), /channel Ground Speed has the scale 0/);
    await refused(changed(firstChannel + 0x1e, 0, 0x7f), /channel Ground Speed has 32512 decimal places/);
  });

  it('is refused with what is wrong in its .ldx file', async () => {
    const log = makeLd([whole]);
    await refused(log, /^the \.ldx file: it has no element LDXFile/, '<a/>');
    await refused(
      log,
      /^the \.ldx file, byte \d+: the beacon has no time in microseconds, but soon/,
      makeLdx(['soon']),
    );
    await refused(log, /but -1/, makeLdx(['-1']));
    await refused(log, /byte 9: a tag has no end/, '<LDXFile><a');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { dbcOf, fileOf, rowsOfLog, vehicle } from '../can/made-can.ts';
import { addGroup, header, type MadeChannel, type MadeFile, makeMdf4 } from './made-mdf4.ts';

/** Files are written by hand after the public description of bus logging in ASAM MDF 4.1. */
const start = 1_612_709_499_000_000_000n;
const name = 'CAN_DataFrame';

/** A record: milliseconds, channel of the bus, id, whether it is extended, DLC, length and eight bytes. */
const time: MadeChannel = { name: 't', type: 2, kind: 0, byte: 0, bits: 8, conversion: [1, 0, 0.001] };
const parts: readonly MadeChannel[] = [
  { name: `${name}.BusChannel`, kind: 0, byte: 1, bits: 8 },
  { name: `${name}.ID`, kind: 0, byte: 2, bits: 29 },
  { name: `${name}.IDE`, kind: 0, byte: 6, bits: 1 },
  { name: `${name}.DLC`, kind: 0, byte: 7, bits: 8 },
  { name: `${name}.DataLength`, kind: 0, byte: 8, bits: 8 },
  { name: `${name}.DataBytes`, kind: 10, byte: 9, bits: 64 },
];
const whole: MadeChannel = { name, kind: 10, byte: 1, bits: 128, parts };

function record(ms: number, id: number, isExtended: boolean, data: readonly number[]): number[] {
  const idBytes = [0, 8, 16, 24].map((shift) => (id >>> shift) & 255);
  const filled = [...data, ...Array<number>(8 - data.length).fill(0xff)];
  return [ms, 1, ...idBytes, isExtended ? 1 : 0, data.length, data.length, ...filled];
}

const records = [
  record(10, 0x64, false, [4, 0, 0x80, 2, 0, 0, 0, 0]),
  record(20, 0x18fe_f1fe, true, [0, 7]),
  record(30, 0x7, false, []),
];

function fileWith(channels: readonly MadeChannel[]): MadeFile {
  const file = makeMdf4(start);
  const data = file.block('DT', [], Uint8Array.from(records.flat()));
  file.link(header, 0, addGroup(file, { channels, records: records.length, recordBytes: 17, data }));
  return file;
}

describe('frames of bus logging in an MDF4 file', () => {
  for (const [what, channels] of [
    ['parts of a structure', [time, whole]],
    ['channels beside each other', [time, ...parts]],
  ] as const)
    it(`become the signals of a DBC where they are ${what}`, async () => {
      const log = await openMdf4(fileOf(fileWith(channels).bytes()), dbcOf(vehicle));
      assert.equal(log.start, start);
      assert.deepEqual(await rowsOfLog(log), [
        [10, 'Engine', 1, -168, 'Second', 0],
        [20, 'Mixed', 0, 7, null, null],
      ]);
      assert.deepEqual(log.leftOut, ['1 frames of 1 ids that no DBC has: 0x7']);
    });

  it('are refused without a DBC where there is nothing else, with their number', async () => {
    await assert.rejects(
      openMdf4(fileOf(fileWith([time, whole]).bytes())),
      /nothing in the file can be read: CAN_DataFrame \(3 frames of bus logging; --dbc FILE decodes them\)/,
    );
  });
});

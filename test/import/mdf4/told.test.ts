import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { addGroup, header, type MadeChannel, type MadeFile, makeMdf4 } from './made-mdf4.ts';

const time: MadeChannel = { name: 'time', type: 2, kind: 4, byte: 0, bits: 64 };
const raw: MadeChannel = { name: 'Gear', kind: 0, byte: 8, bits: 8 };
const word: MadeChannel = { name: 'Mode', kind: 7, byte: 8, bits: 32 };

/** Three records of a time and one or more bytes. */
function made(channel: MadeChannel, ...cells: readonly (readonly number[])[]): MadeFile {
  const file = makeMdf4(0n);
  const records = cells.map((bytes, i) => {
    const record = Buffer.alloc(8 + bytes.length);
    record.writeDoubleLE(i);
    record.set(bytes, 8);
    return record;
  });
  const data = file.block('DT', [], Buffer.concat(records));
  const group = { channels: [time, channel], records: cells.length, recordBytes: records[0]!.length, data };
  file.link(header, 0, addGroup(file, group));
  return file;
}

async function read(file: MadeFile) {
  const bytes = file.bytes();
  const log = await openMdf4({
    size: bytes.length,
    read: async (offset, length) => bytes.slice(offset, offset + length),
  });
  const values: unknown[] = [];
  for await (const row of log.tables[0]!.read()) values.push(row.values[0]);
  return { log, values };
}

const twice = 'raw values that stand twice in the table of their conversion, of which the first counts:';

describe('an MDF4 file tells', () => {
  it('that a raw number has two names: the first one counts, for texts as for numbers', async () => {
    const numbers = [0, 1, 1] as const;
    const names = ['Park', 'Drive', 'Reverse', 'other'];
    const text = await read(made({ ...raw, conversion: [7, ...numbers], references: names }, [0], [1], [2]));
    assert.deepEqual(text.values, ['Park', 'Drive', 'other']);
    assert.deepEqual(text.log.notes, [`${twice} Gear (1)`]);
    const number = await read(
      made(
        { ...raw, unit: 'km/h', conversion: [7, ...numbers], references: names.slice(0, 3) },
        [0],
        [1],
        [2],
      ),
    );
    assert.deepEqual(number.values, [0, 1, 2]);
    assert.deepEqual(number.log.tables[0]!.channels[0]!.valueNames, { 0: 'Park', 1: 'Drive' });
    assert.ok(number.log.notes?.includes(`${twice} Gear (1)`));
    const same = ['Park', 'Drive', 'Drive', 'other'];
    const plain = await read(made({ ...raw, conversion: [7, ...numbers], references: same }, [0], [1], [2]));
    assert.deepEqual(plain.log.notes, []);
  });

  it('that a text has two values, and takes texts of a table as they stand', async () => {
    const [on, off, onWithSpace] = ['ON\0\0', 'OFF\0', 'ON \0'].map((one) => [...Buffer.from(one)]);
    const numbers = await read(
      made(
        { ...word, conversion: [9, 1, 5, 2, 3, -1], references: ['ON', 'ON', 'ON ', 'OFF'] },
        on!,
        off!,
        onWithSpace!,
      ),
    );
    assert.deepEqual(numbers.values, [1, 3, 2]);
    assert.deepEqual(numbers.log.notes, [`${twice} Mode (ON)`]);
    const texts = await read(
      made(
        { ...word, conversion: [10], references: ['ON', 'an', 'ON', 'ein', 'OFF', 'aus'] },
        on!,
        off!,
        onWithSpace!,
      ),
    );
    assert.deepEqual(texts.values, ['an', 'aus', 'ON ']);
    assert.deepEqual(texts.log.notes, [`${twice} Mode (ON)`]);
  });

  it('which names have control characters', async () => {
    const { log } = await read(made({ ...raw, name: 'Gear\u0007box ' }, [1]));
    assert.equal(log.tables[0]!.channels[0]!.name, 'Gear box');
    assert.deepEqual(log.notes, ['names without their control characters: Gear box']);
  });

  it('which channels have no records', async () => {
    const file = made(raw, [1]);
    const first = Number(new DataView(file.bytes().buffer).getBigUint64(header + 24, true));
    const channels = [time, { ...raw, name: 'Temperature' }, { ...raw, name: 'Pressure' }];
    file.link(first, 0, addGroup(file, { channels, records: 0, recordBytes: 9, data: 0 }));
    const { log, values } = await read(file);
    assert.deepEqual(values, [1]);
    assert.deepEqual(log.notes, ['without records in the file: Temperature, Pressure']);
  });

  it('that it has attachments, events and markers, which are left out', async () => {
    const file = made(raw, [1]);
    file.link(header, 3, file.block('AT', [0, 0, 0, 0], new Uint8Array(40)));
    file.link(header, 4, file.block('EV', [0, 0, 0, 0, 0], new Uint8Array(32)));
    assert.deepEqual((await read(file)).log.leftOut, ['attachments', 'events and markers']);
  });
});

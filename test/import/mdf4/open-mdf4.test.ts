import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileBytes, FileFault } from '../../../src/import/file-bytes.ts';
import type { LoggedRow, LoggedTable } from '../../../src/import/logged-file.ts';
import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import { addGroup, addPacked, header, type MadeChannel, type MadeFile, makeMdf4 } from './made-mdf4.ts';

const start = 1_612_709_499_000_000_001n;

function fileOf(bytes: Uint8Array): FileBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

async function rowsOf(table: LoggedTable): Promise<LoggedRow[]> {
  const rows: LoggedRow[] = [];
  for await (const row of table.read()) rows.push(row);
  return rows;
}

/** Time as a double of seconds, then a number of 16 bits. */
const time: MadeChannel = { name: 'time', type: 2, kind: 4, byte: 0, bits: 64 };
const speed: MadeChannel = {
  name: 'Speed',
  unit: 'km/h',
  kind: 0,
  byte: 8,
  bits: 16,
  conversion: [1, -40, 0.5],
};

function records(count: number): Uint8Array {
  const bytes = new Uint8Array(count * 10);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    view.setFloat64(i * 10, i / 8, true);
    view.setUint16(i * 10 + 8, 1000 + i, true);
  }
  return bytes;
}

const expected = (count: number): LoggedRow[] =>
  Array.from({ length: count }, (_, i) => ({
    time: start + BigInt(i) * 125_000_000n,
    values: [-40 + 0.5 * (1000 + i)],
    tags: [],
  }));

/** A file with one group of these two channels. */
function single(add: (file: MadeFile) => number, count: number): MadeFile {
  const file = makeMdf4(start);
  const group = addGroup(file, { channels: [time, speed], records: count, recordBytes: 10, data: add(file) });
  file.link(header, 0, group);
  return file;
}

describe('an MDF4 file', () => {
  it('gives a channel group as a table, however its records are kept', async () => {
    const whole = records(20);
    const kept: Record<string, (file: MadeFile) => number> = {
      plain: (file) => file.block('DT', [], whole),
      packed: (file) => addPacked(file, whole),
      turned: (file) => addPacked(file, whole, 10),
      // Records lie across blocks.
      listed(file) {
        const second = addPacked(file, whole.subarray(57, 141), 10);
        const third = file.block('DT', [], whole.subarray(141));
        const last = file.block('DL', [0, third], new Uint8Array(16));
        const first = file.block('DT', [], whole.subarray(0, 57));
        const list = file.block('DL', [last, first, second], new Uint8Array(16));
        return file.block('HL', [list], new Uint8Array(8));
      },
    };
    for (const [name, add] of Object.entries(kept)) {
      const { tables, start: began, leftOut } = await openMdf4(fileOf(single(add, 20).bytes()));
      assert.equal(began, start);
      assert.deepEqual(leftOut, []);
      assert.deepEqual(
        tables.map(({ rows, channels }) => [rows, channels.map((channel) => [channel.name, channel.unit])]),
        [[20, [['Speed', 'km/h']]]],
      );
      assert.deepEqual(await rowsOf(tables[0]!), expected(20), name);
    }
  });

  it('reads numbers of every size and order, marked values, and names what it leaves out', async () => {
    const file = makeMdf4(start);
    const channels: MadeChannel[] = [
      { name: 'index', type: 3, kind: 0, byte: 0, bits: 0, conversion: [1, 0, 0.25] },
      { name: 'signed', kind: 2, byte: 0, bits: 8 },
      { name: 'motorola', kind: 1, byte: 1, bits: 16 },
      { name: 'bits', kind: 0, byte: 3, bit: 2, bits: 3 },
      { name: 'signed bits', kind: 2, byte: 3, bit: 5, bits: 3 },
      { name: 'long', kind: 2, byte: 4, bits: 64, invalidBit: 1 },
      { name: 'float', kind: 4, byte: 12, bits: 32, conversion: [2, 0, 1, 1, 0, 0, 2] },
      { name: 'bits', kind: 3, byte: 1, bits: 16 },
      { name: 'bytes', kind: 10, byte: 0, bits: 64 },
      { name: 'formula', kind: 0, byte: 0, bits: 8, conversion: [3], references: ['f(X)'] },
    ];
    const record = [
      0xfe, 0x80, 0x01, 0b110_101_11, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x40, 0x40,
    ];
    const data = file.block('DT', [], Uint8Array.from([...record, 0b00, ...record, 0b10]));
    file.link(header, 0, addGroup(file, { channels, records: 2, recordBytes: 16, invalidBytes: 1, data }));
    file.link(header, 5, file.text('wet track'));
    const { tables, leftOut, notes, metadata } = await openMdf4(fileOf(file.bytes()));
    assert.deepEqual(leftOut, ['bytes (bytes)', 'formula (the formula f(X))']);
    assert.deepEqual(notes, [
      'renamed, for others have their names: bits (2)',
      'left out, as the file marks them as invalid: values of long',
    ]);
    assert.deepEqual(metadata, { comment: 'wet track' });
    assert.deepEqual(
      tables[0]!.channels.map(({ name }) => name),
      ['signed', 'motorola', 'bits', 'signed bits', 'long', 'float', 'bits (2)'],
    );
    assert.deepEqual(await rowsOf(tables[0]!), [
      { time: start, values: [-2, 0x8001, 0b101, -2, -3, 2, -0x7fff], tags: [] },
      { time: start + 250_000_000n, values: [-2, 0x8001, 0b101, -2, null, 2, -0x7fff], tags: [] },
    ]);
  });
});

describe('records and channels of an MDF4 file', () => {
  it('may lie across any number of blocks', async () => {
    const whole = records(7);
    const add = (file: MadeFile): number => {
      const blocks = [...whole].map((byte) => file.block('DT', [], Uint8Array.of(byte)));
      return file.block('DL', [0, ...blocks], new Uint8Array(16));
    };
    const { tables } = await openMdf4(fileOf(single(add, 7).bytes()));
    assert.deepEqual(await rowsOf(tables[0]!), expected(7));
  });

  it('are as many as the file says: writers reserve room for more, and it is named', async () => {
    const whole = records(7);
    const listed = (file: MadeFile): number => {
      const blocks = [...whole].map((byte) => file.block('DT', [], Uint8Array.of(byte)));
      return file.block('DL', [0, ...blocks], new Uint8Array(16));
    };
    for (const add of [listed, (file: MadeFile) => addPacked(file, whole)]) {
      const { tables, leftOut } = await openMdf4(fileOf(single(add, 5).bytes()));
      assert.deepEqual(await rowsOf(tables[0]!), expected(5));
      assert.deepEqual(leftOut, ['20 bytes behind the 5 records of group 1']);
    }
    const file = single(listed, 7);
    const group = Number(new DataView(file.bytes().buffer).getBigUint64(header + 24, true));
    const reserved = file.block('DT', [], new Uint8Array(40));
    file.link(
      group,
      0,
      addGroup(file, { channels: [time, speed], records: 0, recordBytes: 10, data: reserved }),
    );
    const { tables, leftOut } = await openMdf4(fileOf(file.bytes()));
    assert.deepEqual(await rowsOf(tables[0]!), expected(7));
    assert.deepEqual(leftOut, ['40 bytes behind the 0 records of group 2']);
  });

  it('have comments in XML, also in parts of it, and long ones', async () => {
    const comment = async (xml: string) => {
      const file = single((one) => one.block('DT', [], records(1)), 1);
      file.link(header, 5, file.block('MD', [], Buffer.from(`${xml}\0`)));
      return (await openMdf4(fileOf(file.bytes()))).metadata['comment'];
    };
    const hd = (inner: string) => `<HDcomment xmlns="http://www.asam.net/mdf/v4">${inner}</HDcomment>`;
    assert.equal(
      await comment(
        hd(
          '<TX xml:space="preserve">A&amp;B &lt;1&gt; &quot;wet&quot; &#228;&#xF6; &who; &constructor;</TX>',
        ),
      ),
      'A&B <1> "wet" äö &who; &constructor;',
    );
    assert.equal(await comment(hd('<TX><![CDATA[a < b & c]]></TX><common_properties/>')), 'a < b & c');
    assert.equal(await comment(hd('<TXT>no</TXT><TX/>')), undefined);
    const long = await comment(hd(`<TX>${'ä'.repeat(40_000)}</TX>`));
    assert.match(long ?? '', /^ä{32700,32768}$/);
  });

  it('may have one name', async () => {
    const count = 20_000;
    const same = Array.from({ length: count }, () => ({ ...speed, unit: undefined, conversion: undefined }));
    const file = makeMdf4(start);
    const text = file.text('Speed');
    const seconds = new Uint8Array(24);
    seconds.set([2, 1, 4, 0, 0, 0, 0, 0, 64]);
    let next = file.block('CN', [0, 0, file.text('time'), 0, 0, 0, 0, 0], seconds);
    for (const { kind, byte, bits } of same) {
      const data = new Uint8Array(24);
      data.set([0, 0, kind, 0, byte, 0, 0, 0, bits]);
      next = file.block('CN', [next, 0, text, 0, 0, 0, 0, 0], data);
    }
    const head = new Uint8Array(32);
    head.set([1], 8);
    head.set([10], 24);
    const plain = file.block('DT', [], records(1));
    const group = file.block('CG', [0, next, 0, 0, 0, 0], head);
    file.link(header, 0, file.block('DG', [0, group, plain, 0], new Uint8Array(8)));
    const { tables, notes } = await openMdf4(fileOf(file.bytes()));
    const names = tables[0]!.channels.map(({ name }) => name);
    assert.deepEqual([names.length, names[1], names.at(-1)], [count, 'Speed (2)', `Speed (${count})`]);
    assert.match(
      notes!.join(),
      new RegExp(
        `^renamed, for others have their names: Speed \\(2\\), .*Speed \\(11\\) and ${count - 11} more$`,
      ),
    );
  });
});

describe('a faulty MDF4 file', () => {
  const refused = async (bytes: Uint8Array, message: RegExp) =>
    assert.rejects(
      async () => {
        const { tables } = await openMdf4(fileOf(bytes));
        for (const table of tables) await rowsOf(table);
      },
      (error) => error instanceof FileFault && message.test(error.message),
    );
  const plain = (file: MadeFile) => file.block('DT', [], records(20));

  it('is refused with the byte at which it is wrong', async () => {
    const good = single(plain, 20).bytes();
    const changed = (offset: number, ...values: number[]): Uint8Array => {
      const bytes = good.slice();
      bytes.set(values, offset);
      return bytes;
    };
    await refused(good.subarray(0, 60), /^byte 0: the head of an MDF file needs 64 bytes/);
    await refused(changed(0, 0x41), /^byte 0: an MDF file begins with 'MDF/);
    await refused(changed(0, 0x55, 0x6e, 0x46, 0x69, 0x6e, 0x4d, 0x46), /^byte 0: the file was not finished/);
    await refused(changed(28, 0x4a, 0x01), /^byte 28: version 3.3 is not read/);
    await refused(changed(64, 0x58), /^byte 64: a block HD was expected here/);
    await refused(changed(64 + 24, 0xff, 0xff, 0xff, 0x7f), /^byte 2147483647: a block DG needs/);
    await refused(changed(64 + 8, 0xff, 0xff, 0xff), /^byte 64: the block HD of \d+ bytes/);
    await refused(single(plain, 21).bytes(), /there are 20 records of 21/);
    await refused(
      single(plain, 0).bytes(),
      /there are no records.*and there is data of them: 200 bytes behind the 0 records/,
    );
    await refused(single(plain, 2 ** 40).bytes(), /are more than the file can hold/);
    const beyond = makeMdf4(start);
    const data = plain(beyond);
    const channels = [time, { ...speed, byte: 9 }];
    beyond.link(header, 0, addGroup(beyond, { channels, records: 20, recordBytes: 10, data }));
    await refused(beyond.bytes(), /channel Speed stands beyond the 10 bytes of a record/);
  });

  it('is refused where blocks go in a circle, or compressed ones are not what they say', async () => {
    const circle = makeMdf4(start);
    const group = addGroup(circle, { channels: [time], records: 1, recordBytes: 8, data: 0 });
    circle.link(header, 0, group);
    circle.link(group, 0, group);
    await refused(circle.bytes(), /the blocks DG go in a circle/);
    await refused(
      single((file) => {
        const list = file.block('DL', [0, plain(file)], new Uint8Array(16));
        file.link(list, 0, list);
        return list;
      }, 40).bytes(),
      /the lists of data go in a circle/,
    );
    const packed = (change: (view: DataView, place: number) => void): Uint8Array => {
      let place = 0;
      const bytes = single((file) => {
        place = addPacked(file, records(20));
        return place;
      }, 20).bytes();
      change(new DataView(bytes.buffer), place + 24);
      return bytes;
    };
    await refused(
      packed((view, at) => view.setBigUint64(at + 8, 199n, true)),
      /has more than its 199 bytes/,
    );
    await refused(
      packed((view, at) => view.setBigUint64(at + 8, 201n, true)),
      /has 200 of its 201 bytes/,
    );
    await refused(
      packed((view, at) => view.setBigUint64(at + 8, 1n << 40n, true)),
      /is too large/,
    );
    await refused(
      packed((view, at) => view.setUint8(at + 2, 9)),
      /the compression 9 of a block DZ is not known/,
    );
    await refused(
      packed((view, at) => view.setUint32(at + 24, 0, true)),
      /cannot be inflated/,
    );
  });

  it('is refused where it claims more than fits into memory', async () => {
    /** The file with zeros behind it; remembers the longest piece that was read. */
    const grown = (bytes: Uint8Array, size: number) => {
      const file = {
        size,
        longest: 0,
        async read(offset: number, length: number): Promise<Uint8Array> {
          file.longest = Math.max(file.longest, length);
          const piece = new Uint8Array(Math.min(length, 1 << 20));
          piece.set(bytes.subarray(offset, offset + piece.length));
          return piece;
        },
      };
      return file;
    };
    const size = 10 * 2 ** 30;
    const wide = makeMdf4(start);
    const data = plain(wide);
    const channels = [time, speed];
    wide.link(header, 0, addGroup(wide, { channels, records: 4, recordBytes: 2 ** 31, data }));
    const wideFile = grown(wide.bytes(), size);
    await assert.rejects(openMdf4(wideFile), /a record has 2147483648 bytes/);

    let place = 0;
    const packed = single((file) => {
      place = addPacked(file, records(20));
      return place;
    }, 20).bytes();
    const view = new DataView(packed.buffer);
    view.setBigUint64(place + 8, BigInt(size - place), true);
    view.setBigUint64(place + 24 + 16, BigInt(size - place - 48), true);
    const packedFile = grown(packed, size);
    await assert.rejects(openMdf4(packedFile), /a block DZ has \d+ bytes for 200/);
    assert.ok(packedFile.longest < 1 << 20, `${packedFile.longest}`);
  });

  it('is refused where two groups have the same channels', async () => {
    const file = single(plain, 20);
    const group = Number(new DataView(file.bytes().buffer).getBigUint64(header + 24, true));
    const channels = Number(new DataView(file.bytes().buffer).getBigUint64(group + 32, true));
    file.link(group, 0, file.block('DG', [0, channels, 0, 0], new Uint8Array(8)));
    await refused(file.bytes(), /the block CG stands in two chains/);
  });

  it('is refused where groups have the same data: a small file would take very long', async () => {
    const ofGroups = (dataOf: (file: MadeFile, data: number) => number): FileBytes & { reads: number } => {
      const made = makeMdf4(start);
      const blocks = Array.from({ length: 200 }, () => made.block('DT', [], new Uint8Array(10)));
      const list = made.block('DL', [0, ...blocks], new Uint8Array(16));
      let next = 0;
      for (let i = 0; i < 200; i++) {
        const data = dataOf(made, list);
        const group = addGroup(made, { channels: [], records: 0, recordBytes: 10, data });
        made.link(group, 0, next);
        next = group;
      }
      made.link(header, 0, next);
      const { size, read } = fileOf(made.bytes());
      const file = {
        size,
        reads: 0,
        read(offset: number, length: number) {
          file.reads++;
          return read(offset, length);
        },
      };
      return file;
    };
    for (const dataOf of [
      (_file: MadeFile, list: number) => list,
      (file: MadeFile, list: number) => file.block('HL', [list], new Uint8Array(16)),
    ]) {
      const file = ofGroups(dataOf);
      await assert.rejects(openMdf4(file), /a (?:list|block) of data is (?:that of two groups|listed twice)/);
      assert.ok(file.reads < 4000, `${file.reads} reads`);
    }
  });

  it('is refused for names, units and times that no service takes', async () => {
    const made = (channel: MadeChannel): Uint8Array => {
      const file = makeMdf4(start);
      const data = plain(file);
      file.link(header, 0, addGroup(file, { channels: [time, channel], records: 20, recordBytes: 10, data }));
      return file.bytes();
    };
    await refused(made({ ...speed, name: 'ü'.repeat(257) }), /the name of a channel has more than 512 bytes/);
    await refused(
      made({ ...speed, unit: 'm'.repeat(513) }),
      /the unit of channel Speed has more than 512 characters/,
    );
    await refused(makeMdf4(2n ** 63n).bytes(), /^byte 136: the start, 9223372036854775808 ns, is too late/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileBytes, FileFault } from '../../../src/import/file-bytes.ts';
import { type LoggedFile, rowsOf } from '../../../src/import/logged-file.ts';
import { openMdf4 } from '../../../src/import/mdf4/open-mdf4.ts';
import {
  addChannelGroup,
  addGroup,
  addMixed,
  addPacked,
  header,
  type MadeChannel,
  type MadeFile,
  makeMdf4,
  signalData,
} from './made-mdf4.ts';

/** Files are written by hand after the public description of ASAM MDF 4.1; there is no other writer of them among packages. */
const start = 1_612_709_499_000_000_000n;

function fileOf(bytes: Uint8Array): FileBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

const open = (file: MadeFile): Promise<LoggedFile> => openMdf4(fileOf(file.bytes()));

/** Rows of all tables as `[table, milliseconds, ...values]`, in the order in which they come. */
async function cells(log: LoggedFile): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { table, row } of rowsOf(log))
    rows.push([table, Number(row.time - start) / 1e6, ...row.values]);
  return rows;
}

const refused = (file: MadeFile, message: RegExp) =>
  assert.rejects(open(file), (error) => error instanceof FileFault && message.test(error.message));

/** Milliseconds as a byte. */
const time: MadeChannel = { name: 't', type: 2, kind: 0, byte: 0, bits: 8, conversion: [1, 0, 0.001] };
const text = (value: string) => new Uint8Array(Buffer.from(value));

function idOf(id: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(id / 256 ** i) % 256);
}

describe('texts of an MDF4 file of at most so many bytes', () => {
  const fixed: MadeChannel = { name: 'w', type: 5, kind: 7, byte: 1, bits: 32 };
  const words: MadeChannel = { ...fixed, lengthBehind: 1 };
  const length: MadeChannel = { name: 'n', kind: 0, byte: 5, bits: 8 };
  const made = (channels: readonly MadeChannel[], ...records: readonly (readonly [string, number])[]) => {
    const file = makeMdf4(start);
    const bytes = records.flatMap(([value, count], i) => [i + 1, ...text(value), count]);
    const data = file.block('DT', [], Uint8Array.from(bytes));
    const group = { channels: [time, ...channels], records: records.length, recordBytes: 6, data };
    file.link(header, 0, addGroup(file, group));
    return file;
  };

  it('are as long as another channel says: what stands behind is left of longer ones', async () => {
    const file = made([words, length], ['abcd', 4], ['xbcd', 1], ['xbcd', 0], ['y\0cd', 3]);
    assert.deepEqual(await cells(await open(file)), [
      [0, 1, 'abcd', 4],
      [0, 2, 'x', 1],
      [0, 3, '', 0],
      [0, 4, 'y', 3],
    ]);
  });

  it('are refused where they are longer, and left out where nothing says how long they are', async () => {
    const long = await open(made([words, length], ['abcd', 5]));
    await assert.rejects(cells(long), /a record has 5 bytes of channel w, which has 4 at most/);
    const { leftOut } = await open(made([{ ...fixed, data: header }, length], ['abcd', 4]));
    assert.deepEqual(leftOut, ['w (its length stands nowhere)']);
  });
});

describe('records of an MDF4 file with numbers of their groups', () => {
  it('are read where they are of one group', async () => {
    for (const size of [1, 2, 4, 8]) {
      const file = makeMdf4(start);
      const records = [1, 2, 3].flatMap((i) => [...idOf(7, size), i, 10 * i]);
      const value: MadeChannel = { name: 'v', kind: 0, byte: 1, bits: 8 };
      const group = addChannelGroup(file, { id: 7, channels: [time, value], records: 3, recordBytes: 2 }, 0);
      file.link(header, 0, addMixed(file, size, group, file.block('DT', [], Uint8Array.from(records))));
      assert.deepEqual(await cells(await open(file)), [
        [0, 1, 10],
        [0, 2, 20],
        [0, 3, 30],
      ]);
    }
  });

  it('are read where groups are mixed, however their blocks are kept and cut', async () => {
    for (const size of [1, 2, 4, 8]) {
      const first = (i: number) => [...idOf(1, size), i, 10 * i];
      const second = (i: number) => [...idOf(200, size), i, 0, 100 + i, 1];
      const bytes = Uint8Array.from([
        ...first(1),
        ...second(2),
        ...second(3),
        ...first(4),
        ...first(5),
        ...second(6),
      ]);
      const kept: Record<string, (file: MadeFile) => number> = {
        plain: (file) => file.block('DT', [], bytes),
        packed: (file) => addPacked(file, bytes),
        turned: (file) => addPacked(file, bytes, 3),
        listed(file) {
          const parts = [...bytes].map((byte, i) =>
            i % 2 === 0 ? file.block('DT', [], Uint8Array.of(byte)) : addPacked(file, Uint8Array.of(byte)),
          );
          return file.block('HL', [file.block('DL', [0, ...parts], new Uint8Array(16))], new Uint8Array(8));
        },
      };
      for (const [name, add] of Object.entries(kept)) {
        const file = makeMdf4(start);
        const data = add(file);
        const wide: MadeChannel = { name: 'wide', kind: 0, byte: 2, bits: 16 };
        const other = addChannelGroup(
          file,
          { id: 200, channels: [time, wide], records: 3, recordBytes: 4 },
          0,
        );
        const one: MadeChannel = { name: 'one', kind: 0, byte: 1, bits: 8 };
        const group = addChannelGroup(
          file,
          { id: 1, channels: [time, one], records: 3, recordBytes: 2 },
          other,
        );
        file.link(header, 0, addMixed(file, size, group, data));
        const log = await open(file);
        assert.deepEqual(
          await cells(log),
          [
            [0, 1, 10],
            [1, 2, 358],
            [1, 3, 359],
            [0, 4, 40],
            [0, 5, 50],
            [1, 6, 362],
          ],
          `${name}, numbers of ${size} bytes`,
        );
        assert.deepEqual(log.leftOut, []);
        const alone: unknown[] = [];
        for await (const { values } of log.tables[1]!.read()) alone.push(values[0]);
        assert.deepEqual(alone, [358, 359, 362]);
      }
    }
  });

  it('may be values of variable length, before or behind the records that name them', async () => {
    const value = (word: string) => [3, ...idOf(word.length, 4), ...text(word)];
    const record = (i: number, place: number) => [1, i, ...idOf(place, 4)];
    // They stand at 0, 9, 13 and 18 of their group.
    const orders = [
      [
        value('first'),
        value(''),
        value('x'),
        value('last'),
        record(1, 0),
        record(2, 9),
        record(3, 13),
        record(4, 18),
      ],
      [
        record(1, 0),
        record(2, 9),
        value('first'),
        value(''),
        record(3, 13),
        value('x'),
        record(4, 18),
        value('last'),
      ],
      [
        record(1, 0),
        record(2, 9),
        record(3, 13),
        record(4, 18),
        value('first'),
        value(''),
        value('x'),
        value('last'),
      ],
    ];
    for (const order of orders) {
      const file = makeMdf4(start);
      const data = addPacked(file, Uint8Array.from(order.flat()));
      const values = addChannelGroup(
        file,
        { id: 3, isVariable: true, channels: [], records: 4, recordBytes: 0 },
        0,
      );
      const word: MadeChannel = { name: 'word', type: 1, kind: 7, byte: 1, bits: 32, data: values };
      const group = addChannelGroup(
        file,
        { id: 1, channels: [time, word], records: 4, recordBytes: 5 },
        values,
      );
      file.link(header, 0, addMixed(file, 1, group, data));
      const log = await open(file);
      assert.equal(log.tables[0]!.channels[0]!.isText, true);
      assert.deepEqual(await cells(log), [
        [0, 1, 'first'],
        [0, 2, ''],
        [0, 3, 'x'],
        [0, 4, 'last'],
      ]);
    }
  });

  it('are refused with a number that no group has, and where one or a value is missing', async () => {
    const made = (records: number[], count = 1, isNamed = true): MadeFile => {
      const file = makeMdf4(start);
      const data = file.block('DT', [], Uint8Array.from(records));
      const values = addChannelGroup(
        file,
        { id: 3, isVariable: true, channels: [], records: 0, recordBytes: 0 },
        0,
      );
      const word: MadeChannel = {
        name: 'w',
        type: 1,
        kind: 7,
        byte: 1,
        bits: 32,
        data: isNamed ? values : 0,
      };
      const group = addChannelGroup(
        file,
        { id: 1, channels: [time, word], records: count, recordBytes: 5 },
        values,
      );
      file.link(header, 0, addMixed(file, 1, group, data));
      return file;
    };
    await refused(made([9, 1, 2, 3]), /a record here has the number 9, which no channel group has/);
    await refused(made([1, 5, 0, 0, 0, 0]), /a value of variable length is not there, of 1 records/);
    await refused(made([1, 5, 0, 0, 0, 0], 2), /there are 1 records of 2/);
    await refused(
      made([1, 5, 0, 0, 0, 0], 1, false),
      /nothing in the file can be read: w \(its values stand nowhere\)/,
    );
  });

  it('are named where there are more of them than a group says', async () => {
    const file = makeMdf4(start);
    const bytes = [1, 1, 1, 2, 2, 1, 2, 2, 1, 3, 1, 4, 1, 5, 1, 6];
    const data = file.block('DT', [], Uint8Array.from(bytes));
    const virtual: MadeChannel = { name: 'n', type: 6, kind: 0, byte: 0, bits: 0, conversion: [1, 5, 2] };
    const second = addChannelGroup(file, { id: 2, channels: [time, virtual], records: 2, recordBytes: 1 }, 0);
    const group = addChannelGroup(
      file,
      { id: 1, channels: [time, virtual], records: 2, recordBytes: 1 },
      second,
    );
    file.link(header, 0, addMixed(file, 1, group, data));
    const log = await open(file);
    assert.deepEqual(await cells(log), [
      [0, 1, 5],
      [0, 2, 7],
      [1, 1, 5],
      [1, 2, 7],
    ]);
    assert.deepEqual(log.leftOut, ['8 bytes behind the 4 records of group 1']);
  });
});

describe('texts of an MDF4 file', () => {
  it('are read from the record in each encoding, up to the first zero', async () => {
    const file = makeMdf4(start);
    const latin = [0x61, 0x80, 0xe9, 0];
    const utf8 = [...text('a€'), 0, 0x7a];
    const little = [...Buffer.from('aé€', 'utf16le'), 0, 0];
    const big = [...Buffer.from('é', 'utf16le').swap16(), 0, 0];
    const record = [5, ...latin, ...utf8, ...little, ...big];
    const channels: MadeChannel[] = [
      time,
      { name: 'latin', kind: 6, byte: 1, bits: 32 },
      { name: 'utf8', kind: 7, byte: 5, bits: 48 },
      { name: 'little', kind: 8, byte: 11, bits: 64 },
      { name: 'big', kind: 9, byte: 19, bits: 32 },
    ];
    const data = file.block('DT', [], Uint8Array.from(record));
    file.link(header, 0, addGroup(file, { channels, records: 1, recordBytes: record.length, data }));
    const log = await open(file);
    assert.deepEqual(await cells(log), [[0, 5, 'a\u0080é', 'a€', 'aé€', 'é']]);
    assert.ok(log.tables[0]!.channels.every(({ isText }) => isText));
  });

  it('are read where they stand beside the records, in a block, compressed or in a list', async () => {
    const words = ['one', '', 'three', 'größer', 'x'.repeat(3000)];
    const { bytes, places } = signalData(words.map(text));
    const kept: Record<string, (file: MadeFile) => number> = {
      plain: (file) => file.block('SD', [], bytes),
      packed: (file) => addPacked(file, bytes, undefined, 'SD'),
      // Values and their lengths lie across blocks.
      listed(file) {
        const cuts = [0, 2, 5, 9, 10, 20, 500, bytes.length];
        const parts = cuts
          .slice(1)
          .map((end, i) =>
            i % 2 === 0
              ? file.block('SD', [], bytes.subarray(cuts[i]!, end))
              : addPacked(file, bytes.subarray(cuts[i]!, end), undefined, 'SD'),
          );
        return file.block('HL', [file.block('DL', [0, ...parts], new Uint8Array(16))], new Uint8Array(8));
      },
    };
    for (const [name, add] of Object.entries(kept)) {
      const file = makeMdf4(start);
      // The first one is named once more at the end.
      const named = [...places, 0];
      const records = named.flatMap((place, i) => [i, ...idOf(place, 8)]);
      const word: MadeChannel = { name: 'word', type: 1, kind: 7, byte: 1, bits: 64, data: add(file) };
      const data = file.block('DT', [], Uint8Array.from(records));
      file.link(header, 0, addGroup(file, { channels: [time, word], records: 6, recordBytes: 9, data }));
      const found = (await cells(await open(file))).map((row) => row[2]);
      assert.deepEqual(found, [...words, 'one'], name);
    }
    const file = makeMdf4(start);
    const word: MadeChannel = {
      name: 'w',
      type: 1,
      kind: 7,
      byte: 1,
      bits: 8,
      data: file.block('SD', [], bytes.subarray(0, 6)),
    };
    const data = file.block('DT', [], Uint8Array.of(0, 0));
    file.link(header, 0, addGroup(file, { channels: [time, word], records: 1, recordBytes: 2, data }));
    await refused(file, /a value stands at 4 of 6 bytes of values/);
  });
});

describe('values of an MDF4 file', () => {
  const one = async (
    channel: MadeChannel,
    raws: readonly number[],
  ): Promise<{ log: LoggedFile; values: unknown[] }> => {
    const file = makeMdf4(start);
    const data = file.block('DT', [], Uint8Array.from(raws.flatMap((raw, i) => [i, raw])));
    file.link(
      header,
      0,
      addGroup(file, { channels: [time, channel], records: raws.length, recordBytes: 2, data }),
    );
    const log = await open(file);
    return { log, values: (await cells(log)).map((row) => row[2]) };
  };
  const byte: MadeChannel = { name: 'v', kind: 0, byte: 1, bits: 8 };

  it('are converted by tables, ranges and formulas', async () => {
    const value = async (
      conversion: readonly [number, ...number[]],
      references: readonly (string | number)[],
      raws: number[],
    ) => (await one({ ...byte, conversion, references }, raws)).values;
    assert.deepEqual(await value([4, 0, 10, 10, 20, 20, 0], [], [0, 5, 10, 15, 30]), [10, 15, 20, 10, 0]);
    assert.deepEqual(
      await value([5, 0, 10, 10, 20, 20, 0], [], [0, 5, 6, 14, 16, 30]),
      [10, 10, 20, 20, 0, 0],
    );
    assert.deepEqual(await value([6, 0, 4, 1, 5, 9, 2, -1], [], [0, 4, 5, 9, 10]), [1, 1, 2, 2, -1]);
    assert.deepEqual(await value([3], ['2 * (X1 + 1) ^ 2 - sqrt(X) / -2'], [4, 9]), [51, 201.5]);
  });

  it('become names where a table has them, and stay numbers where only some mean something', async () => {
    const gears = await one(
      { ...byte, conversion: [7, 0, 1], references: ['Neutral', 'First', 0] },
      [0, 1, 2],
    );
    assert.deepEqual(gears.values, ['Neutral', 'First', '2']);
    assert.equal(gears.log.tables[0]!.channels[0]!.isText, true);
    const other = await one({ ...byte, conversion: [7, 0, 1], references: ['off', 'on', 'unknown'] }, [0, 9]);
    assert.deepEqual(other.values, ['off', 'unknown']);
    const ranges = await one(
      { ...byte, conversion: [8, 0, 9, 10, 10], references: ['low', 'ten', 'high'] },
      [0, 9, 10, 11],
    );
    assert.deepEqual(ranges.values, ['low', 'low', 'ten', 'high']);
    const counter = await one(
      { ...byte, conversion: [7, 254, 255], references: ['fault', 'n/a', 0] },
      [0, 254, 255],
    );
    assert.deepEqual(counter.values, [0, 254, 255]);
    assert.deepEqual(counter.log.tables[0]!.channels[0]!.valueNames, { 254: 'fault', 255: 'n/a' });
    assert.deepEqual(counter.log.notes, [
      'numbers, also where single values have names, which their definitions keep: v',
    ]);
  });

  it('are converted by another conversion where a table has no name', async () => {
    const file = makeMdf4(start);
    const halves = file.block(
      'CC',
      [0, 0, 0, 0],
      Buffer.concat([
        Buffer.from([1, 0, 0, 0, 0, 0, 2, 0]),
        Buffer.alloc(16),
        Buffer.from(new Float64Array([10, 0.5]).buffer),
      ]),
    );
    const data = file.block('DT', [], Uint8Array.of(0, 0, 1, 4, 2, 255));
    const channel: MadeChannel = { ...byte, unit: 'V', conversion: [7, 255], references: ['n/a', halves] };
    file.link(header, 0, addGroup(file, { channels: [time, channel], records: 3, recordBytes: 2, data }));
    const log = await open(file);
    assert.deepEqual(
      (await cells(log)).map((row) => row[2]),
      [10, 12, 137.5],
    );
    // The name is of the value that is kept.
    assert.deepEqual(log.tables[0]!.channels[0]!.valueNames, { 137.5: 'n/a' });
  });

  it('are texts turned to numbers or other texts', async () => {
    const word: MadeChannel = { ...byte, kind: 7 };
    const raws = [...'abc'].map((letter) => letter.charCodeAt(0));
    const numbers = await one({ ...word, conversion: [9, 1, 2, -1], references: ['a', 'b'] }, raws);
    assert.deepEqual(numbers.values, [1, 2, -1]);
    assert.equal(numbers.log.tables[0]!.channels[0]!.isText, false);
    const texts = await one({ ...word, conversion: [10], references: ['a', 'Anna', 'b', 'Bert', 0] }, raws);
    assert.deepEqual(texts.values, ['Anna', 'Bert', 'c']);
  });

  it('are text where whole numbers have more digits than a double, and numbers where they have not', async () => {
    const wide = async (values: readonly bigint[], conversion?: MadeChannel['conversion']) => {
      const file = makeMdf4(start);
      const bytes = new Uint8Array(values.length * 9);
      const view = new DataView(bytes.buffer);
      for (const [i, value] of values.entries()) view.setBigUint64(i * 9 + 1, value, true);
      const data = file.block('DT', [], bytes);
      const channels = [
        time,
        { name: 'serial', kind: 0, byte: 1, bits: 64, ...(conversion && { conversion }) },
      ];
      file.link(header, 0, addGroup(file, { channels, records: values.length, recordBytes: 9, data }));
      const log = await open(file);
      return { notes: log.notes, values: (await cells(log)).map((row) => row[2]) };
    };
    assert.deepEqual(await wide([1n, 2n ** 60n]), { notes: [], values: [1, 2 ** 60] });
    // A linear conversion may say nothing.
    for (const conversion of [undefined, [1, 0, 1] as const])
      assert.deepEqual(await wide([1n, 2n ** 53n + 1n], conversion), {
        notes: ['text, for its numbers have more digits than a double: serial'],
        values: ['1', '9007199254740993'],
      });
  });

  it('have times in any unit of time, and tell of another one', async () => {
    const inUnit = async (unit: string) => {
      const file = makeMdf4(start);
      const master: MadeChannel = { name: 't', unit, type: 2, kind: 0, byte: 0, bits: 8 };
      const value: MadeChannel = { name: 'v', kind: 0, byte: 1, bits: 8 };
      const data = file.block('DT', [], Uint8Array.of(20, 7));
      file.link(header, 0, addGroup(file, { channels: [master, value], records: 1, recordBytes: 2, data }));
      const log = await open(file);
      return { notes: log.notes, ms: (await cells(log))[0]![1] };
    };
    for (const unit of ['msec', 'Milliseconds', '[ms]'])
      assert.deepEqual(await inUnit(unit), { notes: [`times of t are in ${unit}`], ms: 20 });
    assert.deepEqual(await inUnit('Sekunden'), { notes: [], ms: 20_000 });
    assert.deepEqual(await inUnit('furlong'), {
      notes: ['times of t are in furlong, taken for seconds'],
      ms: 20_000,
    });
    await assert.rejects(inUnit('ticks'), /its times in t are in ticks/);
  });

  it('are read as halves, as parts of structures and in other units of time', async () => {
    const file = makeMdf4(start);
    const halves = [0x3c00, 0xc100, 0x0001, 0x7c00];
    const records = halves.flatMap((bits, i) => [i * 10, bits & 255, bits >> 8]);
    const half: MadeChannel = { name: 'half', kind: 4, byte: 1, bits: 16 };
    const low: MadeChannel = { name: 'low', kind: 0, byte: 1, bits: 8 };
    const whole: MadeChannel = {
      name: 'Whole',
      kind: 10,
      byte: 1,
      bits: 16,
      parts: [low, { ...low, name: 'Whole.high', byte: 2 }],
    };
    const master: MadeChannel = { name: 't', unit: 'ms', type: 2, kind: 0, byte: 0, bits: 8 };
    const data = file.block('DT', [], Uint8Array.from(records));
    file.link(
      header,
      0,
      addGroup(file, { channels: [master, half, whole], records: 4, recordBytes: 3, data }),
    );
    const log = await open(file);
    assert.deepEqual(
      log.tables[0]!.channels.map(({ name }) => name),
      ['half', 'Whole.low', 'Whole.high'],
    );
    assert.deepEqual(await cells(log), [
      [0, 0, 1, 0, 0x3c],
      [0, 10, -2.5, 0, 0xc1],
      [0, 20, 2 ** -24, 1, 0],
      [0, 30, Number.POSITIVE_INFINITY, 0, 0x7c],
    ]);
    assert.deepEqual(log.notes, ['times of t are in ms']);
  });

  it('are left out by name and with the cause, and a file of them alone is refused', async () => {
    const file = makeMdf4(start);
    const data = file.block('DT', [], Uint8Array.of(0, 0));
    const angle: MadeChannel = { name: 'angle', type: 2, sync: 2, kind: 0, byte: 0, bits: 8 };
    file.link(header, 0, addGroup(file, { channels: [angle, byte], records: 1, recordBytes: 2, data }));
    await refused(file, /^nothing in the file can be read: v \(its rows count angle, not time\)$/);
  });

  it('have properties of the recording beside the comment', async () => {
    const file = makeMdf4(start);
    const data = file.block('DT', [], Uint8Array.of(0, 1));
    file.link(header, 0, addGroup(file, { channels: [time, byte], records: 1, recordBytes: 2, data }));
    const xml =
      '<HDcomment><TX>wet track</TX><common_properties><e name="author">M &amp; B</e><e name="empty"/>' +
      '<tree name="x"><e name=\'project\' type="string"> Mule 3 </e></tree></common_properties></HDcomment>';
    file.link(header, 5, file.block('MD', [], Buffer.from(`${xml}\0`)));
    assert.deepEqual((await open(file)).metadata, {
      comment: 'wet track',
      author: 'M & B',
      project: 'Mule 3',
    });
  });

  it('have all texts of the header or tell what is renamed and left out', async () => {
    const file = makeMdf4(start);
    const data = file.block('DT', [], Uint8Array.of(0, 1));
    file.link(header, 0, addGroup(file, { channels: [time, byte], records: 1, recordBytes: 2, data }));
    const properties = Array.from({ length: 99 }, (_, i) => `<e name="p${i}">${i}</e>`).join('');
    const xml = `<HDcomment><TX>wet</TX><common_properties><e name="comment">dry</e>${properties}<e name="late">1</e></common_properties></HDcomment>`;
    file.link(header, 5, file.block('MD', [], Buffer.from(`${xml.padEnd(65_540, '\n')}\0`)));
    const { metadata, notes, leftOut } = await open(file);
    assert.deepEqual([metadata['comment'], metadata['comment (2)'], metadata['p98']], ['wet', 'dry', '98']);
    assert.deepEqual(notes, ['metadata under other names than in the file: comment (2)']);
    assert.deepEqual(leftOut, ['1 more properties of the header', '5 bytes of the comment of the header']);
  });
});

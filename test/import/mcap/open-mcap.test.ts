import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileFault } from '../../../src/import/file-bytes.ts';
import { rowsOf } from '../../../src/import/logged-file.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { type Compress, type MadeChannel, makeMcap, start } from './made-mcap.ts';
import { columnsOf, fileOf, json } from './read-mcap.ts';

const jsonChannels: readonly MadeChannel[] = [
  {
    topic: '/car',
    encoding: 'json',
    messages: [
      json({ speed: 1.5, pos: { x: 1, y: [2, 3] }, on: true, note: 'a', picture: Array(17).fill(0) }),
      json({ speed: 2.5, pos: { x: 4, y: [5, 6] }, on: false, gear: null }),
      json({ speed: 'stopped', pos: { x: 7 } }),
    ],
  },
  { topic: '/other', encoding: 'json', messages: [json({ v: 1 }), json({ v: 2 })] },
  { topic: '/camera', encoding: 'x-jpeg', messages: [json(1)] },
];
const jsonColumns = {
  '/car times': [0, 10, 20],
  '/car.speed': [1.5, 2.5, null],
  '/car.pos.x': [1, 4, 7],
  '/car.pos.y[0]': [2, 5, null],
  '/car.pos.y[1]': [3, 6, null],
  '/car.on': [1, 0, null],
  '/car.note text': ['a', null, null],
  '/car.speed text': [null, null, 'stopped'],
  '/other times': [0, 10],
  '/other.v': [1, 2],
};

/** A frame as LZ4 describes it: one block whose bytes are all literals, or that is kept as it is. */
function lz4Frame(bytes: Uint8Array, isKept: boolean): Uint8Array {
  const long = bytes.length - 15;
  const lengths = long < 0 ? [] : [...Array(Math.floor(long / 255)).fill(255), long % 255];
  const token = Math.min(bytes.length, 15) << 4;
  const block = isKept ? bytes : Uint8Array.of(token, ...lengths, ...bytes);
  const size = Buffer.alloc(4);
  size.writeUInt32LE((block.length | (isKept ? 0x80000000 : 0)) >>> 0);
  return Buffer.concat([
    Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0]),
    size,
    block,
    Buffer.alloc(4),
  ]);
}

/** A frame as RFC 8878 describes it: one raw block. */
function zstdFrame(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 5);
  const block = (bytes.length << 3) | 1;
  return Buffer.concat([head, Buffer.from([block & 0xff, (block >> 8) & 0xff, block >> 16]), bytes]);
}

/** The bytes of a file with another number of one channel, in its record and before its messages; without the checksum of its data. */
function renumbered(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const view = new DataView(changed.buffer);
  for (let at = 8; at + 9 <= changed.length - 8; ) {
    const op = view.getUint8(at);
    const isNumbered = op === 4 || op === 5;
    if (isNumbered && view.getUint16(at + 9, true) === from) view.setUint16(at + 9, to, true);
    if (op === 15) view.setUint32(at + 9, 0, true);
    at += 9 + Number(view.getBigUint64(at + 1, true));
  }
  return changed;
}

describe('an MCAP file', () => {
  it('is refused where two channels have one number: messages of one would be taken for those of the other', async () => {
    const twice = jsonChannels.slice(0, 2);
    const bytes = await makeMcap(twice, undefined, { useChunks: false, useSummary: false });
    assert.deepEqual(await columnsOf(await openMcap(fileOf(renumbered(bytes, 1, 7)))), jsonColumns);
    await assert.rejects(
      openMcap(fileOf(renumbered(bytes, 1, 0))),
      (error) =>
        error instanceof FileFault &&
        /channel 0 is described twice, as \/car and as \/other/.test(error.message),
    );
  });

  const ways: Record<string, Compress | undefined> = {
    plain: undefined,
    'lz4, kept': (bytes) => ({ compression: 'lz4', compressedData: lz4Frame(bytes, true) }),
    'lz4, literals': (bytes) => ({ compression: 'lz4', compressedData: lz4Frame(bytes, false) }),
    zstd: (bytes) => ({ compression: 'zstd', compressedData: zstdFrame(bytes) }),
  };
  for (const [name, compress] of Object.entries(ways)) {
    it(`gives fields of JSON messages as channels: ${name}`, async () => {
      const log = await openMcap(fileOf(await makeMcap(jsonChannels, compress)));
      assert.deepEqual(await columnsOf(log), jsonColumns);
      assert.deepEqual(
        [...log.leftOut].sort(),
        [
          '/camera (x-jpeg, 1 message)',
          '/car.picture (an array of more than 16 elements, in 1 of 3 messages)',
        ].sort(),
      );
      assert.deepEqual(
        log.tables.map(({ name: topic, rows }) => [topic, rows]),
        [
          ['/car', 3],
          ['/other', 2],
        ],
      );
      assert.equal(log.start, start);
    });
  }

  it('gives fields of ROS 2 messages, with gaps between numbers', async () => {
    const data = Buffer.from(
      'std_msgs/Header header\nbool ok # is it\nfloat64 speed\nint16[] few\nuint8[] image\ngeometry_msgs/Point[2] corners\nstring<=8 mode\nint32 LIMIT=5\n' +
        '================\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n' +
        '================\nMSG: geometry_msgs/Point\nfloat32 x\nfloat32 y\n',
    );
    const body = Buffer.alloc(200);
    let at = 4;
    const put = (width: number, write: (at: number) => void) => {
      at += (width - ((at - 4) % width)) % width;
      write(at);
      at += width;
    };
    const text = (value: string) => {
      put(4, (to) => body.writeUInt32LE(value.length + 1, to));
      body.write(`${value}\0`, at);
      at += value.length + 1;
    };
    body[1] = 1;
    put(4, (to) => body.writeInt32LE(1_700_000_000, to));
    put(4, (to) => body.writeUInt32LE(5, to));
    text('map');
    put(1, (to) => body.writeUInt8(1, to));
    put(8, (to) => body.writeDoubleLE(83.25, to));
    put(4, (to) => body.writeUInt32LE(2, to));
    for (const value of [-3, 4]) put(2, (to) => body.writeInt16LE(value, to));
    put(4, (to) => body.writeUInt32LE(20, to));
    for (let i = 0; i < 20; i++) put(1, (to) => body.writeUInt8(i, to));
    for (const value of [0.5, 1.5, 2.5, 3.5]) put(4, (to) => body.writeFloatLE(value, to));
    text('race');
    const schema = { name: 'car/msg/State', encoding: 'ros2msg', data };
    const log = await openMcap(
      fileOf(await makeMcap([{ topic: '/s', encoding: 'cdr', schema, messages: [body.subarray(0, at)] }])),
    );
    assert.deepEqual(await columnsOf(log), {
      '/s times': [0],
      '/s.header.stamp.sec': [1_700_000_000],
      '/s.header.stamp.nanosec': [5],
      '/s.header.frame_id text': ['map'],
      '/s.ok': [1],
      '/s.speed': [83.25],
      '/s.few[0]': [-3],
      '/s.few[1]': [4],
      '/s.corners[0].x': [0.5],
      '/s.corners[0].y': [1.5],
      '/s.corners[1].x': [2.5],
      '/s.corners[1].y': [3.5],
      '/s.mode text': ['race'],
    });
    assert.deepEqual(log.leftOut, ['/s.image (an array of more than 16 elements)']);
  });

  it('gives fields of ROS 1 messages', async () => {
    const data = Buffer.from(
      'Header header\nuint8 gear\nfloat64 speed\n===\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n',
    );
    const body = Buffer.alloc(4 + 8 + 4 + 2 + 1 + 8);
    body.writeUInt32LE(9, 0);
    body.writeUInt32LE(1_700_000_000, 4);
    body.writeUInt32LE(6, 8);
    body.writeUInt32LE(2, 12);
    body.write('ab', 16);
    body.writeUInt8(4, 18);
    body.writeDoubleLE(-1.25, 19);
    const schema = { name: 'car/State', encoding: 'ros1msg', data };
    const log = await openMcap(
      fileOf(await makeMcap([{ topic: 's', encoding: 'ros1', schema, messages: [body] }])),
    );
    assert.deepEqual(await columnsOf(log), {
      's times': [0],
      's.header.seq': [9],
      's.header.stamp.sec': [1_700_000_000],
      's.header.stamp.nanosec': [6],
      's.header.frame_id text': ['ab'],
      's.gear': [4],
      's.speed': [-1.25],
    });
  });

  it('has a byte that is signed in ROS 1, and an octet in ROS 2', async () => {
    const of = (encoding: string, kind: string, ...bytes: number[]): MadeChannel => ({
      topic: encoding,
      encoding,
      schema: { name: 'p/M', encoding: kind, data: Buffer.from('byte b\nchar c\n') },
      messages: [Uint8Array.from(bytes)],
    });
    const channels = [of('ros1', 'ros1msg', 254, 253), of('cdr', 'ros2msg', 0, 1, 0, 0, 254, 253)];
    assert.deepEqual(await columnsOf(await openMcap(fileOf(await makeMcap(channels)))), {
      'ros1 times': [0],
      'ros1.b': [-2],
      'ros1.c': [253],
      'cdr times': [0],
      'cdr.b': [254],
      'cdr.c': [253],
    });
  });

  it('leaves topics out whose messages cannot be read, and says why', async () => {
    const ros2 = (topic: string, schema: string, ...messages: number[][]): MadeChannel => ({
      topic,
      encoding: 'cdr',
      schema: { name: 'p/M', encoding: 'ros2msg', data: Buffer.from(schema) },
      messages: messages.map((bytes) => Uint8Array.of(0, 1, 0, 0, ...bytes)),
    });
    const log = await openMcap(
      fileOf(
        await makeMcap([
          ros2('wide', 'wstring name\nuint8 a', [0, 0, 0, 0, 7], [0, 0, 0, 0, 8]),
          jsonChannels[1]!,
          ros2('short', 'uint16 a', [1, 0], [2], [3, 0]),
        ]),
      ),
    );
    assert.deepEqual(await columnsOf(log), { '/other times': [0, 10], '/other.v': [1, 2] });
    assert.equal(log.leftOut.length, 1, String(log.leftOut));
    assert.match(log.leftOut[0]!, /^wide \(cdr ros2msg: it has a wstring/);
    assert.equal(log.faults!.length, 1, String(log.faults));
    assert.match(
      log.faults![0]!,
      /^byte \d+: message 2 of short cannot be read: it is shorter than its schema says$/,
    );
  });

  it('gives fields of protobuf messages; what is absent has its default', async () => {
    // descriptor.proto by hand: fields as key and bytes with their length.
    const field = (number: number, ...parts: (Uint8Array | string)[]): Buffer => {
      const body = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
      const length = body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7];
      return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), body]);
    };
    const word = (number: number, value: number): Buffer => Buffer.from([number << 3, value]);
    const one = (name: string, number: number, type: number, label: number, typeName = ''): Buffer =>
      field(
        2,
        field(1, name),
        word(3, number),
        word(4, label),
        word(5, type),
        ...(typeName === '' ? [] : [field(6, typeName)]),
      );
    const wheel = field(3, field(1, 'Wheel'), one('temp', 1, 2, 1), one('slip', 2, 17, 1));
    const car = field(
      4,
      field(1, 'Car'),
      one('speed', 1, 1, 1),
      one('gear', 2, 5, 1),
      one('name', 3, 9, 1),
      one('wheels', 4, 11, 3, '.race.Car.Wheel'),
      one('bits', 5, 13, 3),
      one('raw', 6, 12, 1),
      wheel,
    );
    const data = field(1, field(1, 'car.proto'), field(2, 'race'), car, field(12, 'proto3'));
    const speed = Buffer.alloc(9);
    speed[0] = (1 << 3) | 1;
    speed.writeDoubleLE(83.25, 1);
    const temp = Buffer.alloc(5);
    temp[0] = (1 << 3) | 5;
    temp.writeFloatLE(90.5, 1);
    const minusOne = Buffer.from([2 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    const first = Buffer.concat([
      speed,
      minusOne,
      field(3, 'A7'),
      field(4, temp, word(2, 3)),
      field(4),
      field(5, Uint8Array.of(1, 0x80, 0x02)),
      field(6, 'xx'),
    ]);
    const schema = { name: 'race.Car', encoding: 'protobuf', data };
    const messages = [first, new Uint8Array()];
    const log = await openMcap(
      fileOf(await makeMcap([{ topic: 'c', encoding: 'protobuf', schema, messages }])),
    );
    assert.deepEqual(await columnsOf(log), {
      'c times': [0, 10],
      'c.speed': [83.25, 0],
      'c.gear': [-1, 0],
      'c.name text': ['A7', ''],
      'c.wheels[0].temp': [90.5, null],
      'c.wheels[0].slip': [-2, null],
      'c.wheels[1].temp': [0, null],
      'c.wheels[1].slip': [0, null],
      'c.bits[0]': [1, null],
      'c.bits[1]': [256, null],
    });
    assert.deepEqual(log.leftOut, ['c.raw (bytes, in 1 of 2 messages)']);
  });
});

describe('names in an MCAP file', () => {
  it('lose what no parameter may be called', async () => {
    const messages = [json({ 'oil\n temp': 1, a: { '\u0000': 2 } })];
    const log = await openMcap(fileOf(await makeMcap([{ topic: '/c\tar', encoding: 'json', messages }])));
    assert.deepEqual(
      log.tables.flatMap(({ channels }) => channels.map(({ name }) => name)),
      ['/c ar.oil  temp', '/c ar.a.'],
    );
  });

  it('differ where fields do', async () => {
    const car = [
      json({ 'a.b': 1, a: { b: 2, ' b': 3 }, 'c[0]': 4, c: [5] }),
      json({ a: { b: 7 }, 'a.b': 6, '\ud800': 8, '\ud801': 8 }),
    ];
    const log = await openMcap(
      fileOf(
        await makeMcap([
          { topic: 'car', encoding: 'json', messages: car },
          { topic: 'car.a', encoding: 'json', messages: [json({ b: 10 })] },
        ]),
      ),
    );
    assert.deepEqual(await columnsOf(log), {
      'car times': [0, 10],
      'car.a.b': [1, 6],
      'car.a.b (2)': [2, 7],
      'car.a.b (3)': [3, null],
      'car.c[0]': [4, null],
      'car.c[0] (2)': [5, null],
      'car.\ufffd': [null, 8],
      'car.a times': [0],
      'car.a.b (4)': [10],
    });
    assert.ok(
      log.notes!.includes(
        'renamed, for others have their names: car.a.b (2), car.a.b (3), car.c[0] (2), car.a.b (4)',
      ),
      log.notes!.join(),
    );
  });

  it('and texts have no halves of characters', async () => {
    const messages = [Buffer.from('{"note":"\\ud83d"}')];
    await assert.rejects(
      openMcap(fileOf(await makeMcap([{ topic: 'c', encoding: 'json', messages }]))),
      (error) => error instanceof FileFault && /the text of note has half a character/.test(error.message),
    );
  });
});

describe('the time at which an MCAP file begins', () => {
  it('is that of the first message that is read', async () => {
    const log = await openMcap(
      fileOf(
        await makeMcap([
          { topic: 'broken', encoding: 'json', messages: [json(1), Buffer.from('{')] },
          { topic: 'picture', encoding: 'x-jpeg', messages: [json(1), json(1)] },
          { topic: 'car', encoding: 'json', messages: [undefined, json({ v: 1 }), json({ v: 2 })] },
        ]),
      ),
    );
    let first: bigint | undefined;
    for await (const { row } of rowsOf(log)) first ??= row.time;
    assert.equal(log.start, start + 10_000_000n);
    assert.equal(log.start, first);
  });
});

describe('a faulty MCAP file', () => {
  const refused = async (bytes: Uint8Array, message: RegExp) =>
    assert.rejects(
      openMcap(fileOf(bytes)),
      (error) => error instanceof FileFault && message.test(error.message),
    );

  it('is refused with the byte at which it is wrong', async () => {
    const good = await makeMcap(jsonChannels);
    await refused(good.subarray(0, 5), /^byte 0: the mark of an MCAP file needs 8 bytes/);
    await refused(Buffer.alloc(100), /^byte 0: an MCAP file begins with 89 'MCAP0'/);
    await refused(good.subarray(0, 200), /^byte \d+: a record of \d+ bytes begins here.*it was cut off/);
    const record = (op: number, length: bigint, rest = 0) => {
      const bytes = Buffer.alloc(17 + rest);
      bytes.set(good.subarray(0, 8));
      bytes[8] = op;
      bytes.writeBigUInt64LE(length, 9);
      return bytes;
    };
    await refused(record(5, 2n ** 50n), /^byte 8: a record of 1125899906842624 bytes/);
    await refused(record(5, 22n, 22 + 9), /^byte 8: a message is of channel 0, which is not described/);
    await refused(record(4, 3n, 3), /^byte 8: a record is shorter than its fields/);
    await refused(record(0x20, 0n), /^byte 17: the file ends without its end record/);
  });

  for (const useChunks of [true, false]) {
    it(`gives the rows that it had, or is refused, where a bit is flipped: chunks ${useChunks}`, async () => {
      const good = await makeMcap(jsonChannels.slice(1, 2), undefined, { useChunks });
      const rows = await columnsOf(await openMcap(fileOf(good)));
      // Every third: in the end all places of a byte.
      for (let bit = 0; bit < good.length * 8; bit += 3) {
        const flipped = Uint8Array.from(good);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const read = openMcap(fileOf(flipped)).then(columnsOf, (error: unknown) => {
          if (!(error instanceof FileFault)) throw error;
          return rows;
        });
        assert.deepEqual(await read, rows, `bit ${bit}`);
      }
    });
  }

  it('is refused where a kind of record is another one, so that messages would be missing', async () => {
    const withKind = async (kind: number, made: number) => {
      const bytes = Uint8Array.from(await makeMcap(jsonChannels));
      const size = (at: number) => Number(new DataView(bytes.buffer).getBigUint64(at + 1, true));
      let last = 8;
      for (let at = 8; bytes[at] !== 15; at += 9 + size(at)) if (bytes[at] === kind) last = at;
      bytes[last] = made;
      return bytes;
    };
    await refused(await withKind(6, 2), /there are no more messages, and it is not the last one/);
    await refused(await withKind(6, 7), /there are \d messages, and the file says that it has 6/);
  });

  it('is refused at whatever byte it was cut off', async () => {
    const good = await makeMcap(jsonChannels);
    for (let size = 0; size < good.length; size++) await refused(good.subarray(0, size), /^byte \d+: /);
  });

  it('is refused where a chunk is not what it says', async () => {
    const made = (compression: string, compressedData: (bytes: Uint8Array) => Uint8Array) =>
      makeMcap(jsonChannels, (bytes) => ({ compression, compressedData: compressedData(bytes) }));
    await refused(await made('bz2', (bytes) => bytes), /the compression bz2 of a chunk is not read/);
    await refused(await made('lz4', (bytes) => bytes), /cannot be decompressed: this is no LZ4 frame/);
    await refused(
      await made('lz4', (bytes) => lz4Frame(bytes.subarray(1), true)),
      /there are \d+ bytes of \d+/,
    );
    await refused(await made('lz4', (bytes) => lz4Frame(bytes, false).subarray(0, 40)), /end too early/);
    await refused(await made('zstd', (bytes) => bytes), /cannot be decompressed: this is no zstd frame/);
    await refused(await made('zstd', (bytes) => zstdFrame(bytes.subarray(1))), /there are \d+ bytes of \d+/);
  });

  it('is refused where messages are not what their schema says', async () => {
    const one = (encoding: string, kind: string, schema: string, message: Uint8Array) =>
      makeMcap([
        {
          topic: 't',
          encoding,
          schema: { name: 'p/M', encoding: kind, data: Buffer.from(schema) },
          messages: [message],
        },
      ]);
    const ros2 = (schema: string, ...bytes: number[]) =>
      one('cdr', 'ros2msg', schema, Uint8Array.of(0, 1, 0, 0, ...bytes));
    await refused(
      await one('json', 'jsonschema', '', Buffer.from('{')),
      /message 1 of t cannot be read: it is no JSON/,
    );
    await refused(
      await one('json', '', '', Buffer.from('['.repeat(40) + ']'.repeat(40))),
      /nested more than 32 deep/,
    );
    await refused(await ros2('float64 a', 1), /shorter than its schema says/);
    await refused(await ros2('uint8[] a', 255, 255, 255, 255), /a has 4294967295 elements in 0 bytes/);
    await refused(await ros2('p/M a', 1), /nested more than 32 deep/);
    await refused(await ros2('what a', 1), /its schema does not say what what is/);
    const empty = `p/A[1000] a\n===\nMSG: p/A\n${Array.from({ length: 20 }, (_, i) => `p/E${i}[1000] e\n===\nMSG: p/E${i}\n`).join('')}`;
    await refused(await one('ros1', 'ros1msg', empty, new Uint8Array(2000)), /more fields than bytes/);
    await refused(await one('protobuf', 'protobuf', '', new Uint8Array()), /does not say what p\/M is/);
    const many = Object.fromEntries(Array.from({ length: 40_001 }, (_, i) => [`f${i}`, i]));
    await refused(
      await makeMcap([{ topic: 't', encoding: 'json', messages: [json(many)] }]),
      /more than 40000 fields/,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CdrWriter, EncapsulationKind } from '@foxglove/cdr';
import { parse } from '@foxglove/rosmsg';
import { MessageWriter } from '@foxglove/rosmsg2-serialization';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { type MadeChannel, makeMcap } from './made-mcap.ts';
import { columnsOf, fileOf } from './read-mcap.ts';

const separator = `\n${'='.repeat(80)}\n`;

function ros2(definition: string, ...messages: readonly Uint8Array[]): MadeChannel {
  const schema = { name: 'p/msg/M', encoding: 'ros2msg', data: Buffer.from(definition) };
  return { topic: 'r', encoding: 'cdr', schema, messages };
}

const opened = async (channel: MadeChannel): Promise<LoggedFile> =>
  openMcap(fileOf(await makeMcap([channel])));

/** Messages as @foxglove/rosmsg2-serialization writes them. */
async function written(definition: string, ...messages: readonly object[]): Promise<LoggedFile> {
  const writer = new MessageWriter(parse(definition, { ros2: true }));
  return opened(ros2(definition, ...messages.map((message) => writer.writeMessage(message))));
}

async function valuesOf(log: LoggedFile): Promise<Record<string, unknown[]>> {
  const { 'r times': _times, ...columns } = await columnsOf(log);
  return columns;
}

/** Everything that a definition may have. */
const definition = `# a comment with a string 'x' and a = sign
std_msgs/Header header
bool ok   # is it # really
string<=8 mode "off"
int32 LIMIT=5
string NAME="a # b"
float64 HALF = 0.5
int32 level 7
uint8[<=4] few [1, 2]
float32[3] fixed
geometry_msgs/Point[] corners
string[] names
builtin_interfaces/Duration lag
int64 whole
uint64 large
char letter
byte octet
Inner inner${separator}MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id${separator}MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec${separator}MSG: builtin_interfaces/Duration
int32 sec
uint32 nanosec${separator}MSG: geometry_msgs/Point
float64 x
float64 y${separator}MSG: p/Inner
float32 z
`;
const message = {
  header: { stamp: { sec: -5, nanosec: 4_000_000_000 }, frame_id: 'map' },
  ...{ ok: true, mode: 'race', level: -1, few: [3, 4], fixed: [0.5, 1.5, 2.5] },
  corners: [{ x: 1, y: 2 }],
  names: ['a', 'b'],
  lag: { sec: -1, nanosec: 999_999_999 },
  ...{ whole: -9007199254740992n, large: 5n, letter: 255, octet: 254, inner: { z: 0.25 } },
};
const values = {
  ...{
    'r.header.stamp.sec': [-5],
    'r.header.stamp.nanosec': [4_000_000_000],
    'r.header.frame_id text': ['map'],
  },
  ...{ 'r.ok': [1], 'r.mode text': ['race'], 'r.level': [-1], 'r.few[0]': [3], 'r.few[1]': [4] },
  ...{
    'r.fixed[0]': [0.5],
    'r.fixed[1]': [1.5],
    'r.fixed[2]': [2.5],
    'r.corners[0].x': [1],
    'r.corners[0].y': [2],
  },
  ...{
    'r.names[0] text': ['a'],
    'r.names[1] text': ['b'],
    'r.lag.sec': [-1],
    'r.lag.nanosec': [999_999_999],
  },
  ...{
    'r.whole': [-9007199254740992],
    'r.large': [5],
    'r.letter': [255],
    'r.octet': [254],
    'r.inner.z': [0.25],
  },
};

describe('a definition of ROS 2', () => {
  it('may have comments, constants, defaults, bounds and other definitions', async () => {
    assert.deepEqual(await valuesOf(await written(definition, message)), values);
  });

  it('may have lines that end in CR LF, or in CR', async () => {
    const writer = new MessageWriter(parse(definition, { ros2: true }));
    for (const end of ['\r\n', '\r']) {
      const lines = definition.replaceAll('\n', end);
      assert.deepEqual(await valuesOf(await opened(ros2(lines, writer.writeMessage(message)))), values);
    }
  });

  it('of an empty message makes no rows: it is named, and refused where nothing else is there', async () => {
    const empty = [Uint8Array.of(0, 1, 0, 0, 0), Uint8Array.of(0, 1, 0, 0), new Uint8Array()];
    for (const bytes of empty)
      await assert.rejects(
        opened(ros2('# nothing\n', bytes)),
        /no message is read of r \(without values, 1 message\)/,
      );
    const nested = await written(`p/Empty e\nint32 a${separator}MSG: p/Empty\nint32 X=1\n`, { e: {}, a: 5 });
    assert.deepEqual(await valuesOf(nested), { 'r.a': [5] });
  });

  it('that has a wstring is named, and refused where nothing else is there', async () => {
    await assert.rejects(
      opened(ros2('wstring w', Uint8Array.of(0, 1, 0, 0))),
      /no message is read of r \(cdr ros2msg: it has a wstring/,
    );
  });
});

describe('a number of ROS 2', () => {
  it('of 64 bits keeps its digits where a double would round it', async () => {
    const log = await written(
      'int64 a\nuint64 b\nint64 c',
      { a: -9007199254740993n, b: 18446744073709551615n, c: 1n },
      { a: 5n, b: 6n, c: -(2n ** 63n) },
    );
    assert.deepEqual(await valuesOf(log), {
      'r.a text': ['-9007199254740993', '5'],
      'r.b text': ['18446744073709551615', '6'],
      'r.c': [1, -(2 ** 63)],
    });
    assert.match(log.notes!.join('\n'), /r\.b is text, .* digits of 18446744073709551615 in message 1/);
  });

  for (const [name, kind] of [
    ['big-endian', EncapsulationKind.CDR_BE],
    ['little-endian', EncapsulationKind.CDR_LE],
    ['big-endian, of version 2', EncapsulationKind.RTPS_CDR2_BE],
    ['little-endian, of version 2', EncapsulationKind.RTPS_CDR2_LE],
    ['little-endian, of version 2 as files have it', EncapsulationKind.CDR2_LE],
  ] as const) {
    it(`is read where it is ${name}`, async () => {
      const writer = new CdrWriter({ kind });
      writer
        .uint8(1)
        .float64(-1.5)
        .uint16(2)
        .int64(-3n)
        .float32(0.5)
        .string('x')
        .uint64(2n ** 60n + 1n);
      const columns = await valuesOf(
        await opened(
          ros2('bool a\nfloat64 b\nuint16 c\nint64 d\nfloat32 e\nstring f\nuint64 g', writer.data),
        ),
      );
      assert.deepEqual(columns, {
        ...{ 'r.a': [1], 'r.b': [-1.5], 'r.c': [2], 'r.d': [-3], 'r.e': [0.5], 'r.f text': ['x'] },
        'r.g text': [String(2n ** 60n + 1n)],
      });
    });
  }
});

describe('a message of ROS', () => {
  it('that is not CDR, or too short, is refused with its number', async () => {
    const good = Uint8Array.of(0, 1, 0, 0, 5, 0);
    for (const [bytes, why] of [
      [[0, 1, 0, 0, 5], /it is shorter than its schema says/],
      [[0, 1], /it is shorter than its head/],
      [[0, 0x40, 0, 0, 5, 0], /its head says that it is of kind 64, which is no CDR/],
      [[1, 1, 0, 0, 5, 0], /its head says that it is of kind 257, which is no CDR/],
    ] as const) {
      const log = opened(ros2('uint16 a', good, Uint8Array.from(bytes)));
      await assert.rejects(
        log,
        (error: Error) => /message 2 of r cannot be read/.test(error.message) && why.test(error.message),
      );
    }
  });

  it('that goes on behind its schema is told of', async () => {
    const log = await opened(
      ros2('uint16 a', Uint8Array.of(0, 1, 0, 0, 5, 0, 0, 0), Uint8Array.of(0, 1, 0, 0, 6, 0, 1, 2, 3, 4)),
    );
    assert.deepEqual(await valuesOf(log), { 'r.a': [5, 6] });
    assert.match(log.notes!.join('\n'), /1 of 2 messages of r go on behind what their schema says/);
  });

  it('may have texts that are no UTF-8, which are told of, and texts without a zero byte at their end', async () => {
    const log = await opened(
      ros2(
        'string a',
        Uint8Array.of(0, 1, 0, 0, 2, 0, 0, 0, 0xe9, 0),
        Uint8Array.of(0, 1, 0, 0, 2, 0, 0, 0, 65, 66),
      ),
    );
    assert.deepEqual(await valuesOf(log), { 'r.a text': ['\ufffd', 'AB'] });
    assert.match(log.notes!.join('\n'), /texts of r\.a have bytes that are no UTF-8, which are replaced/);
  });

  it('may have texts with a byte order mark at their beginning, which stays', async () => {
    const bytes = Uint8Array.of(0, 1, 0, 0, 4, 0, 0, 0, 0xef, 0xbb, 0xbf, 65);
    assert.deepEqual(await valuesOf(await opened(ros2('string a', bytes))), { 'r.a text': ['\ufeffA'] });
  });

  it('may have long arrays of structures, of which no value is read', async () => {
    const points = Array.from({ length: 3000 }, (_, i) => ({ x: i % 256 }));
    const log = await written(`p/P[] ps\nint32 a${separator}MSG: p/P\nuint8 x\n`, { ps: points, a: 5 });
    assert.deepEqual(await valuesOf(log), { 'r.a': [5] });
    assert.deepEqual(log.leftOut, ['r.ps (an array of more than 16 elements)']);
  });
});

import { FileFault } from '../../src/import/file-bytes.ts';
import { rowsOf } from '../../src/import/logged-file.ts';
import { openMcap } from '../../src/import/mcap/open-mcap.ts';
import { type MadeChannel, makeMcap } from '../import/mcap/made-mcap.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = [[0], [0xff], [0x7f, 0xff], [5], [6], [1, 0, 0, 0, 0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff]]
  .map((bytes) => Buffer.from(bytes))
  .concat(['[100]', 'p/M', '"a":', '[[', 'lz4', 'zstd', 'uint8[] '].map((text) => Buffer.from(text)));

let files: readonly Buffer[] = [];

/** An MCAP file is read as rows of its fields, no more than it has bytes for, or refused with a fault of ours. */
export const mcapTarget: Target = {
  name: 'mcap',
  short: 200,
  async open() {
    files = await makeFiles();
    return async () => undefined;
  },
  make(random) {
    const whole = random.pick(files);
    const changed = random.once(20) ? whole : mutate(whole, random, words, files);
    return random.once(20) ? changed.subarray(random.below(changed.length)) : changed;
  },
  async check(input) {
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > input.length) throw new Error('read beyond the file');
      return Uint8Array.from(input.subarray(offset, offset + length));
    };
    try {
      const log = await openMcap({ size: input.length, read });
      let rows = 0;
      for await (const { table, row } of rowsOf(log)) {
        rows++;
        if (row.values.length !== log.tables[table]!.channels.length)
          throw new Error('a row is not of its table');
      }
      if (rows > input.length) throw new Error(`${rows} rows of ${input.length} bytes`);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
    }
  },
};

async function makeFiles(): Promise<Buffer[]> {
  const ros = Buffer.from('p/H h\nuint8[] a\nfloat64 b\nstring c\n===\nMSG: p/H\nint32 d\ntime t\n');
  const message = Buffer.from([
    0,
    1,
    0,
    0,
    7,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    2,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    9,
    0,
    0,
    0,
    ...Array(8).fill(1),
    2,
    0,
    0,
    0,
    65,
    0,
  ]);
  const proto = Buffer.from('0a160a0163220f0a024d31120a0a01611801200128056a00620670726f746f33', 'hex');
  const channels: MadeChannel[] = [
    {
      topic: 'j',
      encoding: 'json',
      messages: [Buffer.from('{"a":{"b":[1,2]},"c":"x"}'), Buffer.from('{"a":true}')],
    },
    {
      topic: 'r',
      encoding: 'cdr',
      schema: { name: 'p/M', encoding: 'ros2msg', data: ros },
      messages: [message],
    },
    {
      topic: 'o',
      encoding: 'ros1',
      schema: { name: 'p/M', encoding: 'ros1msg', data: ros },
      messages: [message],
    },
    {
      topic: 'p',
      encoding: 'protobuf',
      schema: { name: 'M1', encoding: 'protobuf', data: proto },
      messages: [Buffer.from([8, 5])],
    },
  ];
  // Faults of a schema end a file: each has one of its own, too.
  const single = await Promise.all(
    channels.map((channel) => makeMcap([channel]).then(Buffer.from, () => undefined)),
  );
  const kept = (bytes: Uint8Array) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE((bytes.length | 0x80000000) >>> 0);
    const frame = [Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0]), size, bytes, Buffer.alloc(4)];
    return { compression: 'lz4', compressedData: Buffer.concat(frame) };
  };
  return [...single.flatMap((file) => file ?? []), Buffer.from(await makeMcap([channels[0]!], kept))];
}

import { FileFault } from '../../src/import/file-bytes.ts';
import { openMdf4 } from '../../src/import/mdf4/open-mdf4.ts';
import { addGroup, addPacked, header, makeMdf4 } from '../import/mdf4/made-mdf4.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = [[0], [0xff], [0x7f, 0xff], [1, 0, 0, 0, 0, 0, 0, 0], [0x23, 0x23], [64]].map((bytes) =>
  Buffer.from(bytes),
);

/** An MDF4 file is read as rows, no more than its bytes can stand for, or refused with a fault of ours. */
export const mdf4Target: Target = {
  name: 'mdf4',
  short: 200,
  make(random) {
    const changed = random.once(20) ? whole : mutate(whole, random, words, [whole]);
    return random.once(20) ? changed.subarray(random.below(changed.length)) : changed;
  },
  async check(input) {
    const read = async (offset: number, length: number) => {
      if (offset < 0 || length < 0 || offset + length > input.length) throw new Error('read beyond the file');
      return Uint8Array.from(input.subarray(offset, offset + length));
    };
    try {
      const { tables } = await openMdf4({ size: input.length, read });
      let rows = 0;
      for (const table of tables) for await (const _row of table.read()) rows++;
      if (rows > input.length * 1100) throw new Error(`${rows} rows of ${input.length} bytes`);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
    }
  },
};

function makeWhole(): Buffer {
  const file = makeMdf4(1_612_709_499_000_000_001n);
  const records = Uint8Array.from({ length: 120 }, (_, i) => (i % 12 < 8 ? 0 : i));
  const channels = [
    { name: 'time', type: 2, kind: 4, byte: 0, bits: 64 },
    { name: 'Speed', unit: 'km/h', kind: 0, byte: 8, bits: 16, conversion: [1, -40, 0.5] as const },
    { name: 'bits', kind: 2, byte: 10, bit: 3, bits: 5, invalidBit: 1 },
  ];
  const packed = addPacked(file, records.subarray(0, 60), 12);
  const list = file.block('DL', [0, packed, file.block('DT', [], records.subarray(60))], new Uint8Array(16));
  const shape = { channels, records: 10, recordBytes: 11, invalidBytes: 1 };
  const first = addGroup(file, { ...shape, data: list });
  const second = addGroup(file, { ...shape, data: file.block('DT', [], records) });
  file.link(header, 0, first);
  file.link(first, 0, second);
  return Buffer.from(file.bytes());
}

const whole = makeWhole();

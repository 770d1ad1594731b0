import { parquetMetadata } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { openBytes, readTable } from './table-file.ts';
import type { Target } from './target.ts';

const words = [
  [0],
  [0xff],
  [0x7f, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0x15, 0xfe, 0xff, 0xff, 0x1f],
].map((bytes) => Buffer.from(bytes));

/**
 * A Parquet file is loaded as rows whose cells are JSON, or refused, whatever its footer and the heads of its pages claim. What is
 * in its pages is left as it is: of damaged deltas the library that reads them may make an endless loop, which is not ours to mend.
 */
export const parquetTarget: Target = {
  name: 'parquet',
  short: 100,
  make(random) {
    const table = random.pick(tables);
    const start = table.length - 8 - table.readUInt32LE(table.length - 8);
    const footer = table.subarray(start, table.length - 8);
    if (random.once(3)) return withOtherHead(table, random);
    const changed = random.once(20) ? footer : mutate(footer, random, words, [footer]);
    const end = Buffer.from(table.subarray(table.length - 8));
    end.writeUInt32LE(changed.length);
    const whole = Buffer.concat([table.subarray(0, start), changed, end]);
    return random.once(20) ? whole.subarray(random.below(whole.length)) : whole;
  },
  async check(input) {
    await readTable(openBytes(input, 'parquet', 0n));
  },
};

function withOtherHead(table: Buffer, random: Random): Buffer {
  const [start, end] = random.pick(headsOf(table));
  const head = table.subarray(start, end);
  return Buffer.concat([table.subarray(0, start), mutate(head, random, words, [head]), table.subarray(end)]);
}

/** Where the first page of each column has its head. */
function headsOf(table: Buffer): [number, number][] {
  const { buffer, byteOffset, length } = table;
  const { row_groups } = parquetMetadata(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer);
  return row_groups[0]!.columns.map(({ meta_data: chunk }) => {
    const start = Number(chunk!.dictionary_page_offset || chunk!.data_page_offset);
    const reader = {
      view: new DataView(buffer as ArrayBuffer, byteOffset + start, length - start),
      offset: 0,
    };
    parquetHeader(reader);
    return [start, start + reader.offset];
  });
}

const rows = Array.from({ length: 20 }, (_, i) => i);
const timestamps = {
  name: 'Timestamp',
  data: rows.map((i) => BigInt(i) * 1_000_000_007n),
  type: 'INT64' as const,
};

const tables = [
  parquetWriteBuffer({
    columnData: [
      timestamps,
      { name: 'Speed', data: rows.map((i) => i / 3), type: 'DOUBLE' },
      { name: 'Note', data: rows.map((i) => (i % 3 === 0 ? null : `n${i}`)), type: 'STRING', nullable: true },
      { name: 'TAG__lap', data: rows.map((i) => String(i >> 2)), type: 'STRING' },
    ],
  }),
  parquetWriteBuffer({
    codec: 'UNCOMPRESSED',
    columnData: [
      timestamps,
      { name: 'on', data: rows.map((i) => i % 2 === 0), type: 'BOOLEAN' },
      { name: 'count', data: rows, type: 'INT32' },
      { name: 'when', data: rows.map((i) => new Date(i * 1e9)), type: 'TIMESTAMP' },
      { name: 'raw', data: rows.map((i) => Uint8Array.of(i, 255 - i)), type: 'BYTE_ARRAY' },
    ],
  }),
].map((table) => Buffer.from(table));

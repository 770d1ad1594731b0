import { openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { McapWriter } from '@mcap/core';
import { type ColumnSource, fileWriter, ParquetWriter } from 'hyparquet-writer';
import { seededRandom } from './random.ts';

/** A file of about so many bytes at this path, made anew from the same random numbers. */
export type MakeFile = (path: string, bytes: number) => Promise<void>;

const start = 1_700_000_000_000_000_000n;
/** 100 Hz. */
const step = 10_000_000n;
const columns = Array.from({ length: 10 }, (_, i) => `channel${i}`);

/** One walk of three decimals for each column. */
function walks(): () => number[] {
  const random = seededRandom(7);
  const thousandths = columns.map(() => 50_000);
  return () =>
    thousandths.map((value, i) => {
      thousandths[i] = value + Math.round((random() - 0.5) * 200);
      return thousandths[i]! / 1000;
    });
}

/** Ten columns of decimals behind a time in nanoseconds. */
export const makeCsv: MakeFile = async (path, bytes) => {
  const file = openSync(path, 'w');
  const next = walks();
  let text = `Timestamp,${columns.join(',')}\n`;
  let written = 0;
  for (let row = 0n; written < bytes; row++) {
    text += `${start + row * step},${next().join(',')}\n`;
    if (text.length < 1 << 20) continue;
    written += writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
};

/** Ten columns of doubles behind a time in nanoseconds, not packed, row groups of 100,000 rows. */
export const makeParquet: MakeFile = async (path, bytes) => {
  const group = 100_000;
  const next = walks();
  const writer = fileWriter(path);
  const file = new ParquetWriter({
    writer,
    codec: 'UNCOMPRESSED',
    schema: [
      { name: 'root', num_children: columns.length + 1 },
      { name: 'Timestamp', type: 'INT64', repetition_type: 'REQUIRED' },
      ...columns.map((name) => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }) as const),
    ],
  });
  const groups = Math.ceil(bytes / (group * 8 * (columns.length + 1)));
  for (let i = 0; i < groups; i++) {
    const times = new BigInt64Array(group);
    const values = columns.map(() => new Float64Array(group));
    for (let row = 0; row < group; row++) {
      times[row] = start + BigInt(i * group + row) * step;
      next().forEach((value, column) => {
        values[column]![row] = value;
      });
    }
    const columnData: ColumnSource[] = [
      { name: 'Timestamp', data: times, encoding: 'PLAIN' },
      ...columns.map((name, column) => ({ name, data: values[column]!, encoding: 'PLAIN' }) as const),
    ];
    await file.write({ columnData, rowGroupSize: group });
  }
  await file.finish();
};

/** Half of the messages are JSON of five numbers, half `sensor_msgs/Imu`-like CDR of ten doubles. */
export const makeMcap: MakeFile = async (path, bytes) => {
  const file = await open(path, 'w');
  let size = 0n;
  const writer = new McapWriter({
    chunkSize: 1 << 20,
    writable: {
      position: () => size,
      async write(part: Uint8Array) {
        await file.write(part);
        size += BigInt(part.length);
      },
    },
  });
  await writer.start({ profile: '', library: 'bench' });
  const definition = new TextEncoder().encode(columns.map((name) => `float64 ${name}`).join('\n'));
  const schemaId = await writer.registerSchema({ name: 'bench/Ten', encoding: 'ros2msg', data: definition });
  const metadata = new Map<string, string>();
  const ten = await writer.registerChannel({ schemaId, topic: '/ten', messageEncoding: 'cdr', metadata });
  const five = await writer.registerChannel({
    schemaId: 0,
    topic: '/five',
    messageEncoding: 'json',
    metadata,
  });
  const next = walks();
  for (let sequence = 0; size < bytes; sequence++) {
    const logTime = start + BigInt(sequence) * step;
    const values = next();
    const cdr = Buffer.alloc(4 + 8 * columns.length);
    cdr[1] = 1;
    values.forEach((value, i) => {
      cdr.writeDoubleLE(value, 4 + 8 * i);
    });
    const [a, b, c, d, e] = values;
    const json = Buffer.from(JSON.stringify({ a, b, c, at: { d, e } }));
    const message = { sequence, logTime, publishTime: logTime };
    await writer.addMessage({ ...message, channelId: ten, data: cdr });
    await writer.addMessage({ ...message, channelId: five, data: json });
  }
  await writer.end();
  await file.close();
};

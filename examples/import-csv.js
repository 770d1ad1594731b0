// Imports a CSV file whose dialect is a logger's own: node examples/import-csv.js FILE [TOPIC] [STREAM]
// Semicolons, decimal commas, local names of columns, times such as 2021-02-01 14:51:39,000000250 in UTC, and a unit
// behind each name. For plain CSV there is `pitwall import`.
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, RowsRejected } from 'pitwall/client';

const [, , file, topic = 'logger', stream = basename(file ?? '', '.csv')] = process.argv;
if (file === undefined) throw new Error('which file? node examples/import-csv.js FILE [TOPIC] [STREAM]');
const client = createClient({
  url: process.env['PITWALL_URL'] ?? 'http://127.0.0.1:8480',
  token: process.env['PITWALL_TOKEN'] ?? '',
});

/** Exact nanoseconds. @param {string} text */
function timeOf(text) {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{1,9})$/.exec(text);
  const seconds = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}Z`) / 1000;
  if (match === null || Number.isNaN(seconds)) throw new Error(`${text} is no time`);
  return BigInt(seconds) * 1_000_000_000n + BigInt(match[3]?.padEnd(9, '0') ?? 0);
}

/** @param {string} text */
function numberOf(text) {
  const value = Number(text.replace(',', '.'));
  if (Number.isNaN(value)) throw new Error(`${text} is no number`);
  return value;
}

const writer = client.writer(topic);
/** @type {string[]} */
let names = [];
let line = 0;
try {
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line++;
    const cells = text.split(';');
    if (line === 1) {
      const columns = cells.slice(1).map((cell) => /^(.*?)(?: \[(.*)\])?$/.exec(cell));
      names = columns.map((column) => column?.[1] ?? '');
      const definitions = columns.map((column) => ({ id: column?.[1] ?? '', unit: column?.[2] ?? '' }));
      await client.defineParameters(topic, stream, definitions);
      continue;
    }
    if (cells.length !== names.length + 1) {
      throw new Error(`${cells.length} cells, the head has ${names.length + 1}`);
    }
    const [time = '', ...values] = cells;
    const numeric = Object.fromEntries(
      values.flatMap((value, index) => (value === '' ? [] : [[names[index] ?? '', numberOf(value)]])),
    );
    await writer.write(stream, { timestamp: timeOf(time), numeric });
  }
  await writer.close();
  console.log(`${line - 1} rows of ${file} are in ${topic}/${stream}`);
} catch (error) {
  // What stands before the line is written; mend the line and run it again, which changes nothing for the others.
  await writer.close();
  console.error(`${file}:${line}: ${error instanceof Error ? error.message : error}`);
  if (error instanceof RowsRejected) console.error(error.rows[0]);
  process.exitCode = 1;
}

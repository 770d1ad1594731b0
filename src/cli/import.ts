import { basename, extname } from 'node:path';
import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, splitList, UsageError } from './command.ts';
import { openCsv } from './import-csv.ts';
import { openJson } from './import-json.ts';
import { defaultTimestamp, type ImportColumn, type ImportOptions, type ImportTable } from './import-table.ts';
import { sendRows } from './send-rows.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'load a CSV, Parquet or JSON file',
  help: () => `pitwall import FILE.csv|FILE.parquet|FILE.json [--topic NAME] [--stream ID] [--timestamp COLUMN]
               [--tags COLUMN,COLUMN] [--binaries COLUMN,COLUMN]

Reads the file twice: first it checks every row and finds out which columns hold numbers and which hold text, then
it sends the rows. Nothing is sent of a file with a fault. Loading a file again changes nothing.

JSON is an array of row objects, or what /parameters/data answers. Columns named TAG__name are tags, as in what
pitwall export writes.

  --topic NAME       the topic to write to; without it the column TAG__topic says so row by row
  --stream ID        the stream to write to; without it the column TAG__streamId says so row by row
  --timestamp COLUMN the column with the time (default ${defaultTimestamp}): in CSV whole nanoseconds since the Unix epoch;
                     in Parquet a TIMESTAMP, and in Parquet and JSON nanoseconds or ISO 8601 text
  --tags LIST        more columns that are tags rather than parameters, with commas (\\, is a comma in a name)
  --binaries LIST    columns of base64 that are binaries (CSV and row objects cannot say so themselves)
${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      topic: { type: 'string' },
      stream: { type: 'string' },
      timestamp: { type: 'string' },
      tags: { type: 'string', multiple: true },
      binaries: { type: 'string', multiple: true },
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0)
      throw new UsageError('one file, please: pitwall import FILE.csv …');
    const options: ImportOptions = {
      timestamp: values.timestamp ?? defaultTimestamp,
      tags: splitList(values.tags),
      binaries: splitList(values.binaries),
      topic: values.topic,
      stream: values.stream,
    };
    if (options.topic === '' || options.stream === '')
      throw new UsageError('--topic and --stream need a name');
    for (const list of [options.tags, options.binaries]) {
      if (list.includes(options.timestamp))
        throw new UsageError(`the column ${options.timestamp} cannot be time and tag or binary at once`);
    }
    const open = opener(path);
    const client = createClient(values, process.env);
    try {
      const table = await open(path, options);
      const sent = await sendRows(client, table, options);
      console.log(
        `${sent} rows of ${basename(path)} are in ${destination(options)}: ${describe(table.columns)}`,
      );
      return 0;
    } finally {
      client.close();
    }
  },
};

type Open = (path: string, options: ImportOptions) => Promise<ImportTable>;

function opener(path: string): Open {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return openCsv;
    case '.json':
      return openJson;
    case '.parquet':
      return async (...given) => (await import('./import-parquet.ts')).openParquet(...given);
    default:
      throw new UsageError(`${path} ends in none of .csv, .parquet and .json`);
  }
}

function destination({ topic, stream }: ImportOptions): string {
  const where = topic === undefined ? 'the topics of column TAG__topic' : `topic ${topic}`;
  return `${where}, ${stream === undefined ? 'the streams of column TAG__streamId' : `stream ${stream}`}`;
}

function describe(columns: readonly ImportColumn[]): string {
  const named = (use: ImportColumn['use']): string[] =>
    columns.filter((column) => column.use === use).map(({ name }) => name);
  const binaries = named('binary').length;
  const kinds = [`${named('numeric').length} numeric`, `${named('string').length} string`];
  if (binaries > 0) kinds.push(`${binaries} binary`);
  const parts = [`${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)!} columns`];
  if (named('tag').length > 0) parts.push(`tags ${named('tag').join(', ')}`);
  if (named('empty').length > 0) parts.push(`left out, being empty: ${named('empty').join(', ')}`);
  return parts.join('; ');
}

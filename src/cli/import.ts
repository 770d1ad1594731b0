import { basename } from 'node:path';
import { type Client, clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { createPayload } from './csv-payload.ts';
import { readCsv } from './csv-rows.ts';
import { type CsvColumn, type CsvSurvey, surveyCsv } from './csv-survey.ts';
import { createProgress } from './progress.ts';

/** Rows and text of one request: large enough to make the round trip cheap, well below the service's limits. */
const batchRows = 1000;
const batchCharacters = 4_000_000;

export const importCommand: Command = {
  name: 'import',
  summary: 'load a CSV file into a stream',
  help: () => `pitwall import FILE.csv --topic NAME --stream ID --timestamp COLUMN [--tags COLUMN,COLUMN]

Reads the file twice: first it checks every row and finds out which columns hold numbers and which hold text, then
it sends the rows. Loading a file again changes nothing.

  --topic NAME       the topic to write to
  --stream ID        the stream to write to
  --timestamp COLUMN the column with the time in nanoseconds since the Unix epoch
  --tags LIST        columns that are tags rather than parameters, with commas
${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      topic: { type: 'string' },
      stream: { type: 'string' },
      timestamp: { type: 'string' },
      tags: { type: 'string', multiple: true },
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0)
      throw new UsageError('one file, please: pitwall import FILE.csv …');
    const { topic, stream, timestamp } = values;
    if (!topic || !stream || !timestamp)
      throw new UsageError('import needs --topic, --stream and --timestamp');
    const tags = (values.tags ?? []).flatMap((list) => list.split(',')).filter((name) => name !== '');
    if (tags.includes(timestamp))
      throw new UsageError(`the column ${timestamp} cannot be time and tag at once`);

    const client = createClient(values, process.env);
    try {
      const survey = await surveyCsv(readCsv(path), timestamp, tags);
      const address = `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(stream)}/parameters/data`;
      const sent = await sendRows(client, address, path, survey);
      console.log(
        `${sent} rows of ${basename(path)} are in topic ${topic}, stream ${stream}: ${describeColumns(survey.columns)}`,
      );
      return 0;
    } finally {
      client.close();
    }
  },
};

async function sendRows(
  client: Client,
  address: string,
  path: string,
  { columns, rows }: CsvSurvey,
): Promise<number> {
  const progress = createProgress(process.stderr);
  const payload = createPayload(columns);
  let sent = 0;
  const send = async (): Promise<void> => {
    const count = payload.rows;
    if (count === 0) return;
    await client.call('POST', address, payload.take());
    sent += count;
    progress.at(sent / rows, `${sent} of ${rows} rows`);
  };
  try {
    let isHeader = true;
    for await (const row of readCsv(path)) {
      if (!isHeader) payload.add(row);
      isHeader = false;
      if (payload.rows >= batchRows || payload.size >= batchCharacters) await send();
    }
    await send();
  } finally {
    progress.end();
  }
  return sent;
}

function describeColumns(columns: readonly CsvColumn[]): string {
  const count = (use: CsvColumn['use']): number => columns.filter((column) => column.use === use).length;
  const tags = columns.filter(({ use }) => use === 'tag').map(({ name }) => name);
  const parts = [`${count('numeric')} numeric and ${count('string')} string columns`];
  if (tags.length > 0) parts.push(`tags ${tags.join(', ')}`);
  const empty = columns.filter(({ use }) => use === 'empty').map(({ name }) => name);
  if (empty.length > 0) parts.push(`left out, being empty: ${empty.join(', ')}`);
  return parts.join('; ');
}

import { extname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { answerForms } from '../wire/answers/answer-forms.ts';
import { writeAtomically } from './atomic-write.ts';
import { type Client, clientHelp, clientOptions, createClient } from './client.ts';
import {
  type Command,
  CommandError,
  failure,
  interruption,
  readArguments,
  splitList,
  UsageError,
} from './command.ts';
import { type ExportedCalculation, type ExportRequest, planExport } from './export-request.ts';
import { plainLines } from './plain-lines.ts';
import { createProgress } from './progress.ts';
import { standardOutput } from './standard-output.ts';
import { timeOption } from './time.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'save rows as CSV, Parquet, Arrow or JSON',
  help: () => `pitwall export --out FILE [--topic NAME] [--stream ID …] [--from TIME] [--to TIME] [--format FORM]
               [--parameters LIST] [--string-parameters LIST] [--binary-parameters LIST]
               [--calculated NAME=EXPRESSION …] [--group-by LIST]

Saves the rows of all streams that are selected, in order of time. The file is written under another name beside it
and gets its own when it is whole. pitwall import reads what this writes.

  --out FILE                where to; - is standard output
  --format FORM             csv, parquet, arrow (an IPC stream) or json (an array of answers of /parameters/data);
                            what FILE ends in, without it
  --topic NAME              only streams of this topic
  --stream ID               only this stream; may be given several times
  --parameters LIST         numeric parameters, with commas (\\, is a comma in a name)
  --string-parameters LIST  string parameters
  --binary-parameters LIST  binary parameters; all that was written where nothing is named
  --calculated NAME=EXPRESSION
                            a column that is calculated from numeric parameters, as 'm/s=Speed / 3.6'; may be given
                            several times
  --from TIME, --to TIME    both inclusive: nanoseconds since the Unix epoch, or 2024-05-31T12:30:00.000000001Z
  --group-by LIST           tags to show with each row; streamId and topic work too. Without it rows of several
                            streams have streamId, and topic where need be
${clientHelp}`,

  async run(argv) {
    const list = { type: 'string', multiple: true } as const;
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      out: { type: 'string' },
      format: { type: 'string' },
      topic: { type: 'string' },
      stream: list,
      parameters: list,
      'string-parameters': list,
      'binary-parameters': list,
      calculated: list,
      from: { type: 'string' },
      to: { type: 'string' },
      'group-by': list,
    });
    if (positionals.length > 0) throw new UsageError(`there is a word too many: '${positionals[0]}'`);
    const { out } = values;
    if (out === undefined || out === '') throw new UsageError('where to? pitwall export --out FILE …');
    const form = formOf(values.format, out);
    const from = timeOption('--from', values.from);
    const to = timeOption('--to', values.to);
    if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');

    const selection = {
      topic: someOf('--topic', values.topic),
      streams: someOf('--stream', values.stream) ?? [],
      numeric: namesOf('--parameters', values.parameters),
      strings: namesOf('--string-parameters', values['string-parameters']),
      binaries: namesOf('--binary-parameters', values['binary-parameters']),
      calculated: (values.calculated ?? []).map(calculatedOption),
      from,
      to,
      groupBy: values['group-by'] && splitList(values['group-by']),
    };
    const client = createClient(values, process.env);
    try {
      const request = await planExport(client, selection);
      // Until here nothing is half made, so Ctrl-C may simply end the command.
      const signal = interruption();
      let bytes = 0;
      const save = async (into: Writable): Promise<void> => {
        bytes = await saveRows(client, request, form, into, signal);
      };
      await (out === '-' ? save(standardOutput()) : writeAtomically(out, save)).catch((error) => {
        throw error.code === 'EPIPE' ? error : failure('the export broke off', error, signal);
      });
      const { streams, parameters, hiddenTags, unknownTags, noRows } = request;
      const whole = out === '-' ? 'the export' : out;
      console.error(`${whole} is whole: streams ${streams}, parameters ${parameters}, bytes ${bytes}`);
      if (noRows !== undefined) console.error(noRows);
      else if (unknownTags.length > 0) console.error(`no row has ${tagsOf(unknownTags)}`);
      if (hiddenTags.length > 0) console.error(`not in it: ${tagsOf(hiddenTags)} (--group-by names tags)`);
      return 0;
    } catch (error) {
      // A reader such as head has what it wants, and leaves.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 1;
      throw error;
    } finally {
      client.close();
    }
  },
};

const mostNamed = 10;

function tagsOf(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return plainLines(`the tags ${names.slice(0, mostNamed).join(', ')}${more}`);
}

type Form = keyof typeof answerForms;

const extensions: Readonly<Record<string, Form>> = {
  '.csv': 'csv',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.json': 'json',
};

function formOf(format: string | undefined, out: string): Form {
  if (format !== undefined) {
    if (Object.hasOwn(answerForms, format)) return format as Form;
    throw new UsageError(`--format is csv, parquet, arrow or json, not '${format}'`);
  }
  const form = extensions[extname(out).toLowerCase()];
  if (form === undefined) throw new UsageError('in which form? --format csv, parquet, arrow or json');
  return form;
}

/** What an option says, which is not left out for being empty: a variable of a script that is not set would select all. */
function someOf<Value extends string | readonly string[] | undefined>(option: string, given: Value): Value {
  if (given === '' || (Array.isArray(given) && given.includes('')))
    throw new UsageError(`${option} must not be empty`);
  return given;
}

function namesOf(option: string, lists: readonly string[] | undefined): string[] {
  const names = splitList(lists);
  if (lists !== undefined && names.length === 0) throw new UsageError(`${option} must not be empty`);
  return names;
}

/** What the service says of an expression that it cannot read names the place. */
function calculatedOption(text: string): ExportedCalculation {
  const [, name, expression] = /^\s*([^=]*[^=\s])\s*=(?!=)\s*(.*\S)\s*$/s.exec(text) ?? [];
  if (name === undefined || expression === undefined)
    throw new UsageError(`--calculated is a name, =, and an expression, as 'm/s=Speed / 3.6', not '${text}'`);
  return { name, expression };
}

/** Gives the number of bytes. */
async function saveRows(
  client: Client,
  request: ExportRequest,
  form: Form,
  into: Writable,
  signal: AbortSignal,
): Promise<number> {
  const progress = createProgress(process.stderr);
  let bytes = 0;
  const tell = (time: bigint | undefined): void => {
    const done = `${(bytes / 1e6).toFixed(1)} MB`;
    if (time === undefined) progress.soFar(bytes, done);
    else progress.at(partOf(time, request), done);
  };
  async function* counted(chunks: AsyncIterable<Timed>): AsyncGenerator<Buffer> {
    for await (const { chunk, time } of chunks) {
      bytes += chunk.length;
      tell(time);
      yield chunk;
    }
  }
  try {
    const chunks = form === 'json' ? pages(client, request, signal) : table(client, request, form, signal);
    await pipeline(Readable.from(counted(chunks), { objectMode: false }), into, { signal });
  } finally {
    progress.end();
  }
  return bytes;
}

/** A piece of the file and, where it shows, the time of one of its last rows. */
interface Timed {
  readonly chunk: Buffer;
  readonly time: bigint | undefined;
}

function partOf(time: bigint, { first, last }: ExportRequest): number {
  return last > first ? Number(time - first) / Number(last - first) : 1;
}

async function* table(
  client: Client,
  { body }: ExportRequest,
  form: Form,
  signal: AbortSignal,
): AsyncGenerator<Timed> {
  const type = answerForms[form][0];
  const answer = await client.open('POST', '/parameters/data', JSON.stringify(body), type, signal);
  for await (const chunk of answer) {
    yield { chunk: chunk as Buffer, time: form === 'csv' ? lastTime(chunk as Buffer) : undefined };
  }
}

/** The time of the last line of CSV that begins in a chunk. */
function lastTime(chunk: Buffer): bigint | undefined {
  const text = chunk.toString('latin1', Math.max(0, chunk.length - 4096));
  const digits = /.*\n(-?\d{1,19}),/s.exec(text)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** Cells of a page: a fraction of what the service may hold in memory for one answer. */
const pageCells = 500_000;
const maxPageRows = 50_000;

/** One array of whole answers, each a page. Pages become shorter where one is too large for the service. */
async function* pages(
  client: Client,
  { body, parameters }: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<Timed> {
  let limit = Math.min(maxPageRows, Math.max(1, Math.floor(pageCells / parameters)));
  let cursor: string | undefined;
  let before = '[';
  for (;;) {
    const page = JSON.stringify({ ...body, limit, ...(cursor !== undefined && { cursor }) });
    try {
      const answer = await client.open('POST', '/parameters/data', page, answerForms.json[0], signal);
      const next = answer.headers['pitwall-next-cursor'];
      cursor = typeof next === 'string' ? next : undefined;
      yield { chunk: Buffer.from(before), time: undefined };
      before = ',\n';
      for await (const chunk of answer) yield { chunk: chunk as Buffer, time: undefined };
      if (cursor === undefined) break;
    } catch (error) {
      const isTooLarge = error instanceof CommandError && error.code === 'result_too_large';
      if (!isTooLarge || limit === 1) throw error;
      limit = Math.ceil(limit / 4);
    }
  }
  yield { chunk: Buffer.from(']\n'), time: undefined };
}

import { rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Job } from './session.ts';
import { insertFromFile, statementOf } from './statement.ts';

/** What came over HTTP, its data in a file where it has any. */
export interface Asked {
  readonly job: Job;
  readonly queryId: string;
  /** The answer is kept back until the query has ended. */
  readonly isWhole: boolean;
  readonly takesGzip: boolean;
  /** To be removed once the statement has run. */
  readonly dataFile: string | undefined;
}

export class BadRequest extends Error {}

let files = 0;

/** Reads a request of ClickHouse's HTTP interface to its end. Data goes to a file in the folder. */
export async function readRequest(request: IncomingMessage, folder: string): Promise<Asked> {
  const url = new URL(request.url ?? '/', 'http://engine');
  const given = new Map(url.searchParams);
  const type = request.headers['content-type'] ?? '';
  const body = decoded(request);
  let text = given.get('query') ?? '';
  let dataFile: string | undefined;
  if (statementOf(text).kind === 'insert') {
    dataFile = join(folder, `insert-${++files}`);
    const insert = insertFromFile(text, dataFile);
    if (insert === undefined) {
      const tail = (await buffer(body)).toString();
      text += tail === '' ? '' : `\n${tail}`;
      dataFile = undefined;
    } else {
      text = insert;
      await intoFile(body, dataFile);
    }
  } else if (type.startsWith('multipart/form-data')) {
    for (const [name, value] of parts(await buffer(body), type)) given.set(name, value);
    text = given.get('query') ?? '';
  } else {
    text += (await buffer(body)).toString();
  }
  checkLengths(url, given, text);
  if (text.trim() === '') throw new BadRequest('Code: 62. DB::Exception: Empty query. (SYNTAX_ERROR)');
  if (given.has('session_id')) {
    throw new BadRequest('Code: 48. DB::Exception: There are no sessions here. (NOT_IMPLEMENTED)');
  }
  const format =
    given.get('default_format') ?? String(request.headers['x-clickhouse-format'] ?? 'TabSeparated');
  return {
    job: {
      statement: statementOf(text),
      database: given.get('database') ?? String(request.headers['x-clickhouse-database'] ?? 'default'),
      settings: new Map([...given].filter(([name]) => !reserved.has(name) && !name.startsWith('param_'))),
      parameters: new Map(
        [...given]
          .filter(([name]) => name.startsWith('param_'))
          .map(([name, value]) => [name.slice('param_'.length), value]),
      ),
      format,
    },
    queryId: given.get('query_id') ?? crypto.randomUUID(),
    isWhole: given.get('wait_end_of_query') === '1',
    takesGzip:
      given.get('enable_http_compression') === '1' &&
      String(request.headers['accept-encoding'] ?? '').includes('gzip'),
    dataFile,
  };
}

async function intoFile(body: Readable, path: string): Promise<void> {
  try {
    // At once: chunk by chunk took as much of a processor as a third of the insert.
    await writeFile(path, await buffer(body));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The defaults of a server, which neither users nor statements can raise. */
const longestField = 131_072;
const longestAddress = 1 << 20;
/** The default of `max_query_size`: bytes of a statement without what parameters put into it. */
const longestStatement = 262_144;

/** The library itself has no such limits, or others. */
function checkLengths(url: URL, given: ReadonlyMap<string, string>, text: string): void {
  if (url.pathname.length + url.search.length > longestAddress) {
    throw new BadRequest('Code: 1000. DB::Exception: URI is too long. (POCO_EXCEPTION)');
  }
  const inAddress = url.search.slice(1).split('&');
  const isTooLong = (field: string) => Buffer.byteLength(field) > longestField;
  if (
    inAddress.some((field) => isTooLong(field.slice(field.indexOf('=') + 1))) ||
    [...given.values()].some(isTooLong)
  ) {
    throw new BadRequest(
      'Code: 1000. DB::Exception: HTML Form Exception: Field value too long. (POCO_EXCEPTION)',
    );
  }
  if (Buffer.byteLength(text) > Number(given.get('max_query_size') ?? longestStatement)) {
    throw new BadRequest('Code: 62. DB::Exception: Syntax error: Max query size exceeded. (SYNTAX_ERROR)');
  }
}

/** Parameters of the address that are no settings. */
const reserved: ReadonlySet<string> = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'user',
  'password',
  'quota_key',
  'role',
  'buffer_size',
  'wait_end_of_query',
  'stacktrace',
]);

function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return request;
  const make = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }[encoding];
  if (make === undefined) throw new BadRequest(`Code: 48. DB::Exception: ${encoding}. (NOT_IMPLEMENTED)`);
  const plain = make();
  pipeline(request, plain).catch((error: Error) => plain.destroy(error));
  return plain;
}

/** The parts of a form as the official client sends them: a name and a text each. */
function* parts(body: Buffer, type: string): Generator<[string, string]> {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1] ?? '';
  for (const part of body.toString().split(`--${boundary}`)) {
    const found = /^\r\n.*?name="([^"]+)".*?\r\n\r\n(.*)\r\n$/s.exec(part);
    if (found !== null) yield [found[1]!, found[2]!];
  }
}

import { Readable } from 'node:stream';
import {
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  EXCEPTION_TAG_HEADER_NAME,
  extractErrorAtTheEndOfChunk,
} from '@clickhouse/client';
import { watchPulse } from './pulse.ts';
import { graceMs, RunningStatement, silenceMs } from './running-statement.ts';
import type { Statement } from './sql.ts';
import { formOf } from './statement-form.ts';

export type Settings = ClickHouseSettings;

export interface StatementOptions {
  /** Only for this statement; nothing is ever set for a session. */
  readonly settings?: Settings;
  /** Ends the request and kills the statement on the server; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * A statement without its whole answer after this time is ended and killed; it rejects with `storage_failed`. By default
   * a little more than its own `max_execution_time`; of an answer that is streamed, between two pieces of it.
   */
  readonly patienceMs?: number;
  /** Of a read or listing for a client: it has connections of its own, so that however many there are, nothing else waits. */
  readonly isRead?: boolean;
}

/**
 * A connection to ClickHouse's HTTP interface. Every method rejects with a PitwallError (client-errors.ts), or with
 * the reason of its signal; with anything else where the program itself is wrong.
 */
export interface ClickHouse {
  /** The database of the URL. */
  readonly database: string;
  /** Runs a statement without an answer. */
  command(statement: Statement, options?: StatementOptions): Promise<void>;
  /** The rows of a small answer. Integers of 64 bits come as strings of digits, NULL as null. */
  rows<Row extends readonly unknown[]>(statement: Statement, options?: StatementOptions): Promise<Row[]>;
  /** The bytes of an answer as they come; the statement ends with its FORMAT. To be read to the end or let go of. */
  stream(statement: Statement, options?: StatementOptions): AsyncIterable<Uint8Array>;
  /** Sends bytes as the data of a statement, which ends with its FORMAT; resolves when ClickHouse has taken all. */
  insert(statement: Statement, data: readonly Uint8Array[], options?: StatementOptions): Promise<void>;
  close(): Promise<void>;
}

export interface ClientOptions {
  /** `clickhouse://user:password@host:8123/database`; `clickhouses://` for TLS. */
  readonly url: string;
  /** Instead of the URL's. */
  readonly database?: string;
  /** Sent with every statement; what a statement gives itself goes before. */
  readonly settings?: Settings;
  /** Requests under way at once; of reads as many beside them. */
  readonly maxConnections?: number;
  /** A server that leaves four questions unanswered in this distance (ms) is lost, and what it runs with it; 5 s by default. */
  readonly beatMs?: number | undefined;
}

/** The time between questions to a server; one that has said nothing to four of them is lost. */
const usualBeatMs = 5000;

/** How long a server may take to take a KILL; after it the statement ends by its own limits. */
const killPatienceMs = 5000;

/** An error in the middle of an answer stands at its end; ClickHouse cuts its text to less than this. */
const maxExceptionBytes = 32_768;

export function connectClickHouse(options: ClientOptions): ClickHouse {
  const { url, database: named } = addressOf(options.url);
  const database = options.database ?? named;
  const client = officialClient(url, database, options);
  const reads = officialClient(url, database, options);
  const clientFor = ({ isRead = false }: StatementOptions) => (isRead ? reads : client);
  const pulse = watchPulse(url, options.beatMs ?? usualBeatMs);
  const begin = (limits: StatementOptions) =>
    new RunningStatement(limits, pulse, (queryId) => killStatement(client, queryId));

  async function running<Answer>(
    options: StatementOptions,
    ask: (request: RunningStatement['request']) => Promise<Answer>,
  ): Promise<Answer> {
    const statement = begin(options);
    try {
      const answer = await ask(statement.request);
      pulse.heard();
      return answer;
    } catch (error) {
      throw statement.failure(error);
    } finally {
      statement.done(true);
    }
  }

  return {
    database,

    command: (statement, options = {}) =>
      running(options, async (request) => {
        await clientFor(options).command({
          ...sent(statement),
          clickhouse_settings: options.settings ?? {},
          ...request,
        });
      }),

    rows: <Row extends readonly unknown[]>({ text, params }: Statement, options: StatementOptions = {}) =>
      running(options, async (request) => {
        const answer = await clientFor(options).query({
          query: text,
          query_params: params,
          format: 'JSONCompactEachRow',
          clickhouse_settings: { ...options.settings, output_format_json_quote_64bit_integers: 1 },
          ...request,
        });
        return (await answer.json()) as unknown as Row[];
      }),

    async *stream(statement, options = {}) {
      const run = begin(options);
      let isWhole = false;
      try {
        const { stream, response_headers } = await clientFor(options).exec({
          ...sent(statement),
          clickhouse_settings: options.settings ?? {},
          ...run.request,
        });
        for await (const chunk of checkedChunks(stream, exceptionTagOf(response_headers))) {
          run.heard();
          yield chunk;
        }
        isWhole = true;
      } catch (error) {
        throw run.failure(error);
      } finally {
        run.done(isWhole);
      }
    },

    insert: ({ text, params }, data, options = {}) =>
      running(options, async (request) => {
        const { stream, response_headers } = await client.exec({
          query: text,
          values: Readable.from(data, { objectMode: false }),
          query_params: params,
          clickhouse_settings: options.settings ?? {},
          ...request,
        });
        // Only the whole answer says that all was taken.
        for await (const _ of checkedChunks(stream, exceptionTagOf(response_headers)));
      }),

    async close() {
      pulse.close();
      await Promise.all([client.close(), reads.close()]);
    },
  };
}

function officialClient(url: string, database: string, { maxConnections = 64, settings }: ClientOptions) {
  return createClient({
    url,
    database,
    application: 'pitwall',
    request_timeout: silenceMs + 2 * graceMs,
    max_open_connections: maxConnections,
    // What fails is logged here, without the texts of statements.
    log: { level: ClickHouseLogLevel.OFF },
    use_multipart_params_auto: true,
    // Otherwise a part of a tuple is read as a column of its own, which FINAL does not merge as it does the tuple.
    clickhouse_settings: { optimize_functions_to_subcolumns: 0, ...settings },
  });
}

function killStatement(client: ReturnType<typeof officialClient>, queryId: string): void {
  client
    .command({
      query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
      query_params: { id: queryId },
      abort_signal: AbortSignal.timeout(killPatienceMs),
    })
    .catch(() => undefined); // It has ended by itself, or the server is gone with it.
}

/**
 * Splits `clickhouse://user:password@host:port/database` into the HTTP address and the database.
 * Throws a TypeError where it is none.
 */
export function addressOf(text: string): { readonly url: string; readonly database: string } {
  const match = /^clickhouse(s?):(\/\/.+)$/.exec(text);
  if (match === null) throw new TypeError('an address of ClickHouse begins with clickhouse://');
  const url = new URL(`http${match[1]}:${match[2]}`);
  if (url.port === '') url.port = match[1] === 's' ? '8443' : '8123';
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default';
  if (url.search !== '' || url.hash !== '' || database.includes('/')) {
    throw new TypeError('an address of ClickHouse is clickhouse://user:password@host:port/database');
  }
  url.pathname = '';
  return { url: url.href, database };
}

/** A statement as the client takes it: as a form where its parameters have no room in the address. */
function sent(statement: Statement) {
  const form = formOf(statement);
  return form === undefined
    ? { query: statement.text, query_params: statement.params }
    : { query: form.body, http_headers: { 'Content-Type': form.contentType } };
}

function exceptionTagOf(headers: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const tag = headers?.[EXCEPTION_TAG_HEADER_NAME];
  return typeof tag === 'string' ? tag : undefined;
}

/** Passes an answer on, but for an error that ClickHouse wrote at its end, which is thrown. */
async function* checkedChunks(
  stream: AsyncIterable<Uint8Array>,
  exceptionTag: string | undefined,
): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let cut: { readonly error: unknown } | undefined;
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        // After an error there is no proper end: then the error is what matters.
        cut = { error };
        return undefined;
      });
      if (next === undefined || next.done === true) break;
      held.push(next.value);
      heldBytes += next.value.length;
      while (held.length > 1 && heldBytes - held[0]!.length >= maxExceptionBytes) {
        const first = held.shift()!;
        heldBytes -= first.length;
        yield first;
      }
    }
  } finally {
    await chunks.return?.();
  }
  const tail = held.length === 1 ? held[0]! : Buffer.concat(held);
  if (exceptionTag !== undefined) {
    const mark = Buffer.from(`${exceptionTag}\r\n__exception__\r\n`);
    if (tail.length >= mark.length && mark.equals(tail.subarray(tail.length - mark.length))) {
      throw extractErrorAtTheEndOfChunk(Buffer.from(tail), exceptionTag);
    }
  }
  if (cut !== undefined) throw cut.error;
  if (tail.length > 0) yield tail;
}

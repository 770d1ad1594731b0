import type { Chunk, Handle, Native, Result } from './native.ts';
import { literal, quoted, type Statement } from './statement.ts';

/** One statement with all that HTTP gave with it. */
export interface Job {
  readonly statement: Statement;
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** In the escaped text form that HTTP has them in. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Of the answer, where the statement says none. */
  readonly format: string;
}

/** A connection to the engine on which statements run one after another. */
export interface Session {
  run(job: Job): Promise<Result>;
  /** The blocks of the answer as they come. */
  stream(job: Job): AsyncGenerator<Chunk>;
}

/**
 * The engine keeps what a connection was SET for every later statement, while over HTTP settings hold for one. So each
 * statement is preceded by the difference to what the one before it had.
 */
export function openSession(native: Native, dataDir: string, moreArgs: readonly string[] = []): Session {
  const args = [...connectionArgs, ...moreArgs];
  let connection: Handle = native.CreateConnection(dataDir, args);
  let database = 'default';
  let settings: ReadonlyMap<string, string> = new Map();
  let parameters = new Set<string>();

  const ask = (sql: string) => native.QueryAsyncConnection(connection, sql, 'TabSeparated');

  function reopen(): void {
    native.CloseConnection(connection);
    connection = native.CreateConnection(dataDir, args);
    database = 'default';
    settings = new Map();
    parameters = new Set();
  }

  async function prepare(job: Job): Promise<void> {
    for (const name of parameters) {
      if (!job.parameters.has(name) && new RegExp(`\\{\\s*${name}\\s*:`).test(job.statement.text)) {
        throw new Error(
          `Code: 456. DB::Exception: Substitution \`${name}\` is not set. (UNKNOWN_QUERY_PARAMETER)`,
        );
      }
    }
    const gone = [...settings.keys()].filter((name) => !job.settings.has(name));
    const changed = [...job.settings].filter(([name, value]) => settings.get(name) !== value);
    const changes = [
      ...gone.map((name) => `${quoted(name)} = DEFAULT`),
      ...changed.map(([name, value]) => `${quoted(name)} = ${literal(value)}`),
      ...[...job.parameters].map(([name, value]) => `${quoted(`param_${name}`)} = ${literal(value)}`),
    ];
    try {
      if (changes.length > 0) await ask(`SET ${changes.join(', ')}`);
    } catch (error) {
      // How many of them hold is not known.
      reopen();
      throw error;
    }
    settings = job.settings;
    for (const name of job.parameters.keys()) parameters.add(name);
    if (job.database !== database) {
      await ask(`USE ${quoted(job.database)}`);
      database = job.database;
    }
  }

  /** A statement that failed counts as running, and a KILL … SYNC waits for it, until the connection has another. */
  const forget = () => ask('SELECT 1').catch(() => undefined);

  return {
    async run(job) {
      await prepare(job);
      try {
        return await native.QueryAsyncConnection(connection, job.statement.text, job.format);
      } catch (error) {
        await forget();
        throw error;
      }
    },
    async *stream(job) {
      await prepare(job);
      const stream = native.StreamQuery(connection, job.statement.text, job.format);
      let isOver = false;
      try {
        while (!isOver) {
          const chunk = await native.StreamFetch(stream);
          isOver = chunk.done;
          if (!isOver) yield chunk;
        }
      } catch (error) {
        isOver = true;
        await forget();
        throw error;
      } finally {
        if (!isOver) native.StreamCancel(stream);
      }
    },
  };
}

/**
 * As ClickHouse's server has it: a query begins with a word. Parameters, whose length a server does not count as that
 * of the query, are SET here by a statement.
 */
const connectionArgs = ['--implicit_select=0', '--max_query_size=268435456'];

import type { Chunk, Native, Result } from './native.ts';
import { type Job, openSession, type Session } from './session.ts';
import { literal, statementOf } from './statement.ts';

/** Runs statements side by side, each on a connection that is free, in the order in which they came. */
export interface EnginePool {
  run(job: Job, queryId: string): Promise<Result>;
  stream(job: Job, queryId: string): AsyncGenerator<Chunk>;
  /** Takes the query out of the line, or stops it where it runs. */
  cancel(queryId: string): Promise<void>;
  /** Runs a KILL statement: on a connection of its own, so that it never waits for what it shall end. */
  kill(job: Job): Promise<Result>;
}

/** A slow query must not hold up the others. */
const connections = 4;

/** @param args of the library, beside those of every connection */
export function openEnginePool(native: Native, dataDir: string, args: readonly string[] = []): EnginePool {
  const free: Session[] = [];
  for (let i = 0; i < connections; i++) free.push(openSession(native, dataDir, args));
  const control = openSession(native, dataDir, args);
  let controlled: Promise<unknown> = Promise.resolve();
  const waiting: Waiting[] = [];
  /** Ids of queries that have a connection. */
  const underWay = new Set<string>();

  function take(queryId: string): Promise<Session> {
    const session = free.pop();
    if (session !== undefined) return Promise.resolve(session);
    return new Promise((resolve, reject) => waiting.push({ queryId, resolve, reject }));
  }

  function giveBack(session: Session): void {
    const next = waiting.shift();
    if (next === undefined) free.push(session);
    else next.resolve(session);
  }

  function leaveLine(queryId: string): void {
    const at = waiting.findIndex((each) => each.queryId === queryId);
    if (at < 0) return;
    const [left] = waiting.splice(at, 1);
    left!.reject(new Error('Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)'));
  }

  function kill(job: Job): Promise<Result> {
    const { text } = job.statement;
    const [, spelled, name] = /query_id\s*=\s*(?:'((?:[^'\\]|\\.)*)'|\{\s*(\w+)\s*:)/i.exec(text) ?? [];
    const queryId = spelled?.replaceAll(/\\(.)/g, '$1') ?? job.parameters.get(name ?? '');
    if (queryId !== undefined) leaveLine(queryId);
    // The next statement of a connection begins with the name of the one before it, and must not be taken for that.
    if (queryId !== undefined && !underWay.has(queryId)) return Promise.resolve(nothing);
    const statement = { ...job.statement, text: text.replaceAll(/\bquery_id\b/gi, idOfQuery) };
    const killed = controlled.then(() => control.run({ ...job, statement }));
    controlled = killed.catch(() => undefined);
    return killed;
  }

  return {
    async run(job, queryId) {
      const session = await take(queryId);
      underWay.add(queryId);
      try {
        return await session.run(named(job, queryId));
      } finally {
        underWay.delete(queryId);
        giveBack(session);
      }
    },
    async *stream(job, queryId) {
      const session = await take(queryId);
      underWay.add(queryId);
      try {
        yield* session.stream(named(job, queryId));
      } finally {
        underWay.delete(queryId);
        giveBack(session);
      }
    },
    async cancel(queryId) {
      const statement = statementOf(`KILL QUERY WHERE query_id = ${literal(queryId)}`);
      await kill({
        statement,
        database: 'default',
        settings: new Map(),
        parameters: new Map(),
        format: 'Null',
      });
    },
    kill,
  };
}

/** What a KILL answers that finds nothing. */
const nothing: Result = { bytes: new Uint8Array(0), elapsed: 0, rowsRead: 0, bytesRead: 0 };

interface Waiting {
  readonly queryId: string;
  resolve(session: Session): void;
  reject(error: Error): void;
}

/** The library makes up the ids of queries itself, so ours go where `system.processes` shows them too. */
const idOfQuery = "Settings['log_comment']";

function named(job: Job, queryId: string): Job {
  if (job.settings.has('log_comment')) return job;
  return { ...job, settings: new Map([...job.settings, ['log_comment', queryId]]) };
}

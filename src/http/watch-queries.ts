import type { Log } from '../log.ts';
import {
  type BegunQuery,
  type CountRows,
  isEnded,
  type RunningQueries,
} from '../query/bounds/running-queries.ts';
import { readAhead } from '../wire/json/in-slices.ts';
import type { Chunks } from './begin-chunks.ts';
import { asPitwallError } from './problem-reply.ts';
import type { Answer, Call, Route } from './route.ts';

/** A call that asks something of the store. */
export interface QueryCall extends Call {
  /** Told what is read. */
  readonly countRows: CountRows;
}

/** A route that asks something of the store: it becomes a route by being watched. */
export interface QueryRoute extends Omit<Route, 'handle'> {
  readonly handle: (call: QueryCall) => Answer | Promise<Answer>;
}

export interface QueryWatch {
  readonly running: RunningQueries;
  /** A query that takes longer is logged; undefined logs none. */
  readonly slowQueryMs: number | undefined;
  readonly metrics: { readonly slowQueries: { inc(labels: { readonly route: string }): void } };
  readonly log: Log;
}

/** How a query came to its end. */
type Outcome =
  | { readonly outcome: 'answered' | 'left' | 'ended' }
  | { readonly outcome: 'failed'; readonly code: string };

/**
 * Makes routes of queries: while one runs, until the last chunk of its answer, it is on the list of what runs, from
 * where it can be ended. One that was slow is logged with what was asked; nothing else is logged of payloads.
 */
export function watchQueries(watch: QueryWatch): (route: QueryRoute) => Route {
  return (route) => ({ ...route, readsAhead: true, handle: (call) => watched(route, call, watch) });
}

async function watched(route: QueryRoute, call: Call, watch: QueryWatch): Promise<Answer> {
  const { principal, body, reservation } = call;
  const query = watch.running.begin({ route: route.path, principal, body }, call.signal());
  const limits = route.body?.limits;
  try {
    const ahead = limits && readAhead(body, limits, reservation, () => query.signal);
    if (ahead !== undefined) await ahead;
    const answer = await route.handle({ countRows: query.countRows, ...call, signal: () => query.signal });
    query.signal.throwIfAborted();
    if (answer.chunks !== undefined) {
      return { ended: query.signal, ...answer, chunks: watchedChunks(answer.chunks, query, watch) };
    }
    query.answered(Buffer.byteLength(answer.body ?? ''));
    finish(query, { outcome: 'answered' }, watch);
    return answer;
  } catch (error) {
    finish(query, brokenOff(query, error), watch);
    throw error;
  }
}

function watchedChunks(chunks: Chunks, query: BegunQuery, watch: QueryWatch): Chunks {
  return Symbol.asyncIterator in chunks ? chunksMade(chunks, query, watch) : chunksNow(chunks, query, watch);
}

function* chunksNow(
  chunks: Iterable<Uint8Array>,
  query: BegunQuery,
  watch: QueryWatch,
): Generator<Uint8Array> {
  let outcome: Outcome = { outcome: 'left' };
  try {
    for (const chunk of chunks) {
      query.answered(chunk.length);
      yield chunk;
      query.signal.throwIfAborted();
    }
    outcome = { outcome: 'answered' };
  } catch (error) {
    outcome = brokenOff(query, error);
    throw error;
  } finally {
    finish(query, outcome, watch);
  }
}

/** The same where chunks are waited for. */
async function* chunksMade(
  chunks: AsyncIterable<Uint8Array>,
  query: BegunQuery,
  watch: QueryWatch,
): AsyncGenerator<Uint8Array> {
  let outcome: Outcome = { outcome: 'left' };
  try {
    for await (const chunk of chunks) {
      // Nobody may ask for the next one any more.
      query.signal.throwIfAborted();
      query.answered(chunk.length);
      yield chunk;
      query.signal.throwIfAborted();
    }
    outcome = { outcome: 'answered' };
  } catch (error) {
    outcome = brokenOff(query, error);
    throw error;
  } finally {
    finish(query, outcome, watch);
  }
}

function brokenOff({ signal }: BegunQuery, error: unknown): Outcome {
  if (!signal.aborted) return { outcome: 'failed', code: asPitwallError(error).code };
  return { outcome: isEnded(signal.reason) ? 'ended' : 'left' };
}

function finish(query: BegunQuery, outcome: Outcome, { slowQueryMs, metrics, log }: QueryWatch): void {
  query.finish();
  const milliseconds = query.elapsedMs();
  if (slowQueryMs === undefined || milliseconds < slowQueryMs) return;
  const { id: queryId, route, principal, rowsRead, bytesAnswered, signal } = query;
  const { workspace, tokenId } = principal;
  // Its client took the connection for broken before the chunks were told.
  const how = isEnded(signal.reason) ? { outcome: 'ended' } : outcome;
  metrics.slowQueries.inc({ route });
  log.warn(
    {
      queryId,
      route,
      workspace,
      tokenId,
      query: query.text(),
      rowsRead,
      bytesAnswered,
      milliseconds: Math.round(milliseconds),
      ...how,
    },
    'a slow query',
  );
}

import type { Principal } from '../../domain/principal.ts';
import { PitwallError } from '../../errors.ts';

/** Told by a read how many rows it has gone through, as it goes. */
export type CountRows = (rows: number) => void;

/** For reads that nobody watches. */
export const uncounted: CountRows = () => {};

/** What a query is, as it begins. */
export interface QueryStart {
  /** The route's pattern. */
  readonly route: string;
  readonly principal: Principal;
  /** What is asked; its beginning is kept. */
  readonly body: Uint8Array;
}

/** A query under way: what it is, and how far it has come. */
export interface RunningQuery {
  readonly id: string;
  readonly route: string;
  readonly principal: Principal;
  /** What is asked, cut to `maxTextBytes`. */
  text(): string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  elapsedMs(): number;
  /** That the store has gone through. */
  readonly rowsRead: number;
  /** Bytes of its answer that were made, before they are compressed. */
  readonly bytesAnswered: number;
  /** Aborts when the client leaves, and with `query_ended` when an admin ends the query. */
  readonly signal: AbortSignal;
  /** Ends it: it stops within a turn of the event loop, and its client gets `query_ended` (400). */
  end(): void;
}

/** A query as whoever runs it holds it. */
export interface BegunQuery extends RunningQuery {
  readonly countRows: CountRows;
  answered(bytes: number): void;
  /** Takes it off the list. */
  finish(): void;
}

/** The queries that run in this process. */
export interface RunningQueries {
  readonly count: number;
  /** @param left aborts when the client leaves */
  begin(start: QueryStart, left: AbortSignal): BegunQuery;
  /** The oldest first. */
  list(): RunningQuery[];
}

/** The bytes of a query's text that the list shows. */
export const maxTextBytes = 2048;

/**
 * @param newId makes ids that no other process makes
 * @param now milliseconds since the Unix epoch
 */
export function createRunningQueries(newId: () => string, now: () => number): RunningQueries {
  const running = new Map<string, BegunQuery>();
  return {
    get count() {
      return running.size;
    },

    begin({ route, principal, body }, left) {
      const id = newId();
      const start = performance.now();
      const ending = new AbortController();
      const leave = (): void => ending.abort(left.reason);
      // The whole of a large body would be held for as long as the query runs.
      const isCut = body.length > maxTextBytes;
      const kept = isCut ? Uint8Array.from(body.subarray(0, maxTextBytes)) : body;
      const query = {
        id,
        route,
        principal,
        startedAt: now(),
        elapsedMs: () => performance.now() - start,
        text: () => textOf(kept, isCut),
        rowsRead: 0,
        bytesAnswered: 0,
        signal: ending.signal,
        countRows: (rows: number) => {
          query.rowsRead += rows;
        },
        answered: (bytes: number) => {
          query.bytesAnswered += bytes;
        },
        finish() {
          running.delete(id);
          left.removeEventListener('abort', leave);
        },
        end: () => ending.abort(queryEnded()),
      };
      if (left.aborted) leave();
      else left.addEventListener('abort', leave);
      running.set(id, query);
      return query;
    },

    list: () => [...running.values()],
  };
}

/** Whether a query broke off because an admin ended it. */
export function isEnded(error: unknown): boolean {
  return error instanceof PitwallError && error.code === 'query_ended';
}

function queryEnded(): PitwallError {
  return new PitwallError('query_ended', { detail: 'an admin ended the query; ask before it is sent again' });
}

/** A character that was cut is left out. */
function textOf(kept: Uint8Array, isCut: boolean): string {
  const text = new TextDecoder().decode(kept, { stream: isCut });
  return isCut ? `${text}…` : text;
}

import { ClickHouseError } from '@clickhouse/client';
import { type ErrorCode, PitwallError } from '../../../errors.ts';

/** What ClickHouse's error codes (src/Common/ErrorCodes.cpp there) mean to a client of Pitwall. */
const meanings: ReadonlyMap<number, ErrorCode> = new Map([
  [158, 'query_too_large'], // TOO_MANY_ROWS
  [159, 'query_too_slow'], // TIMEOUT_EXCEEDED
  [160, 'query_too_slow'], // TOO_SLOW
  [191, 'query_too_large'], // SET_SIZE_LIMIT_EXCEEDED
  [202, 'overloaded'], // TOO_MANY_SIMULTANEOUS_QUERIES
  [241, 'query_too_large'], // MEMORY_LIMIT_EXCEEDED
  [243, 'disk_full'], // NOT_ENOUGH_SPACE
  [252, 'overloaded'], // TOO_MANY_PARTS
  [307, 'query_too_large'], // TOO_MANY_BYTES
  [396, 'query_too_large'], // TOO_MANY_ROWS_OR_BYTES
]);

/** Codes of statements that fail the same way however often they are sent. */
const lasting: ReadonlySet<number> = new Set([
  16, // NO_SUCH_COLUMN_IN_TABLE
  44, // ILLEGAL_COLUMN
  47, // UNKNOWN_IDENTIFIER
  53, // TYPE_MISMATCH
  60, // UNKNOWN_TABLE
  62, // SYNTAX_ERROR
  81, // UNKNOWN_DATABASE
  115, // UNKNOWN_SETTING
  164, // READONLY
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
]);

/** Codes of statements that need another server of the cluster, which does not answer. */
const unreachable: ReadonlySet<number> = new Set([
  210, // NETWORK_ERROR
  279, // ALL_CONNECTION_TRIES_FAILED
]);

/** Codes that say that the service may not use the server at all, however long it waits. */
const refused: ReadonlySet<number> = new Set([164, 192, 193, 194, 497, 516]);

/**
 * The error that a failed statement ends with: `disk_full`, `query_too_large`, `query_too_slow`, `overloaded` or
 * `storage_failed`, its cause what the client threw. What ClickHouse says may hold texts of the statement, so it is for the log only. What
 * neither ClickHouse nor the way to it did is a bug of the service: `internal`.
 */
export function explainFailure(error: unknown): PitwallError {
  if (error instanceof PitwallError) return error;
  const explained = explanationOf(error);
  explained.cause = error;
  return explained;
}

function explanationOf(error: unknown): PitwallError {
  const code = codeOf(error);
  if (code !== undefined) {
    return new PitwallError(meaningOf(code, error), {
      detail: unreachable.has(code)
        ? `a server of the ClickHouse cluster cannot be reached (code ${code})`
        : `ClickHouse refused the statement: ${typeOf(error)} (code ${code})`,
    });
  }
  return isConnectionFailure(error)
    ? new PitwallError('storage_failed', { detail: 'ClickHouse cannot be reached' })
    : new PitwallError('internal');
}

/** Returns the error to be thrown: a bug stays what it is, so that it is logged with its stack where requests end. */
export function thrownFor(error: unknown): unknown {
  return isBug(error) ? error : explainFailure(error);
}

/** Whether neither ClickHouse nor the way to it has failed, but this program. */
export function isBug(error: unknown): boolean {
  if (error instanceof PitwallError) return error.code === 'internal';
  return codeOf(error) === undefined && !isConnectionFailure(error);
}

/** Node's own codes that tell of a connection; its others tell of wrong calls. The codes of systems have no such start. */
const connectionCodes = /^(?!ERR_)|^ERR_(STREAM_PREMATURE_CLOSE|STREAM_DESTROYED|SOCKET_|SSL_|TLS_)/;

/** What the client says, without a code, of a statement that it cannot send. */
const cannotBeSent = /^(Unsupported value in query|Invalid multipart part name)/;

function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return connectionCodes.test(code);
  // The client has no code for its timeouts, nor for what something else answered in ClickHouse's place.
  return Object.getPrototypeOf(error) === Error.prototype && !cannotBeSent.test(error.message);
}

/** What a statement ends with that ClickHouse did not answer in time. */
export function unanswered(afterMs: number): PitwallError {
  return new PitwallError('storage_failed', {
    detail: `ClickHouse did not answer within ${Math.round(afterMs)} ms`,
  });
}

/** What the statements end with that a lost server runs. */
export function noMoreAnswers(): PitwallError {
  return new PitwallError('storage_failed', { detail: 'ClickHouse does not answer any more' });
}

/** What a change rejects with: where ClickHouse or the way to it failed, with a word on what may be done already. */
export async function perhapsDone<Answer>(change: Promise<Answer>): Promise<Answer> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof PitwallError) || error.status !== 503) throw error;
    const { code, message, retryAfter, cause } = error;
    const told = new PitwallError(code, {
      detail: `${message}; the request may have been applied, in part or as a whole: repeat it`,
      ...(retryAfter !== undefined && { retryAfter }),
    });
    told.cause = cause;
    throw told;
  }
}

/** The number of ClickHouse's own error, also where it was explained; undefined where ClickHouse gave no answer. */
export function codeOf(error: unknown): number | undefined {
  if (error instanceof ClickHouseError) return Number(error.code);
  return error instanceof PitwallError && error.cause !== undefined ? codeOf(error.cause) : undefined;
}

/** What was said about the failure, for people: one line or more. */
export function messageOf(error: unknown): string {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return String(cause);
  const { message, code } = cause as Error & { code?: string };
  return (message === '' ? (code ?? cause.name) : message).slice(0, 500);
}

/** The same for the log; of a bug, where it happened. */
export function loggedCause(error: unknown): string {
  const cause = causeOf(error);
  return isBug(error) && cause instanceof Error ? (cause.stack ?? String(cause)) : messageOf(error);
}

function causeOf(error: unknown): unknown {
  return error instanceof PitwallError && error.cause !== undefined ? error.cause : error;
}

/** Whether the statement would fail again in the same way. */
export function isLasting(error: unknown): boolean {
  return lasting.has(codeOf(error) ?? 0);
}

/** Whether the server does not let this user in. */
export function isRefusal(error: unknown): boolean {
  return refused.has(codeOf(error) ?? 0);
}

function meaningOf(code: number, error: unknown): ErrorCode {
  if (/No space left on device|errno: 28\b/.test((error as Error).message)) return 'disk_full';
  return meanings.get(code) ?? 'storage_failed';
}

function typeOf(error: unknown): string {
  return error instanceof ClickHouseError ? (error.type ?? 'ERROR') : 'ERROR';
}

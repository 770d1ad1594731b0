import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, isOutOfFiles, MethodNotAllowed, outOfFiles, PitwallError } from '../errors.ts';
import type { Log } from '../log.ts';
import { encodeProblem, problemType } from '../wire/answers/problem.ts';
import { allowedMethods, pathOf } from './allowed-methods.ts';
import { announcesBody } from './body.ts';
import type { Answer, Route } from './route.ts';

/** Answers with what was thrown, as problem+json. What is not a PitwallError is logged and told to nobody. */
export function sendProblem(reply: FastifyReply, thrown: unknown, log: Log) {
  const requestId = String(reply.request.id);
  const error = asPitwallError(thrown);
  if (error.code === 'internal') log.error({ err: thrown, requestId }, 'a request failed');
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  endWhereCutShort(error, reply);
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  if (error instanceof MethodNotAllowed) reply.header('allow', error.allow.join(', '));
  // As bytes: the framework would add a charset, which this media type does not have.
  reply.code(error.status).header('content-type', problemType);
  return reply.send(Buffer.from(encodeProblem(error, requestId)));
}

/**
 * The connection ends after the answer where the body was not read to its end because of its form or its pace: the rest of
 * the request may never come, or is not worth its reading.
 */
export function endWhereCutShort({ code }: PitwallError, reply: FastifyReply): void {
  const { headers, raw } = reply.request;
  const isCutShort = code === 'bad_request' && announcesBody(headers) && !raw.complete;
  if (isCutShort || code === 'request_timeout') reply.header('connection', 'close');
}

/** Returns a problem as an answer, for those who send it without the framework. */
export function problemAnswer(thrown: unknown, requestId: string, log: Log) {
  const error = asPitwallError(thrown);
  if (error.code === 'internal') log.error({ err: thrown, requestId }, 'a request failed');
  const headers: Record<string, string> = {};
  if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
  return {
    status: error.status,
    type: problemType,
    headers,
    body: encodeProblem(error, requestId),
  } satisfies Answer;
}

/**
 * Turns an error into one of ours: what the framework refuses has a status of its own; anything else that is not ours
 * is a bug.
 */
export function asPitwallError(thrown: unknown): PitwallError {
  if (thrown instanceof PitwallError) return thrown;
  if (isOutOfFiles(thrown)) return outOfFiles();
  const { statusCode, message } = thrown as { statusCode?: unknown; message?: string };
  const isRefusal = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  if (!isRefusal) return new PitwallError('internal', { detail: 'the log says more, at the requestId' });
  return new PitwallError(refusals.get(statusCode) ?? 'bad_request', { detail: message! });
}

const refusals: ReadonlyMap<number, ErrorCode> = new Map([
  [413, 'body_too_large'],
  [414, 'address_too_long'],
  [415, 'unsupported_media_type'],
]);

/** 405 where the address is known with other methods, else 404. */
export function unknownAddress(routes: readonly Route[], { method, url }: FastifyRequest): PitwallError {
  const allowed = allowedMethods(routes, url);
  if (allowed !== undefined) return new MethodNotAllowed(allowed);
  return new PitwallError('not_found', { detail: `there is nothing at ${method} ${pathOf(url)}` });
}

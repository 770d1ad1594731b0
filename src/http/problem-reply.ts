import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOutOfFiles, outOfFiles, PitwallError } from '../errors.ts';
import type { Log } from '../log.ts';
import { encodeProblem, problemType } from '../wire/problem.ts';
import type { Answer, Route } from './route.ts';

/** Answers with what was thrown, as problem+json. What is not a PitwallError is logged and told to nobody. */
export function sendProblem(reply: FastifyReply, thrown: unknown, log: Log) {
  const requestId = String(reply.request.id);
  const error = asPitwallError(thrown);
  if (error.code === 'internal') log.error({ err: thrown, requestId }, 'a request failed');
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  if (error instanceof MethodNotAllowed) reply.header('allow', error.allow.join(', '));
  // As bytes: the framework would add a charset, which this media type does not have.
  reply.code(error.status).header('content-type', problemType);
  return reply.send(Buffer.from(encodeProblem(error, requestId)));
}

/** The same as an answer, for those who send it without the framework. */
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

/** The same on a bare response; returns the status. */
export function writeProblem(response: ServerResponse, thrown: unknown, requestId: string, log: Log): number {
  const { status, type, headers, body } = problemAnswer(thrown, requestId, log);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
  return status;
}

/** What the framework refuses has a status of its own; anything else that is not ours is a bug. */
export function asPitwallError(thrown: unknown): PitwallError {
  if (thrown instanceof PitwallError) return thrown;
  if (isOutOfFiles(thrown)) return outOfFiles();
  const status = (thrown as { statusCode?: unknown }).statusCode;
  if (status === 415) return new PitwallError('unsupported_media_type');
  if (status === 413) return new PitwallError('body_too_large');
  if (status === 414) return new PitwallError('address_too_long');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new PitwallError('bad_request', { detail: (thrown as Error).message });
  }
  return new PitwallError('internal');
}

class MethodNotAllowed extends PitwallError {
  readonly allow: readonly string[];

  constructor(allow: readonly string[]) {
    super('method_not_allowed', { detail: `allowed here: ${allow.join(', ')}` });
    this.allow = allow;
  }
}

/** 405 where the address is known with other methods, else 404. */
export function unknownAddress(routes: readonly Route[], request: FastifyRequest): PitwallError {
  const path = request.url.split('?', 1)[0]!;
  const methods = routes.filter((route) => patternOf(route.path).test(path)).map(({ method }) => method);
  const allow = methods.includes('GET') ? ['HEAD', ...methods] : methods;
  if (allow.length > 0) return new MethodNotAllowed(allow);
  return new PitwallError('not_found', { detail: `there is nothing at ${request.method} ${path}` });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replaceAll('.', '\\.')}$`);
}

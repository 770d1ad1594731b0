import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorTable, MethodNotAllowed, PitwallError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { guardingHeaders } from '../../wire/answers/guarding-headers.ts';
import { encodeProblem, problemType } from '../../wire/answers/problem.ts';

/** Answers a request of the hub with what was thrown; anything but a PitwallError is logged and told to nobody. */
export function refuse(response: ServerResponse, thrown: unknown, requestId: string, log: Log): void {
  const error = asPitwallError(thrown, requestId, log);
  const body = encodeProblem(error, requestId);
  response.writeHead(error.status, headersOf(error, body));
  response.end(body);
}

/** Refuses on the socket of an upgrade, which ends. Returns the status. */
export function refuseUpgrade(
  socket: Duplex,
  thrown: unknown,
  requestId: string,
  log: Log,
  more: Readonly<Record<string, string>> = {},
): number {
  const error = asPitwallError(thrown, requestId, log);
  const body = encodeProblem(error, requestId);
  const lines = Object.entries({ ...headersOf(error, body), ...more, Connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  // A client that keeps its half open must not keep the socket, which no server counts as its own any more.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${error.status} ${errorTable[error.code].title}\r\n${head}\r\n${body}`);
  return error.status;
}

function headersOf(error: PitwallError, body: string): Record<string, string> {
  return {
    ...guardingHeaders,
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-cache,no-store',
    ...(error.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...(error instanceof MethodNotAllowed && { Allow: error.allow.join(', ') }),
    // The rest of the request may never come.
    ...(error.code === 'request_timeout' && { Connection: 'close' }),
    ...(error.retryAfter !== undefined && { 'Retry-After': String(error.retryAfter) }),
  };
}

function asPitwallError(thrown: unknown, requestId: string, log: Log): PitwallError {
  if (thrown instanceof PitwallError) return thrown;
  log.error({ err: thrown, requestId }, 'a request to the hub failed');
  return new PitwallError('internal', { detail: 'the log says more, at the requestId' });
}

import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { errorTable, PitwallError } from '../errors.ts';
import type { Hub } from '../hub/hub.ts';
import type { Log } from '../log.ts';
import { encodeProblem, problemType } from '../wire/problem.ts';
import { announcesBody } from './body.ts';
import { writeProblem } from './problem-reply.ts';
import { offerUpgrades } from './upgrade.ts';

/** Certificate and key as files, so that they can be read again. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** An address holds a topic and a stream id of 512 bytes each, percent-encoded, and room to spare. */
const maxAddressBytes = 8 * 1024;
/** Above the longest address that is answered with 414, so that the parser does not cut in before. */
const maxHeaderBytes = 128 * 1024;
/** A request that is not whole by then is given up. */
const requestTimeoutMs = 300_000;
/** Longer than the minute after which proxies drop idle connections, so that it is never the service that drops one in use. */
const keepAliveMs = 72_000;

/**
 * The HTTP server as it meets the socket: what Node's parser refuses and what is too long gets the same form of
 * answer as everything else; the rest goes to the listener.
 */
export function createFront(
  listener: RequestListener,
  hub: Hub | undefined,
  tls: TlsFiles | undefined,
  newRequestId: () => string,
  log: Log,
): Server {
  const options = {
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    // Checked below, where the answer has the usual form.
    requireHostHeader: false,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      const error = new PitwallError('bad_request', { detail: 'there is no Host header' });
      writeProblem(response, error, newRequestId(), log);
      return;
    }
    if (request.url!.length > maxAddressBytes) {
      const error = new PitwallError('address_too_long', { detail: addressDetail });
      writeProblem(response, error, newRequestId(), log);
      return;
    }
    if (hub?.request(request, response) === true) return;
    // A request without a body may carry any Content-Type, also one that a parser would trip over.
    if (!announcesBody(request.headers)) delete request.headers['content-type'];
    listener(request, response);
  };
  const server =
    tls === undefined
      ? createServer(options, onRequest)
      : createTlsServer({ ...options, ...readTls(tls) }, onRequest);
  if (hub !== undefined) offerUpgrades(server, hub.upgrade);
  server.on('clientError', (error: ParserError, socket: Socket) => refuse(error, socket, newRequestId()));
  return server;
}

export function readTls(tls: TlsFiles): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
}

const addressDetail = `an address may have ${maxAddressBytes} bytes at most`;

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Answers what is not HTTP (or too slow, or too long) on the bare socket, and ends it. */
function refuse(parserError: ParserError, socket: Socket, requestId: string): void {
  if (!socket.writable || parserError.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const error = meaningOf(parserError);
  const body = encodeProblem(error, requestId);
  socket.end(
    `HTTP/1.1 ${error.status} ${errorTable[error.code].title}\r\nContent-Type: ${problemType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function meaningOf(error: ParserError): PitwallError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new PitwallError('request_timeout');
  if (error.code !== 'HPE_HEADER_OVERFLOW') return new PitwallError('bad_request');
  // No line has ended yet: it is the first line, with the address, that is too long.
  const inAddress = error.rawPacket?.includes('\n') === false;
  return inAddress
    ? new PitwallError('address_too_long', { detail: addressDetail })
    : new PitwallError('headers_too_large', {
        detail: `all headers may have ${maxHeaderBytes} bytes at most`,
      });
}

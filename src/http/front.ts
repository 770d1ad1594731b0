import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { PitwallError } from '../errors.ts';
import type { Hub } from '../hub/hub.ts';
import { agreeInSlices } from '../turns/handshakes.ts';
import { guardingHeaders } from '../wire/answers/guarding-headers.ts';
import { hideContentType } from './body.ts';
import { holdContinue } from './held-continue.ts';
import { isHost } from './host-form.ts';
import { endConnection, sayLast } from './last-words.ts';
import { createTurns } from './turns.ts';
import { closingUnheard, type HearingServer } from './unheard.ts';
import { offerUpgrades, wasDeclined } from './upgrade.ts';

/** Certificate and key as files, so that they can be read again. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** The longest address: it holds a topic and a stream id of 512 bytes each, percent-encoded, and room to spare. */
const maxAddressBytes = 8 * 1024;
/**
 * The most bytes of a head: above the longest address that is answered with 414, so that the parser does not cut in
 * before.
 */
const maxHeaderBytes = 128 * 1024;
/** The most headers of a request: no client has nearly as many, and each costs time and memory. */
const maxHeaders = 2000;
/** The time after which a request that is not whole yet is given up. */
const requestTimeoutMs = 300_000;
/** How often connections are looked through for those that are too slow. */
const lookMs = 1000;
/**
 * How long an idle connection is kept: longer than the minute after which proxies drop theirs, so that it is never
 * the service that drops one in use.
 */
const keepAliveMs = 72_000;

/** How long the head of a request may take from its first byte, or from the beginning of its connection. */
export interface HeadLimit {
  readonly timeoutMs: number;
  /** A connection on which a request did not become whole in time. */
  readonly onSlow: () => void;
}

/**
 * The HTTP server as it meets the socket: the requests of a connection take turns, what Node's parser refuses and what is
 * too long gets the same form of answer as everything else; the rest goes to the listener.
 */
export function createFront(
  listener: RequestListener,
  hub: Hub | undefined,
  tls: TlsFiles | undefined,
  newRequestId: () => string,
  heads: HeadLimit,
): HearingServer {
  const options = {
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: requestTimeoutMs,
    headersTimeout: heads.timeoutMs,
    connectionsCheckingInterval: Math.min(lookMs, heads.timeoutMs),
    keepAliveTimeout: keepAliveMs,
    // Checked below, where the answer has the usual form.
    requireHostHeader: false,
  };
  const turns = createTurns();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const fault = faultOf(request);
    if (fault !== undefined) {
      sayLast(request.socket, fault, newRequestId());
      return;
    }
    if (wasDeclined(request)) response.shouldKeepAlive = false;
    holdContinue(request, response);
    for (const name of guards) response.setHeader(name, guardingHeaders[name]);
    if (hub?.request(request, response) === true) return;
    hideContentType(request);
    listener(request, response);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    turns.request(request, response, answer);
  const server =
    tls === undefined
      ? createServer(options, onRequest)
      : createTlsServer({ ...options, ...readTls(tls), handshakeTimeout: heads.timeoutMs }, onRequest);
  if (server instanceof TlsServer)
    agreeInSlices(server, { silenceMs: heads.timeoutMs, onSilent: heads.onSlow });
  // One more than is allowed: Node.js 20 drops headers beyond this number, and faultOf could not see that there were too many.
  // Later ones refuse them as they do too many bytes, and count trailers as well.
  server.maxHeadersCount = maxHeaders + 1;
  server.on('checkContinue', onRequest);
  // Whatever else is expected may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket: Duplex) => {
    const error = new PitwallError('bad_request', { detail: 'this is no proxy, so there is no CONNECT' });
    turns.giveAway(socket, () => sayLast(socket, error, newRequestId()));
  });
  offerUpgrades(server, turns, (request, socket, head) => {
    const fault = faultOf(request);
    if (fault === undefined) return hub?.upgrade(request, socket, head) === true;
    sayLast(socket, fault, newRequestId());
    return true;
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // What a client sends after its last request is ignored.
    if (error.code === 'HPE_CLOSED_CONNECTION') return;
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') {
      heads.onSlow();
    }
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (!socket.writable) socket.destroySoon();
    else {
      const refuse = (): void => sayLast(socket, meaningOf(error, heads.timeoutMs), newRequestId());
      turns.breakOff(socket, refuse, () => endConnection(socket));
    }
  });
  return closingUnheard(server, turns.hasUnanswered.bind(turns));
}

/**
 * What is wrong with a head that the parser has let through. A proxy on the way may have read it differently, so the
 * connection ends after it.
 */
function faultOf({
  headers,
  httpVersion,
  method,
  rawHeaders,
  url,
}: IncomingMessage): PitwallError | undefined {
  if (rawHeaders.length > 2 * maxHeaders) {
    return new PitwallError('headers_too_large', { detail: headersDetail });
  }
  const hosts = countOf('host', rawHeaders);
  if (hosts > 1) return new PitwallError('bad_request', { detail: 'there is more than one Host header' });
  if (hosts === 0 && httpVersion === '1.1') {
    return new PitwallError('bad_request', { detail: 'there is no Host header' });
  }
  if (headers.host !== undefined && !isHost(headers.host))
    return new PitwallError('bad_request', { detail: 'the Host header is no host' });
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.trim().toLowerCase() !== 'chunked')) {
    return new PitwallError('bad_request', {
      detail: 'the Transfer-Encoding of a body can only be chunked, in HTTP/1.1',
    });
  }
  if (url![0] === '*' && !(url === '*' && method === 'OPTIONS'))
    return new PitwallError('bad_request', { detail: 'an address begins with /; * is for OPTIONS alone' });
  if (url!.length > maxAddressBytes) return new PitwallError('address_too_long', { detail: addressDetail });
  return undefined;
}

const guards = Object.keys(guardingHeaders) as (keyof typeof guardingHeaders)[];

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) count++;
  }
  return count;
}

/** A certificate and its key, as the files have them. */
export interface TlsBytes {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export function readTls(tls: TlsFiles): TlsBytes {
  return { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
}

const headersDetail = `a request may have ${maxHeaders} headers, and ${maxHeaderBytes} bytes of them, at most`;
const addressDetail = `an address may have ${maxAddressBytes} bytes at most`;

interface ParserError extends Error {
  readonly code?: string;
  /** In the parser's words. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
}

function meaningOf(error: ParserError, headTimeoutMs: number): PitwallError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new PitwallError('request_timeout', {
      detail: `a request must be whole within ${requestTimeoutMs / 1000} seconds, its head within ${headTimeoutMs / 1000}`,
    });
  }
  if (error.code === 'HPE_PAUSED_H2_UPGRADE') {
    return new PitwallError('bad_request', { detail: 'this is HTTP/2, and HTTP/1.1 is spoken here' });
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW') {
    return new PitwallError('bad_request', {
      detail: `this cannot be read as HTTP: ${error.reason ?? error.message}`,
    });
  }
  // No line has ended yet: it is the first line, with the address, that is too long.
  const inAddress = error.rawPacket?.includes('\n') === false;
  return inAddress
    ? new PitwallError('address_too_long', { detail: addressDetail })
    : new PitwallError('headers_too_large', { detail: headersDetail });
}

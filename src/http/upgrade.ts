import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Turns } from './turns.ts';

/** Takes an upgrade, or leaves it: false, and nothing done. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/**
 * Offers upgrades to `take`, when what came before on the connection is answered. What it leaves is a plain request whose
 * client would rather speak another protocol: some (Java's, curl with --http2) offer HTTP/2 so with their first request,
 * and a server may ignore the offer (RFC 9110, section 7.8). Node no longer parses such a request, so it goes back to the
 * front of its socket without the offer, and to a new parser. Its answer is the last of the connection, so that whatever
 * the client sends after its offer, and for whomever, is never taken for a request.
 *
 * Node.js 22.21, 24.9 and later ask which offers are to be had; all others are plain requests to them, see `wasDeclined`. (From
 * 26 on Node.js reads the body of an offer as that of a request, so that it could not go back.)
 */
export function offerUpgrades(server: Server, turns: Turns, take: TakeUpgrade): void {
  if ('shouldUpgradeCallback' in server) server.shouldUpgradeCallback = isWebSocket;
  const putBack = ({ socket }: IncomingMessage, bytes: readonly Buffer[]): void => {
    socket.setTimeout(0);
    socket.unshift(Buffer.concat(bytes));
    server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
    socket.resume();
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (turns.hasUnanswered(socket)) {
      turns.giveAway(socket, () => putBack(request, [headOf(request), head]));
    } else if (!take(request, socket, head)) {
      putBack(request, [headOf(withoutOffer(request)), head]);
    }
  });
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return !hasBody && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/** Whether a request has come with an offer that nobody took: its answer is the last of the connection. */
export function wasDeclined({ headers: { connection, upgrade } }: IncomingMessage): boolean {
  return upgrade !== undefined && connection !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(connection);
}

type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>;

function headOf({ method, url, httpVersion, rawHeaders }: Head): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.from(`${head}\r\n`, 'latin1');
}

/** Headers that speak of the offer, and of what becomes of the connection. */
const offering = new Set(['upgrade', 'http2-settings', 'connection']);

function withoutOffer({ method, url, httpVersion, rawHeaders }: Head): Head {
  const kept = ['Connection', 'close'];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!offering.has(rawHeaders[i]!.toLowerCase())) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return { method, url, httpVersion, rawHeaders: kept };
}

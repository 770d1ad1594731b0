import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Takes an upgrade, or leaves it: false, and nothing done. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/**
 * Offers upgrades to `take`. What it leaves is a plain request whose client would rather speak another protocol: some
 * (Java's, curl with --http2) offer HTTP/2 so with their first request, and a server may ignore the offer (RFC 9110,
 * section 7.8). Node no longer parses such a request, so it goes back to the front of its socket without the offer,
 * and to a new parser.
 */
export function offerUpgrades(server: Server, take: TakeUpgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (take(request, socket, head)) return;
    socket.unshift(Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), head]));
    server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
  });
}

/** Headers that speak of the offer, and what stands of it in `Connection`. */
const offering = new Set(['upgrade', 'http2-settings']);

function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    if (name === 'connection') head += `connection: ${withoutOffer(value)}\r\n`;
    else if (!offering.has(name)) head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map((option) => option.trim());
  return options.filter((option) => !offering.has(option.toLowerCase())).join(', ') || 'keep-alive';
}

import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { createSlices } from './slices.ts';

/** Of all addresses. */
const ofAll = createSlices('tls handshakes');

export interface HandshakeOptions {
  /** A connection that has said nothing for so long is closed. */
  readonly silenceMs: number;
  readonly onSilent: () => void;
}

/**
 * Has a server agree on TLS in slices: to sign for a client takes most of a millisecond, and very many may ask for that at
 * one time. The server's own listeners get a connection when its first bytes have come and it is its turn. To be called
 * before there are others.
 */
export function agreeInSlices(
  server: Server,
  { silenceMs, onSilent }: HandshakeOptions,
  slices = ofAll,
): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const end = (): void => void socket.destroy();
    const silent = setTimeout(() => {
      onSilent();
      end();
    }, silenceMs);
    socket.once('close', () => clearTimeout(silent));
    socket.on('error', end);
    socket.once('end', end);
    socket.once('data', async (chunk: Buffer) => {
      clearTimeout(silent);
      socket.removeListener('end', end);
      socket.pause();
      socket.unshift(chunk);
      if (slices.isOver()) await slices.turn();
      if (socket.destroyed) return;
      for (const listener of listeners) listener.call(server, socket);
    });
  });
}

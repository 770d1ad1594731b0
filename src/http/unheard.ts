import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A server that is stopped can end who says nothing whole. */
export interface HearingServer extends Server {
  /** Ends connections on which there is no request that is not answered: not even a head, or a handshake, is whole. */
  closeUnheard(): void;
}

export function closingUnheard(server: Server, hasUnanswered: (socket: Duplex) => boolean): HearingServer {
  /** By the client's address and port: first as it comes, and once TLS is agreed on as what carries requests. */
  const open = new Map<string, Socket>();
  const keep = (socket: Socket): void => {
    const client = `${socket.remoteAddress} ${socket.remotePort}`;
    open.set(client, socket);
    socket.once('close', () => {
      if (open.get(client) === socket) open.delete(client);
    });
  };
  server.on('connection', keep).on('secureConnection', keep);
  return Object.assign(server, {
    closeUnheard() {
      // One that has had its last answer ends by itself.
      for (const socket of open.values())
        if (!socket.writableEnded && !hasUnanswered(socket)) socket.destroy();
    },
  });
}

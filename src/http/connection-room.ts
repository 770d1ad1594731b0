import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../log.ts';

/** The warning is repeated only after this share of the connections has gone. */
const calmShare = 0.1;

/**
 * Bounds the connections of several servers together, so that files are left for the work that they bring. A connection
 * beyond the bound is closed at once. Call it with each server when it listens. Every server may have one connection,
 * however many the others have.
 */
export function connectionRoom(most: number, log: Pick<Log, 'warn' | 'error'>): (server: Server) => void {
  /** Connections of each server. */
  const open = new Map<Server, number>();
  let total = 0;
  let isTold = false;

  function count(server: Server, change: 1 | -1): void {
    total += change;
    open.set(server, open.get(server)! + change);
    for (const [one, own] of open) one.maxConnections = Math.max(1, own + most - total);
    if (total <= most * (1 - calmShare)) isTold = false;
  }

  return (server) => {
    open.set(server, 0);
    server.maxConnections = Math.max(1, most - total);
    server.on('connection', (socket: Socket) => {
      count(server, 1);
      socket.once('close', () => count(server, -1));
    });
    server.on('drop', () => {
      if (isTold) return;
      isTold = true;
      log.warn({ open: total }, 'there are as many connections as there may be: more are closed');
    });
    // Without a listener it would end the process.
    server.on('error', (error) => log.error({ err: error }, 'a connection could not be taken'));
  };
}

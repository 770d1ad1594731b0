import type { Server, Socket } from 'node:net';
import { limitNotes } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { addressOf } from './client-address.ts';

export interface ConnectionRoomOptions {
  /** Connections over all servers. */
  readonly most: number;
  /** Connections of one client's address; undefined bounds none. */
  readonly mostPerAddress: number | undefined;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly metrics: Pick<Metrics, 'connections' | 'closedConnections'>;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
}

/**
 * Bounds the connections of several servers together, WebSockets too, so that files are left for the work that they bring.
 * A connection beyond the bound is closed at once. Call it with each server when it listens. Every server may have one
 * connection, however many the others have.
 */
export function connectionRoom(options: ConnectionRoomOptions): (server: Server) => void {
  const { most, mostPerAddress, log, metrics } = options;
  /** Connections of each server. */
  const open = new Map<Server, number>();
  const byAddress = new Map<string, number>();
  let total = 0;
  const noteFull = limitNotes(options.now, (times) =>
    log.warn({ times, open: total }, 'there are as many connections as there may be: more are closed'),
  );
  const noteAddress = limitNotes(options.now, (times) =>
    log.warn(
      { times, most: mostPerAddress },
      'an address has as many connections as it may have: more are closed',
    ),
  );
  for (const reason of ['too_many', 'too_many_of_address'] as const)
    metrics.closedConnections.inc({ reason }, 0);

  function count(server: Server, change: 1 | -1): void {
    total += change;
    metrics.connections.set(total);
    open.set(server, open.get(server)! + change);
    for (const [one, own] of open) one.maxConnections = Math.max(1, own + most - total);
  }

  /** Whether the address has room for it; counts it until it closes. */
  function hasRoom(socket: Socket, mostOfOne: number): boolean {
    const address = addressOf(socket.remoteAddress);
    const held = byAddress.get(address) ?? 0;
    if (held >= mostOfOne) return false;
    byAddress.set(address, held + 1);
    socket.once('close', () => {
      const left = byAddress.get(address)! - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    return true;
  }

  return (server) => {
    open.set(server, 0);
    server.maxConnections = Math.max(1, most - total);
    server.on('connection', (socket: Socket) => {
      count(server, 1);
      socket.once('close', () => count(server, -1));
      if (mostPerAddress === undefined || hasRoom(socket, mostPerAddress)) return;
      metrics.closedConnections.inc({ reason: 'too_many_of_address' });
      noteAddress();
      socket.destroy();
    });
    server.on('drop', () => {
      metrics.closedConnections.inc({ reason: 'too_many' });
      noteFull();
    });
    // Without a listener it would end the process.
    server.on('error', (error) => log.error({ err: error }, 'a connection could not be taken'));
  };
}

import type { AddressInfo, Server } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Hub } from '../hub/hub.ts';
import type { Address } from '../setting-values.ts';
import { closeServer } from './close-server.ts';
import { connectionRoom } from './connection-room.ts';
import type { TlsBytes } from './front.ts';
import type { Route } from './route.ts';
import { buildServer, type ServerOptions } from './server.ts';
import { stalledReaders } from './stalled-readers.ts';

/** The addresses of a service. They share the bounds of connections, and one watch of clients that take nothing. */
export interface Listeners {
  /**
   * Takes requests at an address, for these routes and, where there is one, the hub. Resolves with its URL; rejects where the
   * address cannot be had.
   */
  listen(address: Address, routes: readonly Route[], hub: Hub | undefined): Promise<string>;
  /** Has the connections of another server count among these, and cuts those whose clients take nothing. */
  watch(server: Server): void;
  /** Connections from now on get this certificate. */
  reloadTls(tls: TlsBytes): void;
  /** Takes no more requests, and resolves when those under way have ended. */
  close(): Promise<void>;
}

export interface ListenersOptions extends Omit<ServerOptions, 'routes' | 'hub'> {
  readonly maxConnections: number;
  /** Of one client's address; undefined bounds none. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** How long a client may take too little of what is sent to it; undefined cuts none. */
  readonly writeTimeoutMs: number | undefined;
}

export function createListeners(options: ListenersOptions): Listeners {
  const { tls, log, metrics } = options;
  const servers: FastifyInstance[] = [];
  const makeRoom = connectionRoom({
    most: options.maxConnections,
    mostPerAddress: options.maxConnectionsPerAddress,
    log,
    metrics,
    now: performance.now.bind(performance),
  });
  const stalled = stalledReaders({ timeoutMs: options.writeTimeoutMs, log, metrics });
  const stalledClock = setInterval(stalled.tick, stalled.tickMs);

  return {
    async listen({ host, port }, routes, hub) {
      const app = await buildServer({ ...options, routes, hub });
      servers.push(app);
      await app.listen({ host, port });
      makeRoom(app.server);
      stalled.watch(app.server);
      const { port: own } = app.server.address() as AddressInfo;
      return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${own}`;
    },
    watch(server) {
      makeRoom(server);
      stalled.watch(server);
    },
    reloadTls(fresh) {
      for (const { server } of servers) (server as unknown as TlsServer).setSecureContext(fresh);
    },
    async close() {
      await Promise.all(servers.map(closeServer));
      clearInterval(stalledClock);
    },
  };
}

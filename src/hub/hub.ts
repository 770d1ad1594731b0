import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Authenticate } from '../auth/authenticate.ts';
import { PitwallError } from '../errors.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Log } from '../log.ts';
import { fault } from '../wire/fault.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import type { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import { createCors } from './cors.ts';
import { credentialsReader } from './credentials.ts';
import { createDispatcher } from './dispatcher.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubMethod } from './hub-method.ts';
import { type LongPollingTransport, longPollingTransport } from './long-polling-transport.ts';
import { negotiate } from './negotiate.ts';
import { queryOf } from './query-string.ts';
import { readPost } from './read-post.ts';
import { refuse, refuseUpgrade } from './refuse.ts';
import { serverSentEventsTransport } from './server-sent-events-transport.ts';
import type { TransportName } from './transport.ts';
import { openWebSocketServer, webSocketsTransport } from './web-sockets-transport.ts';

/** The SignalR server at `/hub`: what an address of the service hands over to it, and its end. */
export interface Hub {
  /** Answers a request for the hub; false, and nothing done, for any other. */
  request(request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes the upgrade of a request to a WebSocket; false, and nothing done, for any other. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  readonly connectionCount: number;
  /** Looks at all deadlines: a second apart, more or less. */
  tick(): void;
  /** Takes nothing new, answers calls in flight, and sends everyone away to come back. */
  stop(): Promise<void>;
}

export interface HubOptions {
  readonly methods: readonly HubMethod[];
  readonly authenticate: Authenticate;
  readonly workspaceOfHost: WorkspaceOfHost;
  readonly limits: HubLimits;
  /** This node's name, in the token of each of its connections. */
  readonly node: string;
  readonly budget: ByteBudget;
  readonly room: () => Promise<void> | undefined;
  /** `*`, or origins with commas. */
  readonly corsOrigin: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly newRequestId: () => string;
  /** A connection that gets no more events. */
  readonly onEnding: (connection: Connection) => void;
}

export function createHub(options: HubOptions): Hub {
  const { limits, log, budget, newRequestId, now } = options;
  const credentialsOf = credentialsReader(options.authenticate, options.workspaceOfHost);
  const cors = createCors(options.corsOrigin);
  const connections = createConnections({
    ...options,
    dispatcher: createDispatcher(options.methods, budget, log),
  });
  const polls = new WeakMap<Connection, LongPollingTransport>();
  const posts = new WeakMap<Connection, Promise<void>>();
  const server = openWebSocketServer(limits.maxMessageBytes);
  let isStopping = false;

  const checkRunning = (): void => {
    if (isStopping) throw new PitwallError('shutting_down');
  };

  /** The connection that a request names, if it is the caller's, with the caller's latest credentials. */
  const connectionOf = (request: IncomingMessage, query: ReadonlyMap<string, string>): Connection => {
    const credentials = credentialsOf(request, query);
    const id = query.get('id');
    if (id === undefined || id === '')
      throw new PitwallError('bad_request', { detail: 'Connection ID required' });
    const connection = connections.find(id);
    if (connection === undefined || connection.workspace !== credentials.principal.workspace) {
      throw new PitwallError('not_found', { detail: 'No Connection with that ID' });
    }
    connection.authorise(credentials);
    return connection;
  };

  const onNegotiate = (
    request: IncomingMessage,
    response: ServerResponse,
    query: ReadonlyMap<string, string>,
  ): void => {
    if (request.method !== 'POST')
      throw new PitwallError('method_not_allowed', { detail: 'allowed here: POST' });
    const credentials = credentialsOf(request, query);
    checkRunning();
    const asString = wantsInt64Strings(query);
    const answer = negotiate(query.get('negotiateversion'), () => connections.open(credentials, asString));
    const body = JSON.stringify(answer);
    request.resume();
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-cache,no-store',
    });
    response.end(body);
  };

  const onGet = (
    request: IncomingMessage,
    response: ServerResponse,
    query: ReadonlyMap<string, string>,
  ): void => {
    const connection = connectionOf(request, query);
    if (request.headers.accept?.includes('text/event-stream')) {
      fixTransport(connection, 'ServerSentEvents');
      if (connection.transport !== undefined) throw inUse();
      serverSentEventsTransport(response, connection);
      return;
    }
    fixTransport(connection, 'LongPolling');
    let transport = polls.get(connection);
    if (transport === undefined) {
      transport = longPollingTransport(connection, now);
      polls.set(connection, transport);
    }
    transport.poll(response);
  };

  /** The answer means "received"; POSTs of one connection are taken in the order in which they began. */
  const onPost = async (
    request: IncomingMessage,
    response: ServerResponse,
    query: ReadonlyMap<string, string>,
  ) => {
    const connection = connectionOf(request, query);
    checkRunning();
    if (connection.transport === 'WebSockets') {
      throw new PitwallError('method_not_allowed', { detail: 'a WebSocket carries both directions' });
    }
    const reservation = budget.open();
    response.once('close', reservation.release);
    const before = posts.get(connection);
    let taken: () => void = () => {};
    posts.set(
      connection,
      new Promise((resolve) => {
        taken = resolve;
      }),
    );
    try {
      const body = await readPost(request, limits.maxMessageBytes, reservation);
      await before;
      if (isStopping || connection.state === 'closed') throw new PitwallError('shutting_down');
      await connection.receive(body);
    } catch (error) {
      if (error instanceof PitwallError && error.code === 'body_too_large')
        connection.apply('faulted', error.message);
      throw error;
    } finally {
      taken();
    }
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 0 });
    response.end();
  };

  const onDelete = (
    request: IncomingMessage,
    response: ServerResponse,
    query: ReadonlyMap<string, string>,
  ): void => {
    const connection = connectionOf(request, query);
    if (connection.transport !== 'LongPolling') {
      throw new PitwallError('bad_request', { detail: 'only a connection by Long Polling is ended so' });
    }
    connection.apply('lost');
    response.writeHead(202, { 'Content-Length': 0 });
    response.end();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    cors.allow(request, response);
    try {
      if (request.method === 'OPTIONS') {
        cors.preflight(request, response);
        return;
      }
      const query = queryOf(request.url!);
      if (path === negotiatePath) onNegotiate(request, response, query);
      else if (request.method === 'GET') onGet(request, response, query);
      else if (request.method === 'POST') await onPost(request, response, query);
      else if (request.method === 'DELETE') onDelete(request, response, query);
      else throw new PitwallError('method_not_allowed', { detail: `there is no ${request.method} here` });
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      request.resume();
      refuse(response, error, newRequestId(), log);
    }
  };

  return {
    get connectionCount() {
      return connections.count;
    },

    request(request, response) {
      const path = pathOf(request.url!);
      if (path === undefined) return false;
      answer(request, response, path);
      return true;
    },

    upgrade(request, socket, head) {
      if (pathOf(request.url!) !== hubPath || request.headers.upgrade?.toLowerCase() !== 'websocket')
        return false;
      // Until the handshake is through nobody else listens.
      socket.on('error', () => {});
      try {
        const query = queryOf(request.url!);
        const id = query.get('id');
        let connection: Connection;
        if (id === undefined || id === '') {
          const credentials = credentialsOf(request, query);
          checkRunning();
          connection = connections.open(credentials, wantsInt64Strings(query)).connection;
        } else {
          connection = connectionOf(request, query);
          fixTransport(connection, 'WebSockets');
          if (connection.transport !== undefined) throw inUse();
        }
        server.handleUpgrade(request, socket, head, (webSocket) =>
          webSocketsTransport(webSocket, socket, connection, budget),
        );
      } catch (error) {
        refuseUpgrade(socket, error, newRequestId(), log);
      }
      return true;
    },

    tick: () => connections.tick(),

    stop() {
      isStopping = true;
      return connections.stop();
    },
  };
}

const hubPath = '/hub';
const negotiatePath = '/hub/negotiate';

/** The path of the hub that an address has, or undefined for another; one slash at its end does not matter. */
function pathOf(url: string): typeof hubPath | typeof negotiatePath | undefined {
  if (!url.startsWith(hubPath)) return undefined;
  const path = url.split('?', 1)[0]!.replace(/\/$/, '');
  return path === hubPath || path === negotiatePath ? path : undefined;
}

/** The first request of a connection fixes its transport. */
function fixTransport({ transport, state }: Connection, asked: TransportName): void {
  if (transport !== undefined && transport !== asked) {
    throw new PitwallError('bad_request', { detail: 'Cannot change transports mid-connection' });
  }
  if (state === 'closed') throw new PitwallError('not_found', { detail: 'No Connection with that ID' });
}

function inUse(): PitwallError {
  return new PitwallError('connection_in_use', { detail: 'the connection already has its transport' });
}

function wantsInt64Strings(query: ReadonlyMap<string, string>): boolean {
  const form = query.get('int64');
  if (form === undefined || form === 'number') return false;
  if (form === 'string') return true;
  throw fault('invalid_value', 'int64', 'must be string or number');
}

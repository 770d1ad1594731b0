import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowed, PitwallError } from '../../errors.ts';
import type { LeastRate } from '../../ingest/least-rate.ts';
import { fault } from '../../wire/base/fault.ts';
import type { Connection } from '../connection/connection.ts';
import type { Connections, Opened } from '../connection/connections.ts';
import type { ReadCredentials } from '../connection/credentials.ts';
import type { Flushes } from '../connection/flushes.ts';
import type { TransportName } from '../connection/transport.ts';
import { type LongPollingTransport, longPollingTransport } from './long-polling-transport.ts';
import { negotiate } from './negotiate.ts';
import { createPostQueue } from './post-queue.ts';
import { serverSentEventsTransport } from './server-sent-events-transport.ts';

/**
 * What each request of a client means (TransportProtocols.md): it is admitted first, then its connection is found. All
 * reject with a PitwallError for a refusal. All but `connect` send the answer.
 */
export interface HttpConnectionDispatcher {
  /** `POST /hub/negotiate` */
  negotiate(request: IncomingMessage, response: ServerResponse, query: Query): Promise<void>;
  /** `GET /hub`: begins Server-Sent Events, or is a poll. */
  get(request: IncomingMessage, response: ServerResponse, query: Query): Promise<void>;
  /** `POST /hub`: bytes of the client. The answer means that they were received. */
  post(request: IncomingMessage, response: ServerResponse, query: Query): Promise<void>;
  /** `DELETE /hub`: ends a connection by Long Polling. */
  delete(request: IncomingMessage, response: ServerResponse, query: Query): Promise<void>;
  /**
   * The upgrade of `GET /hub`: the connection that gets the WebSocket, a new one where none is named. `attach` has to give it the
   * WebSocket at once: requests of one connection may have been admitted together.
   */
  connect(request: IncomingMessage, query: Query, attach: (connection: Connection) => void): Promise<void>;
}

/** Names in lower case. */
export type Query = ReadonlyMap<string, string>;

export interface HttpConnectionDispatcherParts {
  readonly connections: Connections;
  readonly flushes: Flushes;
  readonly credentialsOf: ReadCredentials;
  readonly leastRate: LeastRate;
  readonly isStopping: () => boolean;
  /** Milliseconds. */
  readonly now: () => number;
}

export function httpConnectionDispatcher(parts: HttpConnectionDispatcherParts): HttpConnectionDispatcher {
  const { connections, credentialsOf, now } = parts;
  const polls = new WeakMap<Connection, LongPollingTransport>();
  const receivePost = createPostQueue(parts.leastRate);

  const checkRunning = (): void => {
    if (parts.isStopping())
      throw new PitwallError('shutting_down', { detail: 'no more requests are taken; send it again' });
  };

  const open = async (request: IncomingMessage, query: Query): Promise<() => Opened> => {
    const credentials = await credentialsOf(request, query);
    checkRunning();
    const int64AsString = wantsInt64Strings(query);
    return () => connections.open(credentials, int64AsString);
  };

  /** The connection that a request names, if it is the caller's, with the caller's latest credentials. */
  const connectionOf = async (request: IncomingMessage, query: Query): Promise<Connection> => {
    const credentials = await credentialsOf(request, query);
    const id = query.get('id');
    if (id === undefined || id === '')
      throw new PitwallError('bad_request', { detail: 'Connection ID required' });
    const connection = connections.find(id);
    if (connection === undefined || connection.workspace !== credentials.principal.workspace)
      throw notFound();
    connection.authorise(credentials);
    return connection;
  };

  return {
    async negotiate(request, response, query) {
      const opened = await open(request, query);
      const body = JSON.stringify(negotiate(query.get('negotiateversion'), opened));
      request.resume();
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Cache-Control': 'no-cache,no-store',
      });
      response.end(body);
    },

    async get(request, response, query) {
      const connection = await connectionOf(request, query);
      if (response.destroyed) return;
      if (request.headers.accept?.includes('text/event-stream')) {
        fixTransport(connection, 'ServerSentEvents');
        if (connection.transport !== undefined) throw inUse();
        serverSentEventsTransport(response, connection, parts.flushes);
        return;
      }
      fixTransport(connection, 'LongPolling');
      let transport = polls.get(connection);
      if (transport === undefined) {
        transport = longPollingTransport(connection, now);
        polls.set(connection, transport);
      }
      transport.poll(response);
    },

    async post(request, response, query) {
      const connection = await connectionOf(request, query);
      checkRunning();
      if (connection.transport === 'WebSockets') {
        throw new MethodNotAllowed(['OPTIONS'], 'a WebSocket carries both directions');
      }
      await receivePost(request, connection);
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 0 });
      response.end();
    },

    async delete(request, response, query) {
      const connection = await connectionOf(request, query);
      if (connection.transport !== 'LongPolling') {
        throw new PitwallError('bad_request', { detail: 'only a connection by Long Polling is ended so' });
      }
      connection.apply('lost');
      request.resume();
      response.writeHead(202, { 'Content-Length': 0 });
      response.end();
    },

    async connect(request, query, attach) {
      const id = query.get('id');
      if (id === undefined || id === '') {
        attach((await open(request, query))().connection);
        return;
      }
      const connection = await connectionOf(request, query);
      fixTransport(connection, 'WebSockets');
      if (connection.transport !== undefined) throw inUse();
      attach(connection);
    },
  };
}

/** The first request of a connection fixes its transport. */
function fixTransport({ transport }: Connection, asked: TransportName): void {
  if (transport !== undefined && transport !== asked) {
    throw new PitwallError('bad_request', { detail: 'Cannot change transports mid-connection' });
  }
}

function notFound(): PitwallError {
  return new PitwallError('not_found', { detail: 'No Connection with that ID' });
}

function inUse(): PitwallError {
  return new PitwallError('connection_in_use', { detail: 'the connection already has its transport' });
}

function wantsInt64Strings(query: Query): boolean {
  const form = query.get('int64');
  if (form === undefined || form === 'number') return false;
  if (form === 'string') return true;
  throw fault('invalid_value', 'int64', 'must be string or number');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Admit } from '../auth/admit.ts';
import { MethodNotAllowed, PitwallError } from '../errors.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { createSlices, type Slices } from '../turns/slices.ts';
import type { Connection } from './connection/connection.ts';
import { createConnections } from './connection/connections.ts';
import { credentialsReader } from './connection/credentials.ts';
import { createDispatcher } from './connection/dispatcher.ts';
import { createEventEncoding } from './connection/event-encoding.ts';
import { createFlushes } from './connection/flushes.ts';
import type { HubLimits } from './connection/hub-limits.ts';
import { createHubMeter } from './connection/hub-meter.ts';
import type { HubMethod } from './connection/hub-method.ts';
import { createQueueMemory } from './connection/queue-memory.ts';
import { createCors } from './transports/cors.ts';
import { httpConnectionDispatcher } from './transports/http-connection-dispatcher.ts';
import { queryOf } from './transports/query-string.ts';
import { refuse, refuseUpgrade } from './transports/refuse.ts';
import { openWebSocketServer, webSocketsTransport } from './transports/web-sockets-transport.ts';

/** The SignalR server at `/hub`: what an address of the service hands over to it, and its end. */
export interface Hub {
  /** Answers a request for the hub; false, and nothing done, for any other. */
  request(request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes the upgrade of a request to a WebSocket; false, and nothing done, for any other. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  readonly connectionCount: number;
  /** Bytes that wait for readers, as they stand in memory. */
  readonly queueBytes: number;
  /** Looks at all deadlines: a second apart, more or less. */
  tick(): void;
  /** Takes nothing new, answers calls in flight, and sends everyone away to come back. */
  stop(): Promise<void>;
}

export interface HubOptions {
  readonly methods: readonly HubMethod[];
  readonly admit: Admit;
  readonly limits: HubLimits;
  /** This node's name, in the token of each of its connections. */
  readonly node: string;
  readonly budget: ByteBudget;
  readonly leastRate: LeastRate;
  readonly room: () => Promise<void> | undefined;
  /** `*`, or origins with commas. */
  readonly corsOrigin: string;
  /** Milliseconds, from any origin; of a clock that is never set. */
  readonly now: () => number;
  /** The time that all connections share; by the clock where absent. */
  readonly slices?: Slices;
  /** The time of what goes out: encoding events and writing to sockets; by the clock where absent. */
  readonly outgoingSlices?: Slices;
  /** A reader was closed because all readers together waited for too much. */
  readonly onReaderLetGo?: () => void;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly newRequestId: () => string;
  /** Told why a call fails whose client asked for no answer. */
  readonly onUnheard: (error: string) => void;
  /** A connection that gets no more events. */
  readonly onEnding: (connection: Connection) => void;
}

/** The share (ms) of each turn of the event loop that messages to clients have. */
const outgoingSliceMs = 2;

export function createHub(options: HubOptions): Hub {
  return new HubServer(options);
}

class HubServer implements Hub {
  readonly #options: HubOptions;
  readonly #meter;
  /** What queues of all connections hold. */
  readonly #memory;
  /** Shared by all that goes to readers. */
  readonly #outgoing;
  readonly #flushes;
  readonly #cors;
  readonly #connections;
  /** No more connections are taken. */
  #isStopping = false;
  /** Of requests of the hub: negotiation, long polling, server-sent events. */
  readonly #dispatcher;
  /** Of WebSockets. */
  readonly #server;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#meter = createHubMeter(options.metrics, options.onReaderLetGo);
    this.#memory = createQueueMemory(options.limits.maxTotalQueueBytes);
    this.#outgoing = options.outgoingSlices ?? createSlices('live readers', outgoingSliceMs);
    this.#flushes = createFlushes(this.#outgoing);
    this.#cors = createCors(options.corsOrigin);
    this.#connections = createConnections({
      ...options,
      meter: this.#meter,
      memory: this.#memory,
      encoding: createEventEncoding(this.#outgoing, this.#memory),
      dispatcher: createDispatcher({ ...options, meter: this.#meter }),
      slices: options.slices ?? createSlices('hub'),
    });
    this.#dispatcher = httpConnectionDispatcher({
      ...options,
      connections: this.#connections,
      flushes: this.#flushes,
      credentialsOf: credentialsReader(options.admit),
      isStopping: () => this.#isStopping,
    });
    this.#server = openWebSocketServer(options.limits.maxUnfinishedBytes);
    // Without a listener the library would answer a wrong request for a WebSocket with a page of its own.
    this.#server.on('wsClientError', ({ message }, socket, request) => {
      const error =
        request.method === 'GET'
          ? new PitwallError('bad_request', { detail: message })
          : new MethodNotAllowed(['GET'], message);
      this.#meter.answered(
        hubPath,
        refuseUpgrade(socket, error, options.newRequestId(), options.log, spokenVersions),
      );
    });
  }

  readonly request = (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathOf(request.url!);
    if (path === undefined) return false;
    this.#answer(request, response, path);
    return true;
  };

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): boolean => {
    if (pathOf(request.url!) !== hubPath || request.headers.upgrade?.toLowerCase() !== 'websocket')
      return false;
    // Nobody else listens before the handshake is done.
    socket.on('error', () => {});
    this.#connect(request, socket, head);
    return true;
  };

  readonly tick = (): void => {
    this.#connections.tick();
  };

  readonly stop = (): Promise<void> => {
    this.#isStopping = true;
    return this.#connections.stop();
  };

  get connectionCount(): number {
    return this.#connections.count;
  }

  get queueBytes(): number {
    return this.#memory.used;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, path: HubPath): Promise<void> {
    const { method } = request;
    response.once('close', () => {
      // A poll that its client has given up was not answered.
      if (response.headersSent) this.#meter.answered(path, response.statusCode);
    });
    this.#cors.allow(request, response);
    try {
      if (method === 'OPTIONS') {
        this.#cors.preflight(request, response, methodsOf[path]);
        return;
      }
      if (!methodsOf[path].includes(method!)) throw new MethodNotAllowed([...methodsOf[path], 'OPTIONS']);
      const query = queryOf(request.url!);
      if (path === negotiatePath) {
        this.#cors.check(request);
        await this.#dispatcher.negotiate(request, response, query);
      } else if (method === 'GET') await this.#dispatcher.get(request, response, query);
      else if (method === 'POST') await this.#dispatcher.post(request, response, query);
      else await this.#dispatcher.delete(request, response, query);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      request.resume();
      refuse(response, error, this.#options.newRequestId(), this.#options.log);
    }
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      this.#cors.check(request);
      await this.#dispatcher.connect(request, queryOf(request.url!), (connection) =>
        this.#server.handleUpgrade(request, socket, head, (webSocket) => {
          this.#meter.answered(hubPath, 101);
          webSocketsTransport(
            webSocket,
            socket,
            connection,
            this.#options.budget,
            this.#meter,
            this.#flushes,
          );
        }),
      );
    } catch (error) {
      this.#meter.answered(
        hubPath,
        refuseUpgrade(socket, error, this.#options.newRequestId(), this.#options.log),
      );
    }
  }
}

/** A client that asks for another version learns from it which there are (RFC 6455, section 4.4). */
const spokenVersions = { 'Sec-WebSocket-Version': '13, 8' };

const hubPath = '/hub';
const negotiatePath = '/hub/negotiate';
type HubPath = typeof hubPath | typeof negotiatePath;

/** Beside OPTIONS, which browsers ask first. */
const methodsOf: Readonly<Record<HubPath, readonly string[]>> = {
  [hubPath]: ['GET', 'POST', 'DELETE'],
  [negotiatePath]: ['POST'],
};

/** The path of the hub that an address has, or undefined for another; one slash at its end does not matter. */
function pathOf(url: string): HubPath | undefined {
  if (!url.startsWith(hubPath)) return undefined;
  const path = url.split('?', 1)[0]!.replace(/\/$/, '');
  return path === hubPath || path === negotiatePath ? path : undefined;
}

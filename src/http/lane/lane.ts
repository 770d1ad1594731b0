import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission, Admit } from '../../auth/admit.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { isEnded } from '../../query/bounds/running-queries.ts';
import { during } from '../../turns/long-turns.ts';
import { type BegunChunks, beginChunks } from '../begin-chunks.ts';
import { problemAnswer } from '../problem-reply.ts';
import type { Answer, Call, Route } from '../route.ts';
import type { HandedOn } from './handed-on.ts';
import { driveSocket, type LaneClient, type LaneConnection } from './lane-socket.ts';
import { type PlainRequest, plainRequestReader } from './plain-request.ts';
import { answerHeads, sendInChunks, sendWhole } from './send-answer.ts';

export interface LaneOptions {
  /** The plain ones of them are answered here. */
  readonly routes: readonly Route[];
  readonly admit: Admit;
  readonly maxBodyBytes: number;
  /** How long a new connection may be silent. */
  readonly headTimeoutMs: number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly newRequestId: () => string;
  readonly isStopping: () => boolean;
}

/**
 * Answers plain requests (plain-request.ts) straight from the socket, before Node's HTTP server sees the connection:
 * where a request is about a few rows, its parser, its streams and its answers cost more than the rows.
 *
 * Everything else is handed over with its bytes to the listeners that the server has had so far, and the connection is
 * theirs from then on. So is a request that is not admitted, with the refusal, which is told there; and one whose token
 * the store has to look for.
 */
export function openLane(server: Server, options: LaneOptions, handedOn: HandedOn): void {
  const { log } = options;
  const { read, remember } = plainRequestReader(options.routes);
  const mostOf = ({ body }: Route): number =>
    Math.min(options.maxBodyBytes, body?.limits?.maxBytes ?? Infinity);
  const headOf = answerHeads();
  const count = answerCounter(options.metrics);
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const connections = new Set<LaneConnection>();

  function answer(chunk: Buffer, client: LaneClient) {
    // The framework logs each request; the lane does not.
    if (options.isStopping() || log.isLevelEnabled('debug')) return undefined;
    const request = read(chunk);
    if (request === undefined || request.body.length > mostOf(request.route)) return undefined;
    const admission = begin(request, options.admit);
    if (!(admission instanceof Promise)) {
      remember();
      return run(request, admission, client);
    }
    handedOn.put(client.socket, request.route, request, admission);
    return undefined;
  }

  async function run(
    { route, params, accept, body }: PlainRequest,
    { principal, isOperator, reservation }: Admission,
    client: LaneClient,
  ) {
    const start = performance.now();
    let made: Answer;
    let beginning: BegunChunks;
    try {
      reservation.take(body.length);
      const call: Call = {
        principal,
        isOperator,
        params,
        query: noQuery,
        accept,
        contentType: 'application/json',
        acceptEncoding: undefined,
        ifMatch: undefined,
        ifNoneMatch: undefined,
        body,
        reservation,
        signal: () => client.left,
      };
      // What writes are spent on, the writer names.
      made = await (route.interface === 'writer'
        ? route.handle(call)
        : during(route.path, () => route.handle(call)));
      beginning = made.chunks === undefined ? bodyOf(made) : await beginChunks(made.chunks);
    } catch (error) {
      if (isOfLeaving(error, client)) client.socket.destroy();
      made = client.socket.destroyed ? nobodyAsks : problemAnswer(error, options.newRequestId(), log);
      beginning = bodyOf(made);
    }
    const isLast = client.hasEnded() || options.isStopping();
    if (made !== nobodyAsks) count(route, made.status ?? 200, start);
    if (beginning.rest === undefined) {
      const head = headOf(made, beginning.bytes, isLast);
      sendWhole(client.socket, head, beginning, reservation);
    } else {
      await sendLong(headOf(made, 'chunked', isLast), beginning, client, made.ended);
      reservation.end();
    }
    return { isLast };
  }

  /** The status has left with the head, so an error in the rest cuts the connection. */
  async function sendLong(
    head: string | Buffer,
    beginning: BegunChunks,
    { socket, left }: LaneClient,
    ended = left,
  ): Promise<void> {
    try {
      await sendInChunks(socket, head, beginning, ended);
    } catch (error) {
      if (!left.aborted && !isEnded(ended.reason))
        log.error({ err: error, requestId: options.newRequestId() }, 'an answer broke off');
      socket.destroy();
    }
  }

  const handOver = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket);
  };
  const socketsOf = (isWanted: (connection: LaneConnection) => boolean): Socket[] =>
    [...connections].filter(isWanted).map(({ socket }) => socket);
  const onSilent = (): void => options.metrics.closedConnections.inc({ reason: 'silent' });
  server.on('connection', (socket: Socket) => {
    driveSocket(socket, {
      answer,
      handOver,
      onSilent,
      silenceMs: options.headTimeoutMs,
      keepAliveMs: server.keepAliveTimeout,
      connections,
    });
  });
  alsoClose(server, 'closeIdleConnections', () =>
    socketsOf(({ socket, isBusy }) => !isBusy && hasSentAll(socket)),
  );
  alsoClose(server, 'closeAllConnections', () => socketsOf(() => true));
}

const noQuery = {};
/** The client has left. */
const nobodyAsks: Answer = {};

/** Whether a request was given up because its client has left. Other errors are answered: the client may still listen. */
function isOfLeaving(error: unknown, { left }: LaneClient): boolean {
  return left.aborted && error === left.reason;
}

/** The outcome of admitting a request; a refusal as a promise that rejects. */
function begin(request: PlainRequest, admit: Admit): Admission | Promise<Admission> {
  try {
    return admit(request.route, request);
  } catch (error) {
    return Promise.reject(error);
  }
}

function bodyOf({ body }: Answer): BegunChunks {
  if (body === undefined) return noBody;
  const bytes = Buffer.from(body);
  return { begun: [bytes], bytes: bytes.length, rest: undefined };
}

const noBody: BegunChunks = { begun: [], bytes: 0, rest: undefined };

/** Answers whose times are kept before they are counted. */
const keptTimes = 256;

/** Counts an answer, with the time since its `start`: in batches, for counting one costs more than its share. */
function answerCounter(metrics: Metrics): (route: Route, status: number, start: number) => void {
  const counters = new Map<Route, (seconds: number) => void>();
  const counterOf = ({ path: route }: Route) => {
    const answered = metrics.requests.labels({ route, status: 200 });
    const observed = metrics.requestSeconds.labels({ route });
    const times = new Float64Array(keptTimes);
    let kept = 0;
    const tell = () => {
      answered.inc(kept);
      for (let i = 0; i < kept; i++) observed.observe(times[i]!);
      kept = 0;
    };
    metrics.beforeReading(tell);
    return (seconds: number) => {
      times[kept++] = seconds;
      if (kept === keptTimes) tell();
    };
  };
  return (route, status, start) => {
    const seconds = (performance.now() - start) / 1000;
    if (status !== 200) {
      metrics.requests.inc({ route: route.path, status });
      metrics.requestSeconds.observe({ route: route.path }, seconds);
      return;
    }
    let counter = counters.get(route);
    if (counter === undefined) {
      counter = counterOf(route);
      counters.set(route, counter);
    }
    counter(seconds);
  };
}

function hasSentAll({ writableLength }: Socket): boolean {
  return writableLength === 0;
}

/** The server's own method knows only connections that were handed over to it. */
function alsoClose(
  server: Server,
  method: 'closeIdleConnections' | 'closeAllConnections',
  sockets: () => Iterable<Socket>,
): void {
  const own = server[method].bind(server);
  server[method] = () => {
    own();
    for (const socket of sockets()) socket.destroy();
  };
}

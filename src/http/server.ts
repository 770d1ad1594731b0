import type { Server } from 'node:http';
import cors from '@fastify/cors';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Admit, Shown } from '../auth/admit.ts';
import { warningHeader } from '../domain/warning.ts';
import { PitwallError } from '../errors.ts';
import type { Hub } from '../hub/hub.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import { limitNotes } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { during } from '../turns/long-turns.ts';
import { readAhead } from '../wire/json/in-slices.ts';
import { bodyRules, contentTypeOf, readBody } from './body.ts';
import { addVary, compressAnswer } from './compress-answer.ts';
import { docsPage } from './docs-page.ts';
import { createFront, type TlsFiles } from './front.ts';
import { type LogOrder, reachedOf, sequenceHeader } from './in-order.ts';
import { createHandedOn, type HandedOn } from './lane/handed-on.ts';
import { openLane } from './lane/lane.ts';
import { openApiRoute } from './openapi.ts';
import { answerOptions } from './options.ts';
import { asPitwallError, endWhereCutShort, sendProblem, unknownAddress } from './problem-reply.ts';
import { checkQueryNames } from './query-names.ts';
import { type Answer, type Call, expiredRowsHeader, gainsFromCompression, type Route } from './route.ts';
import { sendChunks } from './send-chunks.ts';

export interface ServerOptions {
  /** What this address serves. */
  readonly routes: readonly Route[];
  /** Answers at `/hub`; undefined on an address that does not serve it. */
  readonly hub: Hub | undefined;
  readonly admit: Admit;
  readonly maxBodyBytes: number;
  /** How long the head of a request may take. */
  readonly headTimeoutMs: number;
  readonly leastRate: LeastRate;
  /** `*`, or origins with commas. */
  readonly corsOrigin: string;
  readonly tls: TlsFiles | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly newRequestId: () => string;
  /** Of a node among replicas. */
  readonly order?: LogOrder | undefined;
  /** True from the moment the service stops: what still comes in on open connections is sent away. */
  readonly isStopping: () => boolean;
}

/**
 * Builds the server of one address of the service: its routes behind authentication, body reading and error answers.
 */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, newRequestId } = options;
  const handedOn = createHandedOn();
  const noteSlow = limitNotes(performance.now.bind(performance), (times) =>
    log.warn({ times }, 'requests did not become whole in time: their connections are closed'),
  );
  const { closedConnections } = options.metrics;
  for (const reason of ['slow', 'silent']) closedConnections.inc({ reason }, 0);
  const onSlow = (): void => {
    closedConnections.inc({ reason: 'slow' });
    noteSlow();
  };
  const app = fastify({
    serverFactory(handler): Server {
      const heads = { timeoutMs: options.headTimeoutMs, onSlow };
      const server = createFront(handler, options.hub, options.tls, newRequestId, heads);
      if (options.tls === undefined) openLane(server, options, handedOn);
      return server;
    },
    genReqId: newRequestId,
    logger: false,
    return503OnClosing: false,
    // The front has its own, which lets what is under way be answered first.
    clientErrorHandler: () => {},
    routerOptions: { maxParamLength: 8192 },
    // Without factories of ours the framework loads those of JSON Schema, and that takes a tenth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, _request, reply) => sendProblem(reply as FastifyReply, error, log),
  });
  // No route has it. Of a method with a body the framework asks for a Content-Type before it says that there is none.
  app.addHttpMethod('QUERY', { overrideExisting: true });
  // The body stays on the socket until the caller is known and the budget has room: readBody takes it from there.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.setErrorHandler((error, _request, reply) =>
    hasLeft(reply) ? forget(reply, log) : sendProblem(reply, error, log),
  );
  app.addHook('onResponse', (request, reply, next) => {
    observe(request, reply, options);
    next();
  });

  const origin = options.corsOrigin === '*' ? '*' : options.corsOrigin.split(',').map((part) => part.trim());
  await app.register(cors, {
    origin,
    exposedHeaders: [
      'Pitwall-Next-Cursor',
      expiredRowsHeader,
      sequenceHeader,
      warningHeader,
      'ETag',
      'Retry-After',
      'WWW-Authenticate',
    ],
    maxAge: 86_400,
    strictPreflight: false,
    preflightContinue: true,
  });
  const routes = [...options.routes, openApiRoute(options.routes), ...docsPage()];
  app.addHook('onRequest', (request, reply, next) => {
    if (request.method === 'OPTIONS') answerOptions(routes, request, reply);
    else next();
  });
  for (const route of routes) {
    for (const url of urlsOf(route)) {
      app.route({
        method: route.method,
        url,
        ...(gainsFromCompression(route) && { onSend: compressAnswer }),
        handler: (request, reply) => runIn(route, request, reply, options, handedOn),
      });
    }
  }
  app.setNotFoundHandler((request) => {
    throw unknownAddress(routes, request);
  });
  return app;
}

/** Clients of other services are given an address to which they may add a slash. */
function urlsOf({ path, dialect }: Route): string[] {
  return dialect === undefined || path.endsWith('*') ? [path] : [path, `${path}/`];
}

/** No route gives the framework a schema: each reads its own parameters and bodies, and makes its own answers. */
function noSchemas(): never {
  throw new Error('the framework is given no schemas');
}

/** A dialect has its own form of errors. */
function runIn(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
  handedOn: HandedOn,
) {
  const running = run(route, request, reply, options, handedOn);
  const { dialect } = route;
  if (dialect === undefined) return running;
  return running.catch((thrown: unknown) => {
    // Nobody reads what would be said.
    if (hasLeft(reply)) throw thrown;
    const error = asPitwallError(thrown);
    if (error.code === 'internal')
      options.log.error({ err: thrown, requestId: request.id }, 'a request failed');
    endWhereCutShort(error, reply);
    const headers = { ...request.headers, 'content-type': contentTypeOf(request.raw) };
    return send(dialect.refuse(error, headers), reply, options.log);
  });
}

async function run(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
  handedOn: HandedOn,
) {
  if (options.isStopping() && route.interface !== 'service') {
    reply.header('connection', 'close');
    throw new PitwallError('shutting_down', { detail: 'no more requests are taken; send it again' });
  }
  if (options.order !== undefined)
    await reachedOf(request.headers[sequenceHeader.toLowerCase()], options.order);
  const shown: Shown = { authorization: authorizationOf(route, request), host: request.headers.host };
  const admission = await (handedOn.take(request.raw.socket, route, shown) ?? options.admit(route, shown));
  if (hasLeft(reply)) throw new PitwallError('bad_request', { detail: 'the client left' });
  const { reservation } = admission;
  reply.raw.once('close', () => reservation.end());
  if (reply.raw.destroyed) reservation.end();
  checkQueryNames(route, request.query as Record<string, unknown>);
  const body =
    route.body === undefined
      ? empty
      : await readBody(
          request.raw,
          bodyRules(route.body, options.maxBodyBytes),
          reservation,
          options.leastRate,
        );
  const signal = (): AbortSignal => abortOnLeave(reply);
  const { limits, anyType } = route.body ?? {};
  if (limits !== undefined && anyType !== true && route.readsAhead !== true)
    await readAhead(body, limits, reservation, signal);
  const call: Call = {
    principal: admission.principal,
    isOperator: admission.isOperator,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    accept: request.headers.accept,
    contentType: contentTypeOf(request.raw),
    acceptEncoding: request.headers['accept-encoding'],
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    body,
    reservation,
    signal,
  };
  const answer = await during(route.path, () => route.handle(call));
  return send(answer, reply, options.log);
}

function authorizationOf({ dialect }: Route, { headers, query }: FastifyRequest): string | undefined {
  return dialect === undefined
    ? headers.authorization
    : dialect.authorization(headers, query as Record<string, unknown>);
}

const empty = Buffer.alloc(0);

function send(answer: Answer, reply: FastifyReply, log: Log) {
  reply.code(answer.status ?? 200);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.challenges !== undefined) reply.header('www-authenticate', [...answer.challenges]);
  if (answer.type !== undefined) reply.type(answer.type);
  if (answer.vary !== undefined) addVary(answer.vary, reply);
  return answer.chunks === undefined
    ? reply.send(answer.body)
    : sendChunks(answer.chunks, reply, log, answer.ended);
}

function hasLeft({ raw }: FastifyReply): boolean {
  return raw.destroyed && !raw.writableFinished;
}

/** A request whose client left before its answer is no failure, and there is nobody to answer. */
function forget(reply: FastifyReply, log: Log): void {
  log.debug({ requestId: reply.request.id }, 'the client left before its answer');
  reply.hijack();
}

function abortOnLeave(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new PitwallError('bad_request', { detail: 'the client left' }));
  if (reply.raw.destroyed) abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort();
  });
  return controller.signal;
}

/** Counts and, at debug level, logs an answer: by the route's pattern, never with payload, token or query. */
function observe(request: FastifyRequest, reply: FastifyReply, { log, metrics }: ServerOptions): void {
  const route = (request.routeOptions.url ?? 'unknown').replace(/(?<=.)\/$/, '');
  const milliseconds = reply.elapsedTime;
  metrics.requests.inc({ route, status: reply.statusCode });
  metrics.requestSeconds.observe({ route }, milliseconds / 1000);
  if (!log.isLevelEnabled('debug')) return;
  log.debug(
    { requestId: request.id, method: request.method, route, status: reply.statusCode, milliseconds },
    'answered',
  );
}

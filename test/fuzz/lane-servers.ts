import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { createAdmit } from '../../src/auth/admit.ts';
import { createAuthenticate } from '../../src/auth/authenticate.ts';
import { PitwallError } from '../../src/errors.ts';
import type { Answer, Call, Route } from '../../src/http/route.ts';
import { buildServer } from '../../src/http/server.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../src/ingest/least-rate.ts';
import { createLog, type Log } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import { workspaceOfHost } from '../../src/workspaces/host-pattern.ts';

/** Two servers of the same routes: one answers plain requests in the lane, the other answers all with the framework. */
export interface TwoWays {
  readonly lanePort: number;
  readonly frameworkPort: number;
  /** How many requests the routes of the lane's server have answered in the lane. */
  readonly laneAnswers: () => number;
  close(): Promise<void>;
}

export const laneToken = 'a-token-for-the-lane';

const about = { summary: '', plain: true, body: { schema: Type.Unknown(), optional: false } } as const;

/** The addresses that the lane serves in the real service, with handlers that say what reached them. */
export const echoRoutes: readonly Route[] = [
  {
    ...about,
    method: 'POST',
    path: '/topics/:topic/streams/:streamId/parameters/data',
    interface: 'writer',
    scope: 'write',
    handle: echo,
  },
  { ...about, method: 'POST', path: '/parameters/data', interface: 'query', scope: 'read', handle: echo },
];

/** The form of the answer depends on the body, so that all forms are compared. */
function echo({ principal, params, query, accept, ifNoneMatch, body }: Call): Answer {
  const told = JSON.stringify({
    principal,
    params,
    query,
    accept,
    ifNoneMatch,
    body: Buffer.from(body).toString('base64'),
  });
  switch (body.length % 5) {
    case 0:
      return {};
    case 1:
      return { type: 'application/json; charset=utf-8', body: told };
    case 2:
      return { type: 'text/csv', vary: 'Accept', headers: { 'X-Told': 'yes' }, chunks: [Buffer.from(told)] };
    case 3:
      throw new PitwallError('invalid_value', { detail: told });
    default:
      return { status: 503, type: 'text/plain; charset=utf-8', headers: { 'Retry-After': '5' }, body: told };
  }
}

export async function serveBothWays(): Promise<TwoWays> {
  const metrics = createMetrics();
  let laneAnswers = 0;
  const counting = echoRoutes.map((route) => ({
    ...route,
    handle(call: Call) {
      laneAnswers++;
      return route.handle(call);
    },
  }));
  // Each request is told of at debug, which is the framework's work.
  const debug = pino({ level: 'debug' }, new Writable({ write: (_chunk, _encoding, done) => done() }));
  const lane = await listen(counting, createLog('silent'), metrics);
  const framework = await listen(echoRoutes, debug, createMetrics());
  return {
    lanePort: portOf(lane),
    frameworkPort: portOf(framework),
    laneAnswers: () => laneAnswers,
    async close() {
      for (const app of [lane, framework]) {
        app.server.closeAllConnections();
        await app.close();
      }
    },
  };
}

async function listen(
  routes: readonly Route[],
  log: Log,
  metrics: ReturnType<typeof createMetrics>,
): Promise<FastifyInstance> {
  const app = await buildServer({
    routes,
    hub: undefined,
    admit: createAdmit({
      authenticate: createAuthenticate({
        catalog: {
          tokenByHash: () => undefined,
          workspace: () => undefined,
          refresh: () => undefined,
          document: () => undefined,
          workspaces: () => [],
        },
        operatorToken: laneToken,
        now: () => 0,
      }),
      workspaceOfHost: workspaceOfHost('{service}-{workspace}', ''),
      budget: createByteBudget(1_000_000),
      metrics,
    }),
    maxBodyBytes: 1000,
    headTimeoutMs: 20_000,
    leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
    corsOrigin: '*',
    tls: undefined,
    log,
    metrics,
    newRequestId: () => 'request',
    isStopping: () => false,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

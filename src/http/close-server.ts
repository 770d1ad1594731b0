import type { FastifyInstance } from 'fastify';
import type { HearingServer } from './unheard.ts';

/** How long a head that is on its way may take: it is answered with 503. */
const headPatienceMs = 2000;
/** How long requests under way may take to end before their connections are cut. */
const stopPatienceMs = 30_000;
/** How often connections that have become idle are closed while stopping. */
const idleSweepMs = 50;

/** Stops listening and waits for requests under way; connections are closed as they become idle. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const server = app.server as HearingServer;
  const heardUntil = performance.now() + headPatienceMs;
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    if (performance.now() > heardUntil) server.closeUnheard();
  }, idleSweepMs);
  const patience = setTimeout(() => server.closeAllConnections(), stopPatienceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}

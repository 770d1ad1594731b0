import type { FastifyInstance } from 'fastify';

/** How long requests under way may take to end before their connections are cut. */
const stopPatienceMs = 30_000;
/** How often connections that have become idle are closed while stopping. */
const idleSweepMs = 50;

/** Stops listening and waits for requests under way; connections are closed as they become idle. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs);
  const patience = setTimeout(() => app.server.closeAllConnections(), stopPatienceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}

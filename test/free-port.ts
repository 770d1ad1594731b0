import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below these, systems give no port to who asks for any: who starts again later finds the port still free. */
const ports = { first: 12_000, behind: 32_768 } as const;

/** Ports that were given: nobody may listen there yet. */
const given = new Set<number>();

/** A port that nobody listens at, and that was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.behind);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

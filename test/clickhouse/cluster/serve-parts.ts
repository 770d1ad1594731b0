import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { partStream, partStreamVersion } from './part-stream.ts';

/** Hands the parts of a server's tables over to other replicas, as ClickHouse does at its interserver port. Listens until it is closed. */
export async function serveParts(dataDir: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    const { searchParams } = new URL(request.url ?? '/', 'http://replica');
    const [, database, table] = pathOfTable.exec(searchParams.get('endpoint') ?? '') ?? [];
    const part = searchParams.get('part') ?? '';
    try {
      const bytes = partStream(join(dataDir, 'data', database!, table!, part));
      response.setHeader('Set-Cookie', `server_protocol_version=${partStreamVersion}`).end(bytes);
    } catch {
      // It asks again, or another replica.
      response.writeHead(500).end(`Code: 232. DB::Exception: No part ${part} in table. (NO_SUCH_DATA_PART)`);
    }
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Of the tables' paths in Keeper, as the schema makes them. */
const pathOfTable = /\/clickhouse\/tables\/[^/]+\/([^/]+)\/([^/]+)\/replicas\//;

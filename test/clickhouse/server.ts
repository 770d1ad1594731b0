// The real engine of ClickHouse behind as much of ClickHouse's HTTP interface as its official client needs.
//
//   node server.js --data-dir FOLDER --port PORT --user USER --password PASSWORD [--cluster JSON]
//
// Prints `engine listening on PORT`. Ends with SIGTERM, and when its standard input ends, as it does when the process
// that started it is gone.
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEnginePool } from './engine-pool.ts';
import { type Asked, readRequest } from './http-request.ts';
import { answerWith, refuse } from './http-response.ts';
import { alone, type LoneCluster, writeConfiguration } from './lone-server.ts';
import { loadNative } from './native.ts';

const text = { type: 'string' } as const;
const { values: options } = parseArgs({
  options: { 'data-dir': text, port: text, user: text, password: text, cluster: text },
});
const dataDir = options['data-dir']!;

const login = { user: options.user!, password: options.password! };
const cluster = options.cluster === undefined ? undefined : (JSON.parse(options.cluster) as LoneCluster);

const configured = cluster === undefined ? undefined : writeConfiguration(dataDir, cluster);
const native = loadNative();
const pool = openEnginePool(native, dataDir, configured === undefined ? [] : [`--config-file=${configured}`]);
const folder = join(dataDir, 'incoming');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => refuse(response, error.message));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine');
  const isQuestion = request.method === 'POST' || searchParams.has('query');
  if (pathname === '/ping' || (pathname === '/' && !isQuestion)) {
    response.end('Ok.\n');
    return;
  }
  if (pathname !== '/') {
    response.writeHead(404).end(`There is no handle ${pathname}\n`);
    return;
  }
  if (!mayAsk(request, searchParams)) {
    request.resume();
    refuse(
      response,
      'Code: 516. DB::Exception: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)',
    );
    return;
  }
  const asked = await readRequest(request, folder);
  response.setHeader('X-ClickHouse-Query-Id', asked.queryId);
  try {
    await run(asked, response);
  } finally {
    if (asked.dataFile !== undefined) await rm(asked.dataFile, { force: true });
  }
}

function mayAsk({ headers }: IncomingMessage, given: URLSearchParams): boolean {
  const [scheme, encoded] = (headers.authorization ?? '').split(' ');
  const basic = Buffer.from(encoded ?? '', 'base64').toString();
  const split = basic.indexOf(':');
  const [user, password] =
    scheme?.toLowerCase() === 'basic'
      ? [basic.slice(0, split), basic.slice(split + 1)]
      : [
          headers['x-clickhouse-user'] ?? given.get('user') ?? 'default',
          headers['x-clickhouse-key'] ?? given.get('password') ?? '',
        ];
  return user === login.user && password === login.password;
}

async function run(given: Asked, response: ServerResponse): Promise<void> {
  const { job, delayMs } = cluster === undefined ? { job: given.job, delayMs: 0 } : alone(given.job, cluster);
  const asked = { ...given, job };
  const { queryId } = asked;
  if (delayMs > 0) {
    setTimeout(() => void pool.run(job, queryId), delayMs);
    response.end();
    return;
  }
  const { kind } = job.statement;
  if (kind === 'set') {
    throw new Error('Code: 48. DB::Exception: Settings come with each statement here. (NOT_IMPLEMENTED)');
  }
  if (kind === 'kill') {
    await answerWith(response, asked, await pool.kill(job));
    return;
  }
  let hasLeft = false;
  response.on('close', () => {
    hasLeft = !response.writableFinished;
    const shallEnd = job.settings.get('cancel_http_readonly_queries_on_client_close') === '1';
    if (hasLeft && kind === 'read' && shallEnd) pool.cancel(queryId).catch(() => undefined);
  });
  const isStream =
    kind === 'read' && !asked.isWhole && formatsOfBlocks.has(job.statement.format ?? job.format);
  const result = isStream ? pool.stream(job, queryId) : await pool.run(job, queryId);
  if (!hasLeft) await answerWith(response, asked, result);
}

/** Formats in which an answer is its blocks one after another: no head, no foot. */
const formatsOfBlocks: ReadonlySet<string> = new Set([
  'Native',
  'RowBinary',
  'JSONEachRow',
  'JSONCompactEachRow',
  'JSONStringsEachRow',
  'TabSeparated',
  'TSV',
  'CSV',
]);

function stop(): void {
  // The library's own end would wait for what still runs, and what it acknowledged is in files.
  process.kill(process.pid, 'SIGKILL');
}

// Only now: the library sets handlers of its own when it starts.
process.on('SIGTERM', stop);
process.stdin.on('end', stop).resume();

server.keepAliveTimeout = 10_000;
server.requestTimeout = 0;
server.listen(Number(options.port ?? 0), '127.0.0.1', () => {
  process.stdout.write(`engine listening on ${(server.address() as AddressInfo).port}\n`);
});

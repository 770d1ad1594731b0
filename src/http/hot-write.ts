import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Authenticate, requireScope } from '../auth/authenticate.ts';
import type { Principal } from '../domain/principal.ts';
import type { ByteBudget, Reservation } from '../ingest/byte-budget.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import { writeProblem } from './problem-reply.ts';

/**
 * Answers plain writes of parameter data ahead of the framework. What that saves was not measured by itself yet.
 * Plain means: a valid token, JSON with a known length, nothing compressed, no browser. All
 * else, and everything that fails before the body is read, is left to the route, which says it in full.
 *
 * @returns whether the request was taken
 */
export type HotWrite = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HotWriteOptions {
  readonly authenticate: Authenticate;
  readonly workspaceOfHost: WorkspaceOfHost;
  readonly budget: ByteBudget;
  readonly maxBodyBytes: number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly newRequestId: () => string;
  readonly isStopping: () => boolean;
}

const route = '/topics/:topic/streams/:streamId/parameters/data';

export function hotWrite(writer: Writer, options: HotWriteOptions): HotWrite {
  const { metrics, budget, log } = options;
  const answered = metrics.requests.labels({ route, status: 200 });
  const seconds = metrics.requestSeconds.labels({ route });

  return (request, response) => {
    const address = request.method === 'POST' ? writeAddress(request.url!) : undefined;
    if (address === undefined || options.isStopping()) return false;
    const length = plainLength(request, options.maxBodyBytes);
    const principal = length > 0 ? writerOf(request, options) : undefined;
    if (principal === undefined) return false;
    const reservation = budget.open();
    try {
      reservation.take(length);
    } catch {
      return false;
    }
    const start = performance.now();
    collect(request, response, length, reservation, (body) => {
      writer.parameterData(principal.workspace, address.topic, address.streamId, body).then(
        () => {
          response.writeHead(200, emptyAnswer);
          response.end();
          answered.inc();
          seconds.observe((performance.now() - start) / 1000);
        },
        (error: unknown) => {
          const status = writeProblem(response, error, options.newRequestId(), log);
          metrics.requests.inc({ route, status });
          seconds.observe((performance.now() - start) / 1000);
        },
      );
    });
    return true;
  };
}

const emptyAnswer = { 'Content-Length': '0' } as const;

const prefix = '/topics/';
const middle = '/streams/';
const suffix = '/parameters/data';

/** The names in the address of a write, or undefined for another address or one with anything to decode. */
function writeAddress(url: string): { topic: string; streamId: string } | undefined {
  if (!url.startsWith(prefix) || !url.endsWith(suffix)) return undefined;
  const topicEnd = url.indexOf('/', prefix.length);
  const streamStart = topicEnd + middle.length;
  const streamEnd = url.length - suffix.length;
  if (topicEnd === prefix.length || streamStart >= streamEnd || !url.startsWith(middle, topicEnd))
    return undefined;
  const streamId = url.slice(streamStart, streamEnd);
  const topic = url.slice(prefix.length, topicEnd);
  return plainName.test(streamId) && plainName.test(topic) ? { topic, streamId } : undefined;
}

/** What stands for itself in an address (RFC 3986, unreserved). */
const plainName = /^[\w.~-]+$/;

/** The length of a plain body; 0 where there is anything to look at more closely. */
function plainLength({ headers }: IncomingMessage, limit: number): number {
  const length = Number(headers['content-length']);
  const plain =
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.origin === undefined &&
    length <= limit;
  return plain ? length : 0;
}

function writerOf(request: IncomingMessage, options: HotWriteOptions): Principal | undefined {
  try {
    const principal = options.authenticate(request.headers.authorization);
    requireScope(principal, 'write');
    const addressed = options.workspaceOfHost(request.headers.host);
    return addressed === undefined || addressed === principal.workspace ? principal : undefined;
  } catch {
    return undefined;
  }
}

/** Hands the whole body on; a client that leaves before gives its share of the budget back. */
function collect(
  request: IncomingMessage,
  response: ServerResponse,
  length: number,
  reservation: Reservation,
  onBody: (body: Buffer) => void,
): void {
  let first: Buffer | undefined;
  let whole: Buffer | undefined;
  let size = 0;
  response.on('close', reservation.release);
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) {
      first = chunk;
    } else {
      whole ??= Buffer.allocUnsafe(length);
      if (size === first.length) whole.set(first);
      whole.set(chunk, size);
    }
    size += chunk.length;
  });
  request.on('end', () => onBody(whole ?? first!));
  request.on('error', () => response.destroy());
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Authenticate, requireScope } from '../auth/authenticate.ts';
import type { Principal } from '../domain/principal.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Metrics } from '../metrics.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import { type PlainWrite, plainWriteReader } from './plain-write.ts';
import { expiredRowsHeader } from './route.ts';

export interface WriteLaneOptions {
  readonly authenticate: Authenticate;
  readonly workspaceOfHost: WorkspaceOfHost;
  readonly budget: ByteBudget;
  readonly maxBodyBytes: number;
  readonly metrics: Metrics;
  readonly isStopping: () => boolean;
}

const route = '/topics/:topic/streams/:streamId/parameters/data';

/**
 * Answers plain writes (plain-write.ts) straight from the socket, before Node's HTTP server sees the connection: for
 * payloads of a few rows its parser, its streams and its answers cost more than the rows.
 *
 * The lane knows success only. Everything else, a write that fails included, is handed over with its bytes to the
 * listeners that the server has had so far, and the connection is theirs from then on. A failed write has changed
 * nothing and may be tried twice, so the route tries it again and says in full what is wrong.
 */
export function openWriteLane(server: Server, writer: Writer, options: WriteLaneOptions): void {
  const { metrics, budget } = options;
  const answered = metrics.requests.labels({ route, status: 200 });
  const seconds = metrics.requestSeconds.labels({ route });
  const read = plainWriteReader();
  const answer = answers();
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const idle = new Set<Socket>();
  const busy = new Set<Socket>();

  /** `done` resolves when the write is durable; it rejects, or nothing begins, where the route has to answer. */
  const begin = (chunk: Buffer): Begun | undefined => {
    const write = options.isStopping() ? undefined : read(chunk);
    if (write === undefined || write.body.length > options.maxBodyBytes) return undefined;
    const principal = writerOf(write, options);
    if (principal === undefined) return undefined;
    const reservation = budget.open();
    try {
      reservation.take(chunk.length);
    } catch {
      return undefined;
    }
    const { topic, streamId, body } = write;
    const done = writer.parameterData(principal.workspace, topic, streamId, body);
    return { done, release: reservation.release };
  };

  const drive = (socket: Socket): void => {
    /** Came while a write was under way. */
    let early: Buffer[] = [];
    let ended = false;

    const onData = (chunk: Buffer): void => {
      if (busy.has(socket)) {
        early.push(chunk);
        socket.pause();
        return;
      }
      const start = performance.now();
      // Node's server knows how to wait for a client that does not take its answers.
      const begun = socket.writableNeedDrain ? undefined : begin(chunk);
      if (begun === undefined) {
        handOver([chunk]);
        return;
      }
      idle.delete(socket);
      busy.add(socket);
      begun.done.then(
        (expired) => {
          begun.release();
          busy.delete(socket);
          answered.inc();
          seconds.observe((performance.now() - start) / 1000);
          if (socket.destroyed) return;
          idle.add(socket);
          const last = ended || options.isStopping();
          socket.write(answer(last, expired));
          if (last) socket.end();
          else if (early.length > 0) handOver(early);
        },
        () => {
          begun.release();
          handOver([chunk, ...early]);
        },
      );
    };
    const onEnd = (): void => {
      ended = true;
      if (idle.has(socket)) socket.end();
    };
    const onClose = (): void => {
      idle.delete(socket);
    };
    const onTimeout = (): void => {
      if (idle.has(socket)) socket.destroy();
    };
    const onError = (): void => {
      socket.destroy();
    };

    const handOver = (bytes: readonly Buffer[]): void => {
      idle.delete(socket);
      busy.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
      socket.setTimeout(0).off('timeout', onTimeout);
      if (socket.destroyed) return;
      if (ended) {
        // It takes no bytes back, and Node's server does not answer such a client either.
        socket.destroy();
        return;
      }
      early = [];
      socket.unshift(bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes));
      for (const listener of listeners) listener.call(server, socket);
      socket.resume();
    };

    idle.add(socket);
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
    socket.setTimeout(server.keepAliveTimeout).on('timeout', onTimeout);
  };

  server.on('connection', drive);
  alsoClose(server, 'closeIdleConnections', () => idle);
  alsoClose(server, 'closeAllConnections', () => [...idle, ...busy]);
}

interface Begun {
  /** With the number of rows that were expired already. */
  readonly done: Promise<number>;
  /** Gives the share of the byte budget back. */
  readonly release: () => void;
}

/** Who writes, if the token is valid, allows it, and belongs to the address. */
function writerOf(write: PlainWrite, options: WriteLaneOptions): Principal | undefined {
  try {
    const principal = options.authenticate(write.authorization);
    if (principal instanceof Promise) {
      // The route asks again, and says what is wrong.
      principal.catch(() => undefined);
      return undefined;
    }
    requireScope(principal, 'write');
    const addressed = options.workspaceOfHost(write.host);
    return addressed === undefined || addressed === principal.workspace ? principal : undefined;
  } catch {
    return undefined;
  }
}

/** The answer of a write, made once a second because it tells the time (RFC 9110, section 6.6.1). */
function answers(): (last: boolean, expired: number) => Buffer {
  let second = 0;
  let lasting: Buffer = Buffer.alloc(0);
  return (last, expired) => {
    const now = Math.floor(Date.now() / 1000);
    if (last || expired > 0) return answerAt(now, last ? 'close' : 'keep-alive', expired);
    if (now !== second) lasting = answerAt(now, 'keep-alive', 0);
    second = now;
    return lasting;
  };
}

function answerAt(second: number, connection: string, expired: number): Buffer {
  const header = expired === 0 ? '' : `${expiredRowsHeader}: ${expired}\r\n`;
  const date = new Date(second * 1000).toUTCString();
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nDate: ${date}\r\nConnection: ${connection}\r\n${header}Content-Length: 0\r\n\r\n`,
  );
}

/** The server's own method knows the connections that it has seen only. */
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
